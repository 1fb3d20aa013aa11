/** Batches over the simulator: from the upload to the files, the money, and what ends them before. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { micros } from '../../src/domain/money.ts';
import { audit } from '../../src/audit/audit.ts';
import { rowChecks } from '../../src/audit/checks/all-checks.ts';
import { assertError } from '../support/errors.ts';
import { type Answer, answerOf, bearer, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { assertLedgerAddsUp } from '../support/money.ts';
import { until } from '../support/process.ts';

let gateway: TestGateway;
before(async () => {
  gateway = await startTestGateway();
});
after(async () => {
  const { database, secrets } = gateway.core;
  const { findings } = await audit({ database, ledgerKeys: [secrets.first.ledger] }, rowChecks);
  await assertLedgerAddsUp(database, secrets.first.ledger);
  await gateway.stop();
  assert.deepEqual(findings, [], 'the audit agrees');
});

type Customer = Awaited<ReturnType<TestGateway['newKey']>>;
const customerWith = (balance: string) => gateway.newKey({ balance });

async function uploaded({ key }: Customer, text: string, purpose = 'batch'): Promise<string> {
  const form = new FormData();
  form.append('purpose', purpose);
  form.append('file', new Blob([text]), 'lines.jsonl');
  const { status, body } = await answerOf(await gateway.fetch('/v1/files', { method: 'POST', body: form, key }));
  assert.equal(status, 200, JSON.stringify(body));
  return String(body['id']);
}

const lineOf = (customId: string, url: string, body: unknown) =>
  JSON.stringify({ custom_id: customId, method: 'POST', url, body });
const chat = '/v1/chat/completions';
const chatLine = (customId: string, prompt: string, more: object = {}) =>
  lineOf(customId, chat, {
    model: 'sim-chat',
    messages: [{ role: 'user', content: prompt }],
    max_tokens: 200,
    ...more,
  });

const create = (
  { key }: Customer,
  inputFileId: string,
  {
    endpoint = chat,
    root = '/v1',
    headers = {},
    ...more
  }: Record<string, unknown> & { headers?: Record<string, string>; root?: string } = {},
): Promise<Answer> =>
  gateway.post(
    `${root}/batches`,
    { input_file_id: inputFileId, endpoint, completion_window: '24h', ...more },
    { ...bearer(key), ...headers },
  );
const batchOf = async ({ key }: Customer, id: unknown) =>
  (await gateway.get(`/v1/batches/${String(id)}`, bearer(key))).body;
const ended = (customer: Customer, id: unknown) =>
  until('the end of a batch', async () => {
    const batch = await batchOf(customer, id);
    return ['completed', 'failed', 'expired', 'cancelled'].includes(String(batch['status'])) ? batch : undefined;
  });

interface OutputLine {
  id: string;
  custom_id: string;
  response: { status_code: number; request_id: string; body: Record<string, unknown> } | null;
  error: { code: string } | null;
}
async function linesOf({ key }: Customer, fileId: string | null): Promise<OutputLine[]> {
  if (fileId === null) return [];
  const response = await gateway.fetch(`/v1/files/${fileId}/content`, { key });
  const text = await response.text();
  return text.trimEnd().split('\n').map((line) => JSON.parse(line) as OutputLine); // oxfmt-ignore
}
async function chargedFor({ key }: Customer, batchId: unknown): Promise<number> {
  const { body } = await gateway.get(
    `/v1/account/ledger?batch_id=${String(batchId)}&type=capture&limit=100`,
    bearer(key),
  );
  const entries = body['data'] as { type: string; charged: number }[];
  return entries.reduce((sum, { charged }) => sum + Math.round(charged * 1_000_000), 0) / 1_000_000;
}

test('a batch runs from the upload to its files in the order of its lines, and each line is charged what it cost', async () => {
  const customer = await customerWith('10');
  const count = 30;
  const lines = Array.from({ length: count }, (_, n) =>
    n === 7 ? chatLine(`line ${n}`, '[sim:status=400] no') : chatLine(`line ${n}`, `Count to ${n}`),
  );
  const file = await uploaded(customer, `${lines.join('\n')}\n`);
  const { status, body } = await create(customer, file, { metadata: { job: 'nightly' } });
  assert.equal(status, 200, JSON.stringify(body));
  assert.match(String(body['id']), /^batch_[0-9a-f]{32}$/);
  assert.deepEqual(
    [body['status'], body['errors'], body['output_file_id'], body['in_progress_at']],
    ['validating', null, null, null],
  );
  const batch = await ended(customer, body['id']);
  assert.deepEqual(
    [batch['status'], batch['request_counts'], batch['metadata'], batch['_local']['held']],
    ['completed', { total: count, completed: count - 1, failed: 1 }, { job: 'nightly' }, 0],
    JSON.stringify(batch),
  );
  const output = await linesOf(customer, batch['output_file_id']);
  assert.deepEqual(
    output.map((line) => line.custom_id),
    Array.from({ length: count }, (_, n) => `line ${n}`).filter((_, n) => n !== 7),
  );
  for (const { response, error } of output) {
    assert.equal(error, null);
    assert.equal(response?.status_code, 200);
    assert.match(response.request_id, /^req_/);
    assert.equal(response.body['object'], 'chat.completion');
  }
  const [refused, ...others] = await linesOf(customer, batch['error_file_id']);
  assert.equal(others.length, 0);
  assert.deepEqual([refused?.custom_id, refused?.response?.status_code], ['line 7', 400]);
  const cost = Number(batch['_local']['cost']);
  assert.ok(cost > 0);
  assert.equal(await chargedFor(customer, batch['id']), cost);
  assert.deepEqual(await gateway.money(customer.key), { balance: Number((10 - cost).toFixed(6)), held: 0 });
  const usage = batch['usage'] as { input_tokens: number; output_tokens: number; total_tokens: number };
  assert.ok(usage.input_tokens > 0 && usage.total_tokens === usage.input_tokens + usage.output_tokens);
});

test('lines of images are tasks, whose links are in the output', async () => {
  const customer = await customerWith('10');
  const image = (n: number) =>
    lineOf(`image ${n}`, '/v1/images/generations', { model: 'sim-image', prompt: `A gate, number ${n}` });
  const file = await uploaded(customer, [1, 2, 3].map(image).join('\n'));
  const { body } = await create(customer, file, { endpoint: '/v1/images/generations', root: '/ai/v1' });
  const batch = await ended(customer, body['id']);
  assert.equal(batch['status'], 'completed', JSON.stringify(batch));
  const output = await linesOf(customer, batch['output_file_id']);
  assert.equal(output.length, 3);
  for (const { response } of output) assert.match(JSON.stringify(response?.body), /img_[0-9a-f]{32}/);
  assert.equal(await chargedFor(customer, batch['id']), Number(batch['_local']['cost']));
});

test('mistakes in lines fail a batch with their lines, and nothing is sent or held', async () => {
  const customer = await customerWith('10');
  const text = [
    chatLine('good', 'hi'),
    '{"custom_id": ',
    chatLine('good', 'twice'),
    chatLine('streamed', 'hi', { stream: true }),
    chatLine('unknown', 'hi', { model: 'sim-chad' }),
    chatLine('image', 'hi', { model: 'sim-image' }),
    lineOf('elsewhere', '/v1/embeddings', {}),
    chatLine('hot', 'hi', { temperature: 9 }),
  ].join('\n');
  const { body } = await create(customer, await uploaded(customer, text));
  const batch = await ended(customer, body['id']);
  assert.equal(batch['status'], 'failed');
  const mistakes = batch['errors']['data'] as { line: number; code: string; param: string | null }[];
  assert.deepEqual(
    mistakes.map(({ line, code, param }) => [line, code, param]),
    [
      [2, 'invalid_json', null],
      [3, 'duplicate_custom_id', 'custom_id'],
      [4, 'invalid_parameter', 'body.stream'],
      [5, 'model_not_found', 'body.model'],
      [6, 'invalid_parameter', 'body.model'],
      [7, 'invalid_parameter', 'url'],
      [8, 'invalid_parameter', 'body.temperature'],
    ],
  );
  assert.deepEqual(batch['request_counts'], { total: 0, completed: 0, failed: 0 });
  assert.deepEqual(await gateway.money(customer.key), { balance: 10, held: 0 });
  const { rows } = await gateway.core.database.pool.query('select from batch_lines where batch_id = $1', [batch['id']]);
  assert.equal(rows.length, 0);
  const empty = await ended(customer, (await create(customer, await uploaded(customer, '\n \n'))).body['id']);
  assert.deepEqual([empty['status'], empty['errors']['data'][0]['code']], ['failed', 'empty_file']);
});

test('a cancelled batch finishes what is under way, runs nothing more, and has files of both', async () => {
  const customer = await customerWith('10');
  const lines = Array.from({ length: 120 }, (_, n) => chatLine(String(n), `[sim:delay=1s] ${n}`));
  const { body } = await create(customer, await uploaded(customer, lines.join('\n')));
  await until('a line to be sent', async () => {
    const { rows } = await gateway.core.database.pool.query(
      `select from batch_lines where batch_id = $1 and state <> 'pending' limit 1`,
      [body['id']],
    );
    return rows.length > 0 || undefined;
  });
  const cancelled = await gateway.post(`/v1/batches/${String(body['id'])}/cancel`, undefined, bearer(customer.key));
  assert.deepEqual([cancelled.status, cancelled.body['status']], [200, 'cancelling']);
  const batch = await ended(customer, body['id']);
  assert.equal(batch['status'], 'cancelled');
  const errors = await linesOf(customer, batch['error_file_id']);
  const output = await linesOf(customer, batch['output_file_id']);
  assert.equal(errors.length + output.length, 120);
  assert.ok(errors.every(({ response, error }) => response === null && error?.code === 'batch_cancelled'));
  assert.equal(await chargedFor(customer, batch['id']), Number(batch['_local']['cost']));
  assertError(
    await gateway.post(`/v1/batches/${String(body['id'])}/cancel`, undefined, bearer(customer.key)),
    'batch_not_cancellable',
  );
});

test('a batch without money waits, says so, and goes on by itself after a credit', async () => {
  const customer = await customerWith('0');
  const { body } = await create(customer, await uploaded(customer, chatLine('a', 'hi')));
  await until(
    'the pause',
    async () => (await batchOf(customer, body['id']))['_local']['paused'] === 'insufficient_balance' || undefined,
  );
  await gateway.core.ledger.credit(customer.account, micros(1_000_000n), 'for a test');
  const batch = await ended(customer, body['id']);
  assert.deepEqual([batch['status'], batch['request_counts'].completed], ['completed', 1]);
});

test('lines that were not sent when the time is over are expired', async () => {
  const customer = await customerWith('0');
  const { body } = await create(customer, await uploaded(customer, chatLine('a', 'hi')));
  await until('the pause', async () => (await batchOf(customer, body['id']))['_local']['paused'] !== null || undefined);
  await gateway.core.database.pool.query('update batches set expires_at = clock_timestamp() where id = $1', [
    body['id'],
  ]);
  const batch = await ended(customer, body['id']);
  assert.equal(batch['status'], 'expired');
  assert.equal((await linesOf(customer, batch['error_file_id']))[0]?.error?.code, 'batch_expired');
});

const idsOf = (page: Record<string, unknown>) => (page['data'] as { id: string }[]).map(({ id }) => id);

test('batches are listed newest first in pages, and are unknown to other accounts', async () => {
  const customer = await customerWith('1');
  const file = await uploaded(customer, chatLine('a', 'hi'));
  const ids: string[] = [];
  for (let n = 0; n < 3; n++) ids.unshift(String((await create(customer, file)).body['id']));
  const list = async (query: string) => (await gateway.get(`/v1/batches${query}`, bearer(customer.key))).body;
  const first = await list('?limit=2');
  assert.deepEqual(
    [first['object'], idsOf(first), first['first_id'], first['last_id'], first['has_more']],
    ['list', ids.slice(0, 2), ids[0], ids[1], true],
  );
  const second = await list(`?limit=2&after=${String(first['last_id'])}`);
  assert.deepEqual([idsOf(second), second['has_more']], [[ids[2]], false]);
  assertError(await gateway.get('/v1/batches?limit=101', bearer(customer.key)), 'invalid_parameter', 'limit');
  assertError(await gateway.get(`/v1/batches/${ids[0] ?? ''}`), 'batch_not_found');
  assertError(await gateway.post(`/v1/batches/${ids[0] ?? ''}/cancel`, undefined), 'batch_not_found');
  for (const id of ids) await ended(customer, id);
});

test('what can not be a batch is refused under the name of the field', async () => {
  const customer = await customerWith('1');
  const file = await uploaded(customer, chatLine('a', 'hi'));
  assertError(await create(customer, `file-${'0'.repeat(32)}`), 'invalid_parameter', 'input_file_id');
  assertError(await create(await customerWith('1'), file), 'invalid_parameter', 'input_file_id');
  assertError(await create(customer, await uploaded(customer, 'x', 'user_data')), 'invalid_parameter', 'input_file_id');
  assertError(await create(customer, file, { endpoint: '/v1/audio/speech' }), 'invalid_parameter', 'endpoint');
  assertError(await create(customer, file, { completion_window: '8d' }), 'invalid_parameter', 'completion_window');
  const read = await gateway.newKeyOf(customer.account, { level: 'read' });
  assertError(await create({ ...customer, key: read.key }, file), 'permission_denied');
});

test('an Idempotency-Key makes one batch of one request sent twice, and refuses another one', async () => {
  const customer = await customerWith('1');
  const file = await uploaded(customer, chatLine('a', 'hi'));
  const headers = { 'Idempotency-Key': 'once' };
  const [one, same] = await Promise.all([1, 2].map(() => create(customer, file, { headers })));
  assert.equal(one?.body['id'], same?.body['id']);
  assertError(await create(customer, file, { headers, metadata: { a: 'b' } }), 'idempotency_key_reused');
  await ended(customer, one?.body['id']);
  await gateway.core.database.pool.query(
    "update batches set created_at = created_at - interval '24 hours 1 second' where id = $1",
    [one?.body['id']],
  );
  const later = await create(customer, file, { headers, metadata: { a: 'b' } });
  assert.equal(later.status, 200, 'a key counts for 24 hours');
  assert.notEqual(later.body['id'], one?.body['id']);
  await ended(customer, later.body['id']);
});

test("a line of images or videos can't have a webhook of its own: the batch has one", async () => {
  const customer = await customerWith('1');
  const body = { model: 'sim-image', prompt: 'A gate', webhook_url: 'https://example.com/hooks' };
  const line = JSON.stringify({ custom_id: 'a', method: 'POST', url: '/v1/images/generations', body });
  const made = await create(customer, await uploaded(customer, line), { endpoint: '/v1/images/generations' });
  const { status, errors } = await ended(customer, made.body['id']);
  assert.equal(status, 'failed');
  const { code, param, line: at } = (errors as { data: Record<string, unknown>[] }).data[0] ?? {};
  assert.deepEqual([code, param, at], ['invalid_parameter', 'body.webhook_url', 1]);
});
