/** An API that is asked to stop: what it still serves, what it lets end, what it breaks off, and that nothing is left held. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { chatPath, type Customer, customerOf, hello, responsesPath } from '../support/chat-gateway.ts';
import { assertError } from '../support/errors.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { mp4, wav } from '../support/media.ts';
import { assertLedgerAddsUp } from '../support/money.ts';
import { chatAnswer, deltaEvent, doneEvent, openUpstream, responsesEvent, type Upstream } from '../support/upstream.ts';

const imagePath = '/v1/images/generations';
const stream = { ...hello, stream: true };
const image = { model: 'an-image', prompt: 'A gate' };

describe('an API that is asked to stop', () => {
  test('serves all for a while, then lets end what runs and begins nothing', () =>
    withGateway(async ({ gateway, upstream, customer }) => {
      const go = moment();
      upstream.answers({ pieces: [deltaEvent('Hello'), go.came, deltaEvent(' there', 'stop'), doneEvent] });
      const streaming = await RawConnection.open(gateway.url);
      streaming.send(customer, chatPath, stream);
      await streaming.received('Hello');
      const waiting = customer.post(image, {}, imagePath);
      const upload = await Upload.begin(gateway.url, customer);
      const unused = await RawConnection.open(gateway.url);
      await held(gateway, 2); // by the stream and by the image

      let hasStopped = false;
      const stopping = gateway.drain({ noticeMs: 3_000, graceMs: 60_000 }).then(() => (hasStopped = true));
      const asked = await fetch(`${gateway.url}/readyz`);
      assert.deepEqual([asked.status, asked.headers.get('connection')], [503, 'close']);
      upstream.answers(chatAnswer('Still here'));
      const served = await customer.post(hello);
      assert.deepEqual([served.status, served.headers.get('connection')], [200, 'close']);

      const waited = await waiting;
      assert.deepEqual([waited.status, waited.body['status']], [202, 'processing']);
      assert.equal(waited.headers.get('connection'), 'close');
      await unused.closed;
      await assert.rejects(RawConnection.open(gateway.url), { code: 'ECONNREFUSED' });
      const uploaded = await upload.finish();
      assert.deepEqual([uploaded.status, uploaded.connection], [200, 'close'], uploaded.body);
      streaming.send(customer, chatPath, hello);
      streaming.send(customer, imagePath, image); // after an answer that closes the connection
      await pause(100);
      assert.equal(hasStopped, false, 'it did not wait for the stream');
      go.come();
      await streaming.closed;
      const [whole = '', refused = '', ...more] = streaming.answers();
      assert.match(whole, / there[^]*data: \[DONE\]/);
      assert.match(refused, /^HTTP\/1\.1 503 [^]*^connection: close\r$/im);
      assert.match(refused, /^retry-after: 2\r$[^]*"code":"not_ready"/im);
      assert.deepEqual(more, []);
      await stopping;
      await assertNothingLeft(gateway, { tasks: 2 });
    }));

  test('refuses an upload that comes late before it is read', () =>
    withGateway(async ({ gateway, upstream, customer }) => {
      const go = moment();
      upstream.answers({ pieces: [deltaEvent('Hello'), go.came, doneEvent], ending: 'break' });
      const connection = await RawConnection.open(gateway.url);
      connection.send(customer, chatPath, stream);
      await connection.received('Hello');
      const stopping = gateway.drain({ noticeMs: 0, graceMs: 60_000 });
      await refusesConnections(gateway.url);
      connection.write(
        `POST /v1/svctalk/generate HTTP/1.1\r\nHost: gateway\r\nAuthorization: Bearer ${customer.key}\r\n` +
          'Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 500000000\r\n\r\n',
      );
      await pause(100);
      go.come();
      await connection.closed;
      assert.match(connection.answers()[1] ?? '', /^HTTP\/1\.1 503 [^]*"code":"not_ready"/);
      await stopping;
      await assertNothingLeft(gateway, { tasks: 0 });
    }));

  test('ends streams that last too long with an event, and charges what they produced', () =>
    withGateway(async ({ gateway, upstream, customer }) => {
      const created = responsesEvent('response.created', 0, { response: { id: 'resp_1', status: 'in_progress' } });
      const delta = responsesEvent('response.output_text.delta', 1, { delta: 'Hello there' });
      upstream.answers(
        { pieces: [deltaEvent('Hello there')], ending: 'stall' },
        { pieces: [created, delta], ending: 'stall' },
        { ending: 'stall-before' },
        { ending: 'stall-before' },
        { pieces: [deltaEvent('Hello there')], ending: 'stall' },
      );
      const chat = await RawConnection.open(gateway.url);
      chat.send(customer, chatPath, stream);
      await chat.received('there');
      const responses = await RawConnection.open(gateway.url);
      responses.send(customer, responsesPath, { model: 'code-one', input: 'Hello', stream: true });
      await responses.received('there');
      const unanswered = [customer.post(hello), customer.post(stream)];
      await upstream.received(4);
      const left = await RawConnection.open(gateway.url);
      left.send(customer, chatPath, { ...stream, model: 'chat-drained' });
      await left.received('there');
      left.leave();

      await gateway.drain({ noticeMs: 0, graceMs: 200 });
      await Promise.all([chat.closed, responses.closed]);
      const [received = ''] = chat.answers();
      assert.match(
        received,
        /there[^]*data: \{"error":\{"message":"[^"]+","type":"server_error","param":null,"code":"not_ready"/,
      );
      assert.doesNotMatch(received, /\[DONE\]/);
      assert.match(responses.answers()[0] ?? '', /there[^]*event: error\r?\ndata: \{"type":"error","code":"not_ready"/);
      for (const answer of await Promise.all(unanswered)) {
        assertError(answer, 'not_ready');
        assert.equal(answer.headers.get('retry-after'), '2');
      }
      await assertNothingLeft(gateway, { tasks: 0 });
      const { rows } = await gateway.core.database.pool.query<{ type: string; count: number }>(
        `select type, count(*)::int as count from entries where type in ('capture', 'release') group by type order by type`,
      );
      // What wasn't needed of a hold is released, too.
      assert.deepEqual(
        rows.map(({ type }) => type),
        ['capture', 'release'],
      );
      assert.equal(rows[0]?.count, 3, 'both streams, and the one whose caller had left');
    }));

  test('breaks off an upload that lasts too long, and deletes it', () =>
    withGateway(async ({ gateway, customer }) => {
      const upload = await Upload.begin(gateway.url, customer);
      await gateway.drain({ noticeMs: 0, graceMs: 200 });
      await assert.rejects(upload.finish());
      assert.equal(await gateway.blobs(), 0, 'what was uploaded is deleted');
      await assertNothingLeft(gateway, { tasks: 0 });
    }));
});

interface Bench {
  gateway: TestGateway;
  upstream: Upstream;
  customer: Customer;
}

async function withGateway(use: (bench: Bench) => Promise<void>): Promise<void> {
  const { upstream, close } = await openUpstream();
  const gateway = await startTestGateway({ configuration: configurationOf(upstream.url), worker: false });
  try {
    const customer = customerOf(gateway, await gateway.newKey({ balance: '100', level: 'standard' }));
    await use({ gateway, upstream, customer });
  } finally {
    await gateway.stop();
    await close();
  }
}

/** Calls are settled, the lease is given back; of the tasks that were accepted the holds stay. */
async function assertNothingLeft({ core }: TestGateway, { tasks }: { tasks: number }): Promise<void> {
  const { rows } = await core.database.pool.query(
    `select (select count(*)::int from holds where state = 'held') as held,
       (select count(*)::int from tasks) as tasks, (select count(*)::int from owners) as owners`,
  );
  assert.deepEqual(rows, [{ held: tasks, tasks, owners: 0 }]);
  await assertLedgerAddsUp(core.database, core.secrets.first.ledger);
}

