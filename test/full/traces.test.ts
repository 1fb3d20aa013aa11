/** One trace from a caller's request through workflow and activities to the provider, in right order, with nothing secret in it. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Worker } from '@temporalio/worker';
import { Client, Connection } from '@temporalio/client';
import pino from 'pino';
import { logOptions } from '../../src/observability/logging/log.ts';
import { changeAccount } from '../../src/accounts/accounts.ts';
import { bundlePath, tracedBundlePath } from '../../src/temporal/bundle-workflows.ts';
import { type Collector, openCollector, pathOf } from '../support/collector.ts';
import { fromTestRun } from '../support/database.ts';
import { bearer, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { historyJson, readHistory } from '../support/history.ts';
import { until } from '../support/process.ts';
import { chatAnswer, openUpstream, type Upstream } from '../support/upstream.ts';

const sentinels = {
  prompt: 'the-prompt-sentinel',
  answer: 'the-answer-sentinel',
  provider: 'the-provider-credential-sentinel',
  collector: 'the-collector-credential-sentinel',
};
const images = '/v1/images/generations';
const configuration = (url: string) => `
providers:
  simulator: { kind: simulator }
  one: { kind: openai, base_url: "${url}", api_key: "${sentinels.provider}" }
models:
  - { id: chat, kind: chat, routes: [{ provider: one, model: chat }], price: { input_per_million: 1, output_per_million: 1 } }
  - { id: drawn, kind: image, routes: [{ provider: simulator, model: sim-image }], price: { per_image: 0.1 } }
`;

const traces = () => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  OTEL_EXPORTER_OTLP_HEADERS: `x-key=${sentinels.collector}`,
});

let collector: Collector;
let gateway: TestGateway;
let upstream: Upstream;
let closeUpstream: () => Promise<void>;
const written: string[] = [];
before(async () => {
  collector = await openCollector();
  ({ upstream, close: closeUpstream } = await openUpstream());
  gateway = await startTestGateway({
    configuration: configuration(upstream.url),
    env: { ...traces(), OTEL_SERVICE_NAME: 'gate-of-tests' },
    log: pino(logOptions('info'), { write: (line: string) => void written.push(line) }),
  });
});
after(async () => {
  await gateway.stop();
  await closeUpstream();
  await collector.close();
});

/** A caller's own trace, whose span is above all of ours. */
const caller = (digit: string) => ({
  traceId: digit.repeat(32),
  headers: { traceparent: `00-${digit.repeat(32)}-${'1'.repeat(16)}-01` },
});

test('an image is one trace from the request to the provider', async () => {
  const { traceId, headers } = caller('a');
  const { body, status } = await gateway.post(images, { model: 'drawn', prompt: sentinels.prompt }, headers);
  assert.equal(status, 200, JSON.stringify(body));
  const request = `POST ${images}`;
  const workflow = ['RunWorkflow:generate', 'StartWorkflow:generate', request];
  const spans = await collector.trace(traceId, [request, 'RunWorkflow:generate', 'RunActivity:settle']);
  assert.deepEqual(pathOf(spans, 'simulator submit'), [
    'simulator submit',
    'RunActivity:submit',
    'StartActivity:submit',
    ...workflow,
  ]);
  assert.deepEqual(pathOf(spans, 'simulator poll'), [
    'simulator poll',
    'RunActivity:collect',
    'StartActivity:collect',
    ...workflow,
  ]);
  assert.deepEqual(pathOf(spans, 'RunActivity:settle'), ['RunActivity:settle', 'StartActivity:settle', ...workflow]);
  assert.deepEqual(pathOf(spans, 'admit task'), ['admit task', request]);
  const root = spans.find(({ name }) => name === request);
  assert.equal(root?.parentSpanId, '1'.repeat(16));
  assert.deepEqual([root.kind, root.service], [2, 'gate-of-tests']);
  assert.equal(root.attributes['http.response.status_code'], 200);
  for (const name of [request, 'RunActivity:submit', 'RunActivity:collect', 'RunActivity:settle']) {
    const reported = spans.find((span) => span.name === name)?.attributes ?? {};
    const { 'tollgate.task.id': task, 'tollgate.account.id': account, 'tollgate.model': model } = reported;
    assert.deepEqual([task, account, model], [body['id'] ?? task, gateway.account, 'drawn'], name);
    assert.match(String(reported['tollgate.request.id']), /^req_/);
  }
  assert.ok(
    spans.every(({ status: ended }) => ended?.code !== 2),
    'none failed',
  );
  const lines = written.map((line) => JSON.parse(line) as Record<string, unknown>);
  const taskId = root.attributes['tollgate.task.id'];
  const ofTask = lines.filter((line) => line['taskId'] === taskId);
  assert.ok(ofTask.length >= 4);
  assert.deepEqual(
    ofTask.filter((line) => line['traceId'] !== traceId),
    [],
  );

  // What ran with tracing is replayed by workers with and without it.
  const connection = await Connection.connect({ address: fromTestRun('TEMPORAL_ADDRESS') });
  const history = await new Client({ connection }).workflow.getHandle(String(taskId)).fetchHistory();
  await connection.close();
  for (const codePath of [bundlePath, tracedBundlePath]) {
    await Worker.runReplayHistory({ workflowBundle: { codePath } }, readHistory(historyJson(history)));
  }
});

