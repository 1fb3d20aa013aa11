/** `tollgate api --processes`: several processes on one port are one API, whatever becomes of any of them. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { processFacts } from '../../src/embedded/processes.ts';
import { type ApiProcess, type ApiProcesses, startApiProcesses } from '../support/api-processes.ts';
import { chatPath, hello } from '../support/chat-gateway.ts';
import { parseMetrics, valueOf } from '../support/metrics.ts';
import { kill, until } from '../support/process.ts';
import { chatAnswer, deltaEvent, openUpstream, type Upstream } from '../support/upstream.ts';

const count = 3;
let upstream: Upstream;
let closeUpstream: () => Promise<void>;
let made: ApiProcesses;

before(async () => {
  ({ upstream, close: closeUpstream } = await openUpstream());
  made = await startApiProcesses(0, upstream.url);
  await configure('still');
});
after(async () => {
  await made.stop();
  await closeUpstream();
});

/** An API of three processes for one test, which are all gone after it. */
async function withApi(use: (api: ApiProcess, pids: () => number[]) => Promise<void>): Promise<void> {
  const api = await made.startAnother(['--processes', String(count)]);
  const pids = () => pidsOf(api);
  assert.equal(pids().length, count);
  try {
    await use(api, pids);
    api.running.signal('SIGTERM');
    const { code, stderr } = await api.running.ended;
    assert.equal(code, 0, stderr);
  } finally {
    api.running.signal('SIGKILL');
    await allGone(pids());
  }
}

/** The processes that the line `ready` names, and those that came in the place of others. */
function pidsOf({ running }: ApiProcess): number[] {
  const lines = linesOf(running.stderr);
  const ready = lines.filter(({ msg }) => msg === 'ready');
  assert.ok(ready.length <= 1, 'more than one line says that it is ready');
  const later = lines.filter(({ msg }) => msg?.endsWith('serves again'));
  return [...(ready[0]?.processes ?? []), ...later.flatMap(({ process }) => process ?? [])];
}

interface Line {
  msg?: string;
  pid?: number;
  processes?: number[];
  process?: number;
  path?: string;
}
const linesOf = (log: string): Line[] =>
  log
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line) => JSON.parse(line) as Line);

const allGone = (pids: readonly number[]) =>
  until('the end of all processes', async () => {
    const facts = await Promise.all(pids.map((pid) => processFacts(pid)));
    return facts.every((one) => one === undefined) ? true : undefined;
  });

interface Answer {
  status: number;
  body: string;
}

/** Sends a request on a connection of its own, so that each goes to the next process. */
function send(url: string, headers: Record<string, string>, body?: unknown): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST';
    const sent = request(url, { agent: false, method, headers: { ...headers, 'Content-Type': 'application/json' } });
    sent.on('error', reject).on('response', (response) => {
      text(response).then((read) => resolve({ status: response.statusCode ?? 0, body: read }), reject);
    });
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

const chat = ({ url }: ApiProcess, headers: Record<string, string>, body: unknown = hello) =>
  send(`${url}${chatPath}`, headers, body);
const metricsOf = async ({ url }: ApiProcess) => parseMetrics((await send(`${url}/metrics`, {})).body);
const calls = { route: '/v1/chat/completions', status: '200' };

test('three processes share the calls on one port, and each shows the figures of all', () =>
  withApi(async (api, pids) => {
    upstream.answers(chatAnswer('Hi'));
    const { headers } = await made.newCustomer('1000');
    for (let at = 0; at < 4 * count; at++) assert.equal((await chat(api, headers)).status, 200);
    const served = linesOf(api.running.stderr).filter(({ path }) => path === chatPath);
    assert.deepEqual(new Set(served.map(({ pid }) => pid)), new Set(pids()));
    for (let at = 0; at < count; at++) {
      const shown = await metricsOf(api);
      assert.equal(valueOf(shown, 'tollgate_http_requests_total', calls), 4 * count);
      assert.equal(valueOf(shown, 'tollgate_http_request_duration_seconds_count', { route: chatPath }), 4 * count);
      assert.equal(valueOf(shown, 'tollgate_api_processes'), count);
      assert.equal(valueOf(shown, 'tollgate_ready'), 1);
    }
    assert.equal((await send(`${api.url}/healthz`, {})).status, 200);
  }));

