/** `/files`: what an account keeps, in the form of the OpenAI API. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertError } from '../support/errors.ts';
import { type Answer, answerOf, bearer, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { until } from '../support/process.ts';
import { openSocket } from '../support/raw-http.ts';
import { builtInConfiguration } from '../../src/config/built-in.ts';
import { asAttachment } from '../../src/api/presenters/openai-files.ts';

const bytesMax = 300_000;
let gateway: TestGateway;
before(async () => {
  const configuration = `${builtInConfiguration}\nlimits: { file_bytes: ${bytesMax} }\n`;
  gateway = await startTestGateway({ configuration, worker: false });
});
after(() => gateway.stop());

const line = '{"custom_id":"1"}\n';
type Part = readonly [name: string, value: string];
const file = (content: string | Uint8Array<ArrayBuffer>, name: string) => ({ content, name });

/** Uploads a form of these parts, in this order. */
async function send(parts: readonly (Part | ReturnType<typeof file>)[], key = gateway.key, root = '/v1') {
  const form = new FormData();
  for (const part of parts) {
    if ('content' in part) form.append('file', new Blob([part.content]), part.name);
    else form.append(part[0], part[1]);
  }
  return answerOf(await gateway.fetch(`${root}/files`, { method: 'POST', body: form, key }));
}
const upload = async (key: string, purpose = 'batch'): Promise<string> => {
  const { status, body } = await send([['purpose', purpose], file(line, 'lines.jsonl')], key);
  assert.equal(status, 200, JSON.stringify(body));
  return String(body['id']);
};
const remove = async (id: string, key: string) =>
  answerOf(await gateway.fetch(`/v1/files/${id}`, { method: 'DELETE', key }));
const customer = async () => (await gateway.newKey({ balance: '0' })).key;

for (const [where, parts] of [
  ['before', [['purpose', 'batch'], file(line, 'lines.jsonl')]],
  ['after', [file(line, 'lines.jsonl'), ['purpose', 'batch']]],
] as const) {
  test(`a file is kept for 30 days when its purpose batch comes ${where} it in the form`, async () => {
    const { status, body } = await send(parts);
    assert.equal(status, 200, JSON.stringify(body));
    const { id, created_at: createdAt } = body;
    assert.match(String(id), /^file-[0-9a-f]{32}$/);
    assert.ok(Math.abs(Number(createdAt) - Date.now() / 1000) < 60);
    assert.deepEqual(body, {
      ...{ id, object: 'file', bytes: line.length, created_at: createdAt, expires_at: Number(createdAt) + 2_592_000 },
      ...{ filename: 'lines.jsonl', purpose: 'batch', status: 'processed', status_details: null },
    });
    assert.deepEqual((await gateway.get(`/ai/v1/files/${String(id)}`)).body, body);
  });
}

test('a file of another purpose is kept until it is deleted, or for the time that its caller names', async () => {
  const { body } = await send([['purpose', 'user_data'], file('x', '收费站.pdf')]);
  assert.deepEqual([body['filename'], body['expires_at']], ['收费站.pdf', null]);
  const [anchor, seconds] = ['expires_after[anchor]', 'expires_after[seconds]'];
  const timed = await send([[anchor, 'created_at'], [seconds, '3600'], ['purpose', 'vision'], file('x', 'a.png')]); // oxfmt-ignore
  assert.equal(Number(timed.body['expires_at']) - Number(timed.body['created_at']), 3600);
  for (const [parts, code, param] of [
    [[[seconds, '3600']], 'missing_parameter', anchor],
    [[[anchor, 'created_at']], 'missing_parameter', seconds],
    [[[anchor, 'last_active_at'], [seconds, '3600']], 'invalid_parameter', anchor],
    [[[anchor, 'created_at'], [seconds, '3599']], 'invalid_parameter', seconds],
    [[[anchor, 'created_at'], [seconds, '2592001']], 'invalid_parameter', seconds],
  ] as const)
    assertError(await send([['purpose', 'vision'], ...parts, file('x', 'a.png')]), code, param); // oxfmt-ignore
});