test('a call of chat is a trace with the call of its upstream, which gets no trace headers', async () => {
  upstream.answers(chatAnswer(sentinels.answer));
  const { traceId, headers } = caller('b');
  const body = { model: 'chat', messages: [{ role: 'user', content: sentinels.prompt }] };
  assert.equal((await gateway.post('/v1/chat/completions', body, headers)).status, 200);
  const request = 'POST /v1/chat/completions';
  const spans = await collector.trace(traceId, [request, 'one chat/completions']);
  assert.deepEqual(pathOf(spans, 'one chat/completions'), ['one chat/completions', request]);
  const seen = upstream.requests.at(-1);
  assert.ok(seen && !('traceparent' in seen.headers) && !JSON.stringify(seen.headers).includes(traceId));
});

test('a failure is traced by its kind, and the delivery of its event is in the trace', async () => {
  const receiver = await openUpstream();
  receiver.upstream.answers({ status: 204 });
  const who = await gateway.newKey({ balance: '10', level: 'admin' });
  await changeAccount(gateway.by, who.account, { webhookUrl: `${receiver.upstream.url}?${sentinels.prompt}` });
  try {
    const { traceId, headers } = caller('c');
    const prompt = `${sentinels.prompt} [sim:fail=${sentinels.prompt}]`;
    await gateway.post(images, { model: 'drawn', prompt }, { ...headers, ...bearer(who.key) });
    const spans = await collector.trace(traceId, ['webhook POST', 'simulator poll', 'RunWorkflow:deliver']);
    const [post, activity] = pathOf(spans, 'webhook POST');
    assert.deepEqual([post, activity], ['webhook POST', 'RunActivity:deliver']);
    assert.equal(spans.find(({ name }) => name === 'simulator poll')?.status?.code, 2);
    const seen = receiver.upstream.requests.at(-1);
    assert.ok(seen && !JSON.stringify(seen.headers).includes(traceId));
  } finally {
    await receiver.close();
  }
});

test('what a caller does not sample is not handed over', async () => {
  const unsampled = `00-${'d'.repeat(32)}-${'1'.repeat(16)}-00`;
  await gateway.get('/v1/models', { traceparent: unsampled });
  const { traceId, headers } = caller('e');
  await gateway.get('/v1/models', headers);
  await collector.trace(traceId, ['GET /v1/models']);
  assert.ok(collector.spans.every((span) => span.traceId !== 'd'.repeat(32)));
});

test('a task of a process that could not start it is started by another one, in the trace of its request', async () => {
  // An API of its own, with a Temporal that is away; the other gateway's scan finds the task.
  const api = await startTestGateway({
    configuration: configuration(upstream.url),
    env: { ...traces(), OTEL_SERVICE_NAME: 'api-of-tests' },
    worker: false,
    servers: { databaseUrl: gateway.databaseUrl, temporalAddress: '127.0.0.1:1' },
  });
  try {
    const { traceId, headers } = caller('f');
    const body = { model: 'drawn', prompt: sentinels.prompt };
    const { status } = await api.post(images, body, { ...headers, Prefer: 'wait=0' });
    assert.equal(status, 202);
    const spans = await collector.trace(traceId, [`POST ${images}`, 'RunWorkflow:generate', 'simulator submit']);
    assert.deepEqual(pathOf(spans, 'simulator submit').slice(-3), [
      'RunWorkflow:generate',
      'StartWorkflow:generate',
      `POST ${images}`,
    ]);
    const serviceOf = (wanted: string) => spans.find(({ name }) => name === wanted)?.service;
    assert.deepEqual([serviceOf(`POST ${images}`), serviceOf('simulator submit')], ['api-of-tests', 'gate-of-tests']);
  } finally {
    await api.stop();
  }
});

test('nothing that was handed over has a prompt, an answer, a key, a credential or an address with a query', async () => {
  await until('a span', () => collector.bodies[0]);
  const all = collector.bodies.join('');
  for (const secret of [...Object.values(sentinels), gateway.key, 'sk-tg-', 'whsec_', '?e=', 'exception.message']) {
    assert.ok(!all.includes(secret), `${secret} was handed over`);
  }
  assert.ok(collector.headers.every((one) => one['x-key'] === sentinels.collector && one['path'] === '/v1/traces'));
});