test('of forty calls at once over three processes, a call limit of 17 admits 17', () =>
  withApi(async (api) => {
    const { headers } = await made.newCustomer('1000', { callLimits: [{ calls: 17, per: 'total' }] });
    const seen = upstream.requests.length;
    upstream.answers(chatAnswer('Hi'));
    const answers = await Promise.all(Array.from({ length: 40 }, () => chat(api, headers)));
    assert.equal(answers.filter(({ status }) => status === 200).length, 17);
    assert.equal(upstream.requests.length, seen + 17);
  }));

test('SIGHUP has every process read the configuration again', () =>
  withApi(async (api) => {
    const { headers } = await made.newCustomer('1000');
    await configure('still', 'still-too');
    api.running.signal('SIGHUP');
    const reread = () => linesOf(api.running.stderr).filter(({ msg }) => msg === 'configuration re-read');
    await until('every process to read it', () => (reread().length === count ? true : undefined));
    for (let at = 0; at < 2 * count; at++)
      assert.match((await send(`${api.url}/v1/models`, headers)).body, /"still-too"/);
    await configure('still');
  }));

test('a process that is killed under load comes back; no task is lost or charged twice, and no count falls', () =>
  withApi(async (api, pids) => {
    const worker = made.home.spawn(['worker']);
    await worker.printed(/the worker runs/);
    const { account, headers } = await made.newCustomer('1000', { level: 'standard' });
    upstream.answers(chatAnswer('Hi'));
    const names = Array.from({ length: 60 }, (_, at) => `order-${at}`);
    let accepted = 0;
    const order = async (name: string) => {
      const body = { model: 'still', prompt: name, size: '1024x1024' };
      const keyed = { ...headers, 'Idempotency-Key': name, Prefer: 'wait=0' };
      await until(`the task of ${name}`, async () => {
        const answer = await send(`${api.url}/v1/images/generations`, keyed, body).catch(() => undefined);
        if (answer === undefined || answer.status === 503 || answer.status === 409) return undefined;
        assert.ok([200, 202].includes(answer.status), answer.body);
        accepted += 1;
        return true;
      });
    };
    const before = valueOf(await metricsOf(api), 'tollgate_tasks_accepted_total');
    assert.equal(before, 0);
    const [killed = 0] = pids();
    for (const name of names.slice(0, 20)) await order(name);
    const counted = valueOf(await metricsOf(api), 'tollgate_tasks_accepted_total');
    assert.equal(counted, 20);
    const rest = Promise.all(names.slice(20).map(order));
    await until('some of them', () => (accepted > 25 ? true : undefined));
    kill(killed, 'SIGKILL');
    await api.running.printed(/"signal":"SIGKILL".*exited; restarting it/);
    await rest;
    await api.running.printed(/serves again/);
    const shown = await metricsOf(api);
    assert.equal(valueOf(shown, 'tollgate_api_processes'), count);
    assert.ok(valueOf(shown, 'tollgate_tasks_accepted_total') >= counted, 'the count fell');
    const rows = await until('the end of all tasks', async () => {
      const { rows } = await made.database.pool.query<{ tasks: number; ended: number; captured: number }>(
        `select count(*)::int as tasks, (count(*) filter (where state = 'succeeded'))::int as ended,
           (select count(*)::int from entries where account_id = $1 and type = 'capture') as captured
         from tasks where account_id = $1`,
        [account],
      );
      return rows[0]?.ended === rows[0]?.tasks ? rows[0] : undefined;
    });
    assert.deepEqual(rows, { tasks: names.length, ended: names.length, captured: names.length });
    worker.signal('SIGTERM');
    assert.equal((await worker.ended).code, 0);
    const { code, stdout } = await made.home.run(['audit']);
    assert.equal(code, 0, stdout);
  }));