test('what is no file of a known purpose is refused, and nothing of it is kept', async () => {
  const stored = await gateway.blobs();
  const wrong = await send([['purpose', 'fine-tune'], file(line, 'a.jsonl')]);
  assertError(wrong, 'invalid_parameter', 'purpose');
  assert.match(String(wrong.body['error'].message), /'batch', 'user_data' or 'vision'/);
  assertError(await send([['purpose', 'batch_output'], file(line, 'a.jsonl')]), 'invalid_parameter', 'purpose');
  assertError(await send([file(line, 'a.jsonl')]), 'missing_parameter', 'purpose');
  assertError(await send([['purpose', 'batch'], file(line, 'a.json')]), 'invalid_parameter', 'file');
  assertError(await send([['purpose', 'batch'], file('', 'a.jsonl')]), 'invalid_parameter', 'file');
  assertError(await send([['purpose', 'batch'], file(line, `${'a'.repeat(300)}.jsonl`)]), 'invalid_parameter', 'file');
  assertError(await send([['purpose', 'batch']]), 'missing_parameter', 'file');
  const large = new Uint8Array(bytesMax + 1);
  assertError(await send([['purpose', 'user_data'], file(large, 'a')]), 'request_too_large', 'file');
  assert.equal((await send([['purpose', 'user_data'], file(large.subarray(1), 'a')])).status, 200);
  const read = (await gateway.newKey({ level: 'read' })).key;
  assertError(await send([['purpose', 'batch'], file(line, 'a.jsonl')], read), 'permission_denied');
  assert.equal(await gateway.blobs(), stored + 1);
});

test('what a caller had sent that leaves in the middle is removed', async () => {
  const stored = await gateway.blobs();
  const socket = await openSocket(gateway.url);
  socket.write(
    `POST /v1/files HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${gateway.key}\r\nContent-Length: 100000\r\n` +
      'Content-Type: multipart/form-data; boundary=b\r\n\r\n--b\r\n' +
      'Content-Disposition: form-data; name="file"; filename="a.jsonl"\r\n\r\n' +
      line.repeat(1_000),
  );
  await until('the upload to be written', async () => (await gateway.blobs()) > stored || undefined);
  socket.destroy();
  await until('its removal', async () => (await gateway.blobs()) === stored || undefined);
});

test('the list goes on behind any file, in both orders and by purpose, also behind one that was deleted', async () => {
  const key = await customer();
  const ids = [await upload(key), await upload(key, 'user_data'), await upload(key), await upload(key)];
  const list = async (query: string) => {
    const { body } = await gateway.get(`/v1/files?${query}`, bearer(key));
    return { ...body, data: (body['data'] as { id: string }[]).map(({ id }) => id) } as Answer['body'];
  };
  const newest = [...ids].reverse();
  const page = (data: readonly (string | undefined)[], more: boolean) => ({
    ...{ object: 'list', data, first_id: data[0] ?? null, last_id: data.at(-1) ?? null, has_more: more },
  });
  assert.deepEqual(await list(''), page(newest, false));
  assert.deepEqual(await list('limit=3'), page(newest.slice(0, 3), true));
  assert.deepEqual(await list('order=asc&limit=4'), page(ids, false));
  assert.deepEqual(await list('purpose=user_data'), page(ids.slice(1, 2), false));
  assert.deepEqual(await list('purpose=batch_output'), page([], false));
  await remove(ids[2]!, key);
  assert.deepEqual(await list(`after=${ids[2]}`), page([ids[1], ids[0]], false));
  assert.deepEqual(await list(`order=asc&after=${ids[2]}`), page([ids[3]], false));
  for (const [query, param] of [
    ['limit=0', 'limit'],
    ['limit=10001', 'limit'],
    ['order=up', 'order'],
    ['after=file-1', 'after'],
    ['purpose=assistants', 'purpose'],
  ] as const)
    assertError(await gateway.get(`/v1/files?${query}`), 'invalid_parameter', param);
});

