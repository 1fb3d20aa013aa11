/** Over each bound 503 `overloaded`, with nothing held; reads and what operators look at are answered all the same. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { builtInConfiguration } from '../../../src/config/built-in.ts';
import { NativeConnection } from '@temporalio/worker';
import { startWorkerRole } from '../../../src/runtime/worker-role.ts';
import { type ChatGateway, chatPath, hello, startChatGateway } from '../../support/chat-gateway.ts';
import { freshDatabase, fromTestRun } from '../../support/database.ts';
import { assertError } from '../../support/errors.ts';
import { type Answer, bearer, startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { assertLedgerAddsUp } from '../../support/money.ts';
import { until } from '../../support/process.ts';
import { chatAnswer, chatStream, deltaEvent } from '../../support/upstream.ts';

const stream = { ...hello, stream: true };

function assertOverloaded(answer: Answer): void {
  assertError(answer, 'overloaded');
  assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
}

describe('a gateway with small bounds', () => {
  let chat: ChatGateway;
  before(async () => {
    chat = await startChatGateway({
      // Three bodies of seven values that are parsed at once take 4,500 bytes.
      bounds: { calls: 3, requests: 8, bodyBytes: 6_000, unknownBodyBytes: 16 * 4_096, followers: 1, uploads: 0 },
    });
  });
  after(() => chat.stop());

  test('refuses the call that is one too many, holds nothing for it, and answers the rest', async () => {
    const { gateway, first } = chat;
    const customer = await chat.customer();
    let go = () => {};
    const waits = new Promise<void>((resolve) => (go = resolve));
    const { pieces = [] } = chatStream(['Hi']);
    first.answers({ pieces: [deltaEvent('Hello'), waits, ...pieces] });
    const asked = first.requests.length;
    const open = await Promise.all([1, 2, 3].map(() => customer.open(stream, new AbortController().signal)));
    assert.deepEqual(
      open.map(({ status }) => status),
      [200, 200, 200],
    );
    assertOverloaded(await customer.post(hello));
    assert.equal(first.requests.length, asked + 3);
    const { rows } = await gateway.core.database.pool.query(`select 1 from holds where account_id = $1`, [
      customer.account,
    ]);
    assert.equal(rows.length, 3);
    for (const path of ['/healthz', '/readyz', '/metrics', '/v1/models', '/v1/account']) {
      assert.equal((await gateway.get(path)).status, 200, path);
    }
    go();
    await Promise.all(open.map((response) => response.text()));
    first.answers(chatAnswer('Hello!'));
    assert.equal((await customer.post(hello)).status, 200);
    await chat.assertAddsUp();
  });

  test('refuses a body that has no room before it is read, and gives the room of others back', async () => {
    const customer = await chat.customer();
    const { url } = chat.gateway;
    const text = 'x'.repeat(1_500);
    const large = { ...hello, messages: [{ role: 'user', content: text }] };
    for (let round = 0; round < 4; round++) assert.equal((await customer.post(large)).status, 200, `call ${round}`);
    const asked = chat.first.requests.length;
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const headers = { ...customer.headers, 'Content-Type': 'application/json', Expect: '100-continue' };
      const sent = httpRequest(`${url}${chatPath}`, {
        method: 'POST',
        headers: { ...headers, 'Content-Length': 6_001 },
      });
      sent.on('continue', () => reject(new Error('the body was asked for')));
      sent.on('response', (response) => {
        resolve(response.statusCode);
        sent.destroy();
      });
      sent.on('error', reject).flushHeaders();
    });
    assert.equal(status, 503);
    // One that doesn't say how long it is, is refused while it comes.
    const chunked = await chat.gateway.fetch(chatPath, {
      method: 'POST',
      headers: { ...customer.headers, 'Content-Type': 'application/json' },
      body: new Blob([JSON.stringify({ ...hello, pad: 'x'.repeat(7_000) })]).stream(),
      duplex: 'half',
    });
    assert.equal(chunked.status, 503);
    await chunked.text();
    assert.equal(chat.first.requests.length, asked);
    assert.equal((await customer.post(large)).status, 200);
  });

  test('gives bodies of callers that it does not know yet a small room of their own, 4 KiB each', async () => {
    const { gateway } = chat;
    const customer = await chat.customer();
    const signIn = (password: string) =>
      gateway.post('/console/api/session', { email: 'a@example.com', password }, { Origin: gateway.url });
    assertError(await signIn('x'.repeat(4_096)), 'request_too_large');
    const headers = { Origin: gateway.url, 'Content-Type': 'application/json', 'Content-Length': 4_096 };
    const hanging = httpRequest(`${gateway.url}/console/api/session`, { method: 'POST', headers });
    hanging.on('error', () => undefined).write('x'.repeat(4_095));
    await until('its bytes', () =>
      Promise.resolve(gateway.core.concurrencyLimits.unknownBodyBytes.taken === 4_095 || undefined),
    );
    assertOverloaded(await signIn('a'));
    assert.equal((await customer.post(hello)).status, 200);
    hanging.destroy();
    await until('room', async () => ((await signIn('a')).status === 401 ? true : undefined));
  });

  test('refuses followers of an Idempotency-Key beyond the bound', async () => {
    const customer = await chat.customer();
    const key = { 'Idempotency-Key': 'one' };
    let go = () => {};
    const waits = new Promise<void>((resolve) => (go = resolve));
    const json = JSON.stringify(chatAnswer('Hi').json);
    chat.first.answers({ headers: { 'content-type': 'application/json' }, pieces: [waits, json] });
    const asked = chat.first.requests.length;
    const leading = customer.post(hello, key);
    await chat.first.received(asked + 1);
    const followers = [customer.post(hello, key), customer.post(hello, key)];
    assertOverloaded(await Promise.race(followers));
    go();
    const statuses = (await Promise.all([leading, ...followers])).map(({ status }) => status);
    assert.deepEqual(statuses.sort(), [200, 200, 503]);
    chat.first.answers(chatAnswer('Hello!'));
  });

  test('refuses an upload beyond the bound, and any request beyond theirs but the probes', async () => {
    const { gateway, first } = chat;
    const blobs = await gateway.blobs();
    const form = new FormData();
    form.set('audio', new Blob(['RIFF']), 'voice.wav');
    const upload = await gateway.fetch('/v1/svctalk/generate', { method: 'POST', body: form });
    assert.equal(upload.status, 503);
    assert.equal(await gateway.blobs(), blobs);
    // Bodies that never end: each is a request, and none is a call yet.
    const customer = await chat.customer();
    const leaving = new AbortController();
    const hanging = Array.from({ length: 8 }, () => {
      const headers = { ...customer.headers, 'Content-Type': 'application/json', 'Content-Length': 100 };
      const sent = httpRequest(`${gateway.url}${chatPath}`, { method: 'POST', headers, signal: leaving.signal });
      sent.on('error', () => undefined).flushHeaders();
      return sent;
    });
    await until('the refusal', async () => ((await gateway.get('/v1/models')).status === 503 ? true : undefined));
    for (const path of ['/healthz', '/readyz', '/metrics']) assert.equal((await gateway.get(path)).status, 200, path);
    leaving.abort();
    for (const sent of hanging) sent.destroy();
    await until('room', async () => ((await gateway.get('/v1/models')).status === 200 ? true : undefined));
    assert.equal(first.requests.at(-1)?.path, '/v1/chat/completions');
  });

  test('requests that were sent ahead on a connection give their places back when it breaks', async () => {
    const { gateway, first } = chat;
    const customer = await chat.customer();
    first.answers({ pieces: [deltaEvent('Hello'), new Promise<void>(() => undefined)] });
    const { hostname, port } = new URL(gateway.url);
    const connection = connect(Number(port), hostname);
    const head = `HTTP/1.1\r\nHost: gateway\r\nAuthorization: Bearer ${customer.key}\r\n`;
    const body = JSON.stringify(stream);
    const json = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
    connection.write(`POST ${chatPath} ${head}${json}\r\n${body}`);
    // Answered one after the other, so not as long as the stream goes on.
    for (let ahead = 0; ahead < 7; ahead++) connection.write(`GET /v1/account ${head}\r\n`);
    await until('the refusal', async () => ((await gateway.get('/v1/models')).status === 503 ? true : undefined));
    connection.resetAndDestroy();
    await until('room', async () => ((await gateway.get('/v1/models')).status === 200 ? true : undefined));
    const leaving = new AbortController();
    const open = await Promise.all([1, 2].map(() => customer.open(stream, leaving.signal)));
    assert.deepEqual(
      open.map(({ status }) => status),
      [200, 200],
    );
    leaving.abort();
    first.answers(chatAnswer('Hello!'));
    await chat.assertAddsUp();
  });

  test('an account whose row is kept locked is refused within seconds; others are served, and it is served afterwards', async () => {
    const [locked, other] = [await chat.customer(), await chat.customer()];
    const client = await chat.gateway.core.database.longRunning.connect();
    try {
      await client.query('begin');
      await client.query('select 1 from accounts where id = $1 for update', [locked.account]);
      const [refused, served] = await Promise.all([locked.post(hello), other.post(hello)]);
      assertOverloaded(refused);
      assert.equal(served.status, 200);
    } finally {
      await client.query('rollback');
      client.release();
    }
    assert.equal((await locked.post(hello)).status, 200);
    assert.equal((await locked.settled()).entries.filter(({ type }) => type === 'hold').length, 1);
    await chat.assertAddsUp();
  });
});

describe('while Temporal is away', () => {
  const most = 40;
  let gateway: TestGateway;
  let drop: () => Promise<void>;
  before(async () => {
    const made = await freshDatabase();
    drop = () => made.drop();
    gateway = await startTestGateway({
      configuration: `${builtInConfiguration}\nlimits: { waiting_tasks: ${most} }\n`,
      servers: { databaseUrl: made.url, temporalAddress: '127.0.0.1:1' },
      worker: false,
    });
  });
  after(async () => {
    await gateway.stop();
    await drop();
  });

  const create = (headers: Record<string, string> = {}) =>
    gateway.post('/v1/images/generations', { model: 'sim-image', prompt: 'A storm' }, { Prefer: 'wait=0', ...headers });

  test('of 500 creations at once as many are accepted as may wait, nothing is held for the others, and all run when it is back', async () => {
    const kept = await create({ 'Idempotency-Key': 'kept' });
    const answers = [kept, ...(await Promise.all(Array.from({ length: 500 }, () => create())))];
    const accepted = answers.filter(({ status }) => status === 202);
    const refused = answers.filter(({ status }) => status !== 202);
    assert.ok(accepted.length <= most && accepted.length > most / 2, `${accepted.length} were accepted`);
    for (const answer of refused) assertOverloaded(answer);
    const { rows } = await gateway.core.database.pool.query<{ id: string }>(
      'select id from tasks order by created_at, id',
    );
    assert.deepEqual(rows.map(({ id }) => id).sort(), accepted.map(({ body }) => String(body['id'])).sort());
    const { held } = await gateway.money();
    assert.equal(held, Number((accepted.length * 0.2).toFixed(6)));
    // Up to the bound, and not beyond it. A count that meets tasks just being accepted may refuse some too early.
    const waiting = async () => (await gateway.core.database.pool.query('select 1 from tasks')).rowCount;
    await until('the bound', async () => {
      await create();
      return (await waiting()) === most ? true : undefined;
    });
    assertOverloaded(await create());
    assert.equal(await waiting(), most);
    assert.equal((await create({ 'Idempotency-Key': 'kept' })).body['id'], kept.body['id']);
    assertOverloaded(await create({ 'Idempotency-Key': 'new' }));
    assert.equal((await gateway.get(`/v1/images/generations/${String(kept.body['id'])}`)).status, 200);

    const connection = await NativeConnection.connect({ address: fromTestRun('TEMPORAL_ADDRESS') });
    const worker = await startWorkerRole(gateway.core, connection, 'default');
    try {
      const last = await until('room', async () => {
        const answer = await create({ 'X-Request-Id': randomBytes(6).toString('hex') });
        return answer.status === 202 ? answer : undefined;
      });
      for (const { body } of [...accepted, last]) {
        const { body: record } = await gateway.finished(`/v1/images/generations/${String(body['id'])}`);
        assert.equal(record['status'], 'succeeded');
      }
    } finally {
      await worker.stop();
      await connection.close();
    }
    await assertLedgerAddsUp(gateway.core.database, gateway.core.secrets.first.ledger);
    const { body } = await gateway.get('/v1/account', bearer(gateway.key));
    assert.equal(body['held'], 0);
  });
});