test('a connection that was on its way to a process that is killed is closed and not left waiting', () =>
  withApi(async (api, pids) => {
    const [frozen = 0] = pids();
    kill(frozen, 'SIGSTOP');
    const { port, hostname } = new URL(api.url);
    const ends = Array.from({ length: 2 * count }, async () => {
      const socket = connect(Number(port), hostname);
      socket.on('error', () => undefined).resume(); // a reset is an end as well
      const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
      await once(socket, 'connect');
      socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
      return closed;
    });
    let over = 0;
    for (const end of ends) void end.then(() => over++);
    await until('the answers of the others', () => (over >= 2 * count - 1 ? true : undefined));
    await pause(100); // the last one would have been answered, were it with a process that runs
    kill(frozen, 'SIGKILL');
    await Promise.all(ends);
    await api.running.printed(/serves again/);
  }));

/** Streams that the upstream keeps open, one at each process; `finish` has them end in order. */
async function openStreams(api: ApiProcess): Promise<{ streams: Promise<Answer>[]; finish: () => void }> {
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => (finish = resolve));
  const usage = `data: {"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}\n\n`;
  upstream.answers({ pieces: [deltaEvent('Hello'), finished, usage, 'data: [DONE]\n\n'] });
  const { headers } = await made.newCustomer('1000');
  const seen = upstream.requests.length;
  const streams = Array.from({ length: count }, () => chat(api, headers, { ...hello, stream: true }));
  await upstream.received(seen + count);
  return { streams, finish };
}

test('SIGTERM has every process end its answers, and leaves nothing behind', () =>
  withApi(async (api, pids) => {
    const { streams, finish } = await openStreams(api);
    api.running.signal('SIGTERM');
    await until('all to stop', () =>
      linesOf(api.running.stderr).filter(({ msg }) => msg === 'stopping').length === count + 1 ? true : undefined,
    );
    finish();
    for (const { body } of await Promise.all(streams)) assert.ok(body.endsWith('data: [DONE]\n\n'), body);
    assert.equal((await api.running.ended).code, 0);
    await allGone(pids());
    const { rows } = await made.database.pool.query(`select 1 from holds where state = 'held'`);
    assert.equal(rows.length, 0);
  }));

test('after a kill -9 of the supervising process the others end their answers and then themselves', async () => {
  const api = await made.startAnother(['--processes', String(count)]);
  const { streams, finish } = await openStreams(api);
  const pids = pidsOf(api);
  api.running.signal('SIGKILL');
  await until('all to notice', () =>
    api.running.stderr.split('the supervising process has died').length === count + 1 ? true : undefined,
  );
  finish();
  for (const { body } of await Promise.all(streams)) assert.ok(body.endsWith('data: [DONE]\n\n'), body);
  await allGone(pids);
});

test('what no process can start with is reported once, as by a single process, and ends the command', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const address = taken.address();
  assert.ok(typeof address === 'object' && address);
  const options = ['api', '--processes', String(count)];
  const { code, stderr } = await made.home.run(options, { PORT: String(address.port) });
  assert.equal(code, 1);
  assert.equal(stderr.match(/is already in use/g)?.length, 1, stderr);
  taken.close();
  const [several, alone] = await Promise.all([
    made.home.run(options, { DATABASE_URL: 'not a url', LOG_LEVEL: 'loud' }),
    made.home.run(['api'], { DATABASE_URL: 'not a url', LOG_LEVEL: 'loud' }),
  ]);
  assert.deepEqual([several.code, several.stderr], [2, alone.stderr]);
  for (const wrong of ['0', '-1', 'x', '65', '1000'])
    assert.match((await made.home.run(['api', '--processes', wrong])).stderr, /Must be an integer from 1 to 64\./);
});

const configure = (...images: string[]): Promise<void> =>
  writeFile(
    join(made.home.folder, 'tollgate.yaml'),
    `
providers:
  first: { kind: openai, base_url: '${upstream.url}', api_key: sk-of-the-operator-1 }
  simulator: { kind: simulator }
models:
  - id: chat-one
    kind: chat
    routes: [{ provider: first, model: upstream-one }]
    price: { input_per_million: 1000, output_per_million: 1000 }
${images
  .map(
    (id) => `  - id: ${id}
    kind: image
    routes: [{ provider: simulator, model: sim-image }]
    price: { per_image: 0.01 }`,
  )
  .join('\n')}
`,
  );