async function held({ core }: TestGateway, count: number): Promise<void> {
  for (let tries = 0; tries < 1_000; tries++) {
    const { rowCount } = await core.database.pool.query(`select 1 from holds where state = 'held'`);
    if (rowCount === count) return;
    await pause(20);
  }
  assert.fail(`there are not ${count} holds`);
}

async function refusesConnections(url: string): Promise<void> {
  for (let tries = 0; tries < 1_000; tries++) {
    const connection = await RawConnection.open(url).catch(() => undefined);
    if (!connection) return;
    connection.leave();
    await pause(20);
  }
  assert.fail('connections are still taken');
}

/** Something that a test lets happen. */
function moment() {
  let come: () => void = () => undefined;
  const came = new Promise<void>((resolve) => {
    come = resolve;
  });
  return { come, came };
}

/** A connection with the bytes that came on it. */
class RawConnection {
  readonly #socket;
  readonly closed: Promise<unknown>;
  #seen = '';

  static async open(url: string): Promise<RawConnection> {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    await once(socket, 'connect');
    return new RawConnection(socket);
  }

  private constructor(socket: ReturnType<typeof connect>) {
    this.#socket = socket;
    this.closed = new Promise((resolve) => socket.once('close', resolve));
    socket.on('error', () => undefined); // what matters is what came before it
    socket.setEncoding('utf8').on('data', (piece: string) => (this.#seen += piece));
  }

  send({ key }: Customer, path: string, body: unknown): void {
    const bytes = JSON.stringify(body);
    this.write(
      `POST ${path} HTTP/1.1\r\nHost: gateway\r\nAuthorization: Bearer ${key}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(bytes)}\r\n\r\n${bytes}`,
    );
  }

  write(bytes: string): void {
    this.#socket.write(bytes);
  }

  async received(what: string): Promise<void> {
    while (!this.#seen.includes(what)) await once(this.#socket, 'data');
  }

  leave(): void {
    this.#socket.destroy();
  }

  /** One after the other, each with its head. */
  answers(): string[] {
    return this.#seen.split(/(?=HTTP\/1\.1 )/);
  }
}

/** An avatar-talk creation of which the end is still to be sent. */
class Upload {
  static async begin(url: string, { key }: Customer): Promise<Upload> {
    const form = new FormData();
    form.set('audio', new Blob([wav({ seconds: 1, samplesPerSecond: 8_000 })]), 'voice.wav');
    form.set('video', new Blob([await mp4({ seconds: 1, hasAudio: false })]), 'footage.mp4');
    const encoded = new Response(form);
    const type = encoded.headers.get('content-type') ?? '';
    const bytes = Buffer.from(await encoded.arrayBuffer());
    const call = request(`${url}/v1/svctalk/generate`, {
      method: 'POST',
      agent: false,
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': type,
        'content-length': bytes.length,
        expect: '100-continue',
      },
    });
    const answered = once(call, 'response');
    answered.catch(() => undefined); // it is looked at later
    call.flushHeaders();
    await once(call, 'continue');
    call.write(bytes.subarray(0, bytes.length / 2));
    return new Upload(call, answered, bytes.subarray(bytes.length / 2));
  }

  readonly #call;
  readonly #answered;
  readonly #rest: Buffer;

  private constructor(call: ReturnType<typeof request>, answered: Promise<unknown[]>, rest: Buffer) {
    this.#call = call;
    this.#answered = answered;
    this.#rest = rest;
  }

  async finish() {
    this.#call.end(this.#rest);
    const [answer] = (await this.#answered) as [IncomingMessage];
    return { status: answer.statusCode, connection: answer.headers.connection, body: await text(answer) };
  }
}

const configurationOf = (url: string): string => `
providers:
  first: { kind: openai, base_url: '${url}' }
  simulator: { kind: simulator }
models:
  - id: chat-one
    kind: chat
    routes: [{ provider: first, model: upstream-one }]
    price: { input_per_million: 1000, output_per_million: 1000 }
  - id: chat-drained
    kind: chat
    routes: [{ provider: first, model: upstream-one }]
    price: { input_per_million: 1000, output_per_million: 1000 }
    on_disconnect: drain
  - id: code-one
    kind: code
    routes: [{ provider: first, model: upstream-code }]
    price: { input_per_million: 1000, output_per_million: 1000 }
  - id: an-image
    kind: image
    routes: [{ provider: simulator, model: sim-image }]
    price: { per_image: 1 }
  - id: a-talk
    kind: avatar-talk
    routes: [{ provider: simulator, model: sim-avatar-talk }]
    price: { per_second: 1 }
`;