test('the content of a file is its bytes as a download, whole or a range of them', async () => {
  const key = (await gateway.newKey({ level: 'standard' })).key;
  const { body } = await send([['purpose', 'user_data'], file('<script>0123456789', 'a "b"\u{1F3AB}.html')]);
  const address = `/v1/files/${String(body['id'])}/content`;
  const whole = await gateway.fetch(address, { key });
  assert.equal(await whole.text(), '<script>0123456789');
  const named = (response: Response, ...names: string[]) => names.map((name) => response.headers.get(name));
  assert.deepEqual(named(whole, 'content-type', 'content-length', 'accept-ranges', 'x-content-type-options'), [
    ...['application/octet-stream', '18', 'bytes', 'nosniff'],
  ]);
  assert.deepEqual(named(whole, 'content-disposition'), [asAttachment(String(body['filename']))]);
  const part = await gateway.fetch(address, { key, headers: { Range: 'bytes=8-11' } });
  assert.deepEqual([part.status, await part.text(), ...named(part, 'content-range')], [206, '0123', 'bytes 8-11/18']);
  const beyond = await gateway.fetch(address, { key, headers: { Range: 'bytes=18-' } });
  assert.deepEqual([beyond.status, ...named(beyond, 'content-range')], [416, 'bytes */18']);
  const head = await gateway.fetch(address, { key, method: 'HEAD' });
  assert.deepEqual([head.status, await head.text(), ...named(head, 'content-length')], [200, '', '18']);
});

test('the name of a download is safe in its header, and whole for those that read RFC 8187', () => {
  assert.equal(
    asAttachment(`a "b";\r\n收'(1).jsonl`),
    `attachment; filename="a _b______(1).jsonl"; filename*=UTF-8''a%20%22b%22%3B%0D%0A%E6%94%B6%27%281%29.jsonl`,
  );
});

test('a deleted file is gone with its bytes, and other accounts can neither see nor delete one', async () => {
  const [key, other] = [await customer(), await customer()];
  const stored = await gateway.blobs();
  const id = await upload(key);
  const paths = [`/v1/files/${id}`, `/v1/files/${id}/content`];
  for (const path of paths) assertError(await gateway.get(path, bearer(other)), 'file_not_found');
  assertError(await remove(id, other), 'file_not_found');
  assert.equal((await gateway.get(`/v1/files/${id}`, bearer(key))).status, 200);
  assert.deepEqual((await remove(id, key)).body, { id, object: 'file', deleted: true });
  for (const path of paths) assertError(await gateway.get(path, bearer(key)), 'file_not_found');
  assertError(await remove(id, key), 'file_not_found');
  assert.deepEqual((await gateway.get('/v1/files', bearer(key))).body['data'], []);
  assert.equal(await gateway.blobs(), stored);
});

test('a file whose time is up is not there any more, before anything deletes it', async () => {
  const key = await customer();
  const id = await upload(key);
  await gateway.core.database.pool.query('update files set expires_at = clock_timestamp() where id = $1', [id]);
  assertError(await gateway.get(`/v1/files/${id}`, bearer(key)), 'file_not_found');
  assert.deepEqual((await gateway.get('/v1/files', bearer(key))).body['data'], []);
});

test('an upload is refused to an account that keeps all the files or bytes that it may', async () => {
  const key = await customer();
  const id = await upload(key);
  const stored = await gateway.blobs();
  const { pool } = gateway.core.database;
  await pool.query('update files set bytes = $2 where id = $1', [id, 100 * 1024 ** 3 - line.length + 1]);
  assertError(await send([['purpose', 'batch'], file(line, 'a.jsonl')], key), 'invalid_parameter', 'file');
  await pool.query('update files set bytes = 1 where id = $1', [id]);
  await pool.query(
    `insert into files select 'file-' || lpad(n::text, 32, '0'), account_id, key_id, purpose, filename, 1, blob, created_at
     from files, generate_series(1, 9999) n where id = $1`,
    [id],
  );
  assertError(await send([['purpose', 'batch'], file(line, 'a.jsonl')], key), 'invalid_parameter', 'file');
  const first = (await gateway.get('/v1/files', bearer(key))).body;
  assert.deepEqual([first['data'].length, first['has_more']], [10_000, false]);
  await pool.query('delete from files where id <> $1 and account_id = (select account_id from files where id = $1)', [id]); // oxfmt-ignore
  assert.equal(await gateway.blobs(), stored);
  await upload(key);
});
