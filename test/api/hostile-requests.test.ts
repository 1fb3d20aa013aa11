/** Requests that no client would send, as bytes: each is read in one way or refused, once, and its connection ends. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import Koa from 'koa';
import { serve } from '../../src/api/server/server.ts';
import type { RequestState } from '../../src/api/context.ts';
import { sharedTestGateway, type TestGateway } from '../support/gateway.ts';
import { exchange, openSocket, type RawAnswer } from '../support/raw-http.ts';

let gateway: TestGateway;
before(async () => {
  gateway = await sharedTestGateway();
});
after(() => gateway.stop());

const quote = '{"path":"/images/generations","body":{"model":"sim-image","prompt":"x","size":"1024x1024"}}';
const hex = quote.length.toString(16);
const chunked = `${hex}\r\n${quote}\r\n0\r\n\r\n`;
const auth = () => `Authorization: Bearer ${gateway.key}\r\n`;
/** The request that an attacker would smuggle in. */
const next = () => `GET /v1/account HTTP/1.1\r\nHost: x\r\n${auth()}\r\n`;
const get = (target: string, headers = '') => `GET ${target} HTTP/1.1\r\nHost: x\r\n${auth()}${headers}\r\n`;
const post = (headers: string, body: string) =>
  `POST /v1/quotes HTTP/1.1\r\nHost: x\r\n${auth()}Content-Type: application/json\r\n${headers}\r\n${body}`;
const te = 'Transfer-Encoding: chunked\r\n';
const length = `Content-Length: ${quote.length}\r\n`;

function assertRefused(answers: readonly RawAnswer[], closed: boolean, status: number): void {
  assert.deepEqual([answers.map((answer) => answer.status), closed], [[status], true]);
  const [answer] = answers;
  const { error } = JSON.parse(String(answer?.body)) as { error: { message: string } };
  assert.deepEqual(error, { message: error.message, type: 'invalid_request_error', param: null, code: null });
  assert.match(answer?.headers.get('content-type') ?? '', /^application\/json/);
  assert.match(answer?.headers.get('x-request-id') ?? '', /^req_/);
  assert.equal(answer?.headers.get('connection'), 'close');
}

// Behind each is a second request: a server that answered it would have read the first one differently than its sender meant.
const refused: Record<string, () => string> = {
  'a length and chunks': () => post(`Content-Length: ${chunked.length}\r\n${te}`, chunked),
  'chunks and a length': () => post(`${te}Content-Length: 4\r\n`, chunked),
  'a coding that is nearly chunked': () => post('Transfer-Encoding: xchunked\r\n', chunked),
  'a coding in quotes': () => post('Transfer-Encoding: "chunked"\r\n', chunked),
  'a coding after a vertical tab': () => post('Transfer-Encoding: \vchunked\r\n', chunked),
  'a coding on the next line': () => post('Transfer-Encoding:\r\n chunked\r\n', chunked),
  'a coding after chunked': () => post('Transfer-Encoding: chunked, identity\r\n', chunked),
  'a coding before chunked': () => post('Transfer-Encoding: gzip, chunked\r\n', chunked),
  'no coding by name, and a length': () => post(`Transfer-Encoding: identity\r\n${length}`, quote),
  'chunked twice': () => post(te + te, chunked),
  'a space before the colon': () => post('Transfer-Encoding : chunked\r\n', chunked),
  'two lengths': () => post(`${length}Content-Length: 5\r\n`, quote),
  'the same length twice': () => post(length + length, quote),
  'a list of lengths': () => post(`Content-Length: ${quote.length}, ${quote.length}\r\n`, quote),
  'a length with a sign': () => post(`Content-Length: +${quote.length}\r\n`, quote),
  'a negative length': () => post('Content-Length: -1\r\n', quote),
  'a hexadecimal length': () => post('Content-Length: 0x10\r\n', quote),
  'an empty length': () => post('Content-Length: \r\n', quote),
  'a length above 2^64': () => post('Content-Length: 18446744073709551617\r\n', quote),
  'a folded header': () => post(`X-A: a\r\n b\r\n${length}`, quote),
  'a line that ends in LF': () => post(`X-A: a\n${length}`, quote),
  'lines that end in LF': () => post(length, quote).replaceAll('\r\n', '\n'),
  'a CR in a header': () => post(`X-A: a\r${length}`, quote),
  'a NUL in a header': () => post(`X-A: a\0b\r\n${length}`, quote),
  'a header without a colon': () => post(`nonsense\r\n${length}`, quote),
  'a header without a name': () => post(`: a\r\n${length}`, quote),
  'a chunk of 2^64 bytes': () => post(te, `10000000000000000\r\n${quote}\r\n0\r\n\r\n`),
  'a chunk of a negative size': () => post(te, `-1\r\n${quote}\r\n0\r\n\r\n`),
  'a chunk of a size with 0x': () => post(te, `0x${chunked}`),
  'a space behind the size of a chunk': () => post(te, `${hex} \r\n${quote}\r\n0\r\n\r\n`),
  'chunks in lines that end in LF': () => post(te, `${hex}\n${quote}\n0\n\n`),
  'an extension that ends in LF': () => post(te, `${hex};\n${quote}\r\n0\r\n\r\n`),
  'a chunk without its end': () => post(te, `${hex}\r\n${quote}XX0\r\n\r\n`),
  'a length among the trailers': () => post(te, `${hex}\r\n${quote}\r\n0\r\nContent-Length: 5\r\n\r\n`),
  'a method that there is not': () => get('/v1/account').replace('GET', 'GOT'),
  'a method in small letters': () => get('/v1/account').replace('GET', 'get'),
  'a tunnel': () => get('inside:22').replace('GET', 'CONNECT'),
  'a target of another scheme': () => get('javascript:alert(1)'),
  'a space before it': () => ` ${get('/v1/account')}`,
  'no host': () => get('/v1/account').replace('Host: x\r\n', ''),
  'two hosts': () => get('/v1/account', 'Host: y\r\n'),
  'a host with a path': () => get('/v1/account').replace('Host: x', 'Host: x/../y'),
  'a host with credentials': () => get('/v1/account').replace('Host: x', 'Host: a@b'),
  'HTTP/0.9': () => 'GET /v1/account\r\n\r\n',
  'HTTP/1.2': () => get('/v1/account').replace('HTTP/1.1', 'HTTP/1.2'),
  'HTTP/2.0': () => get('/v1/account').replace('HTTP/1.1', 'HTTP/2.0'),
  'the preface of HTTP/2': () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  TLS: () => '\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03',
};
for (const [what, request] of Object.entries(refused)) {
  test(`a request with ${what} is refused once, and nothing behind it is read`, async () => {
    const { answers, rest, closed } = await exchange(gateway.url, request() + next());
    assertRefused(answers, closed, 400);
    assert.equal(rest.length, 0);
  });
}

for (const [what, status, request] of [
  ['20 KB of one header', 431, () => get('/v1/account', `X-A: ${'a'.repeat(20_000)}\r\n`)],
  ['3,000 headers', 431, () => get('/v1/account', Array.from({ length: 3_000 }, (_, at) => `a${at}: b\r\n`).join(''))],
  ['a target of 20 KB', 431, () => get(`/v1/${'a'.repeat(20_000)}`)],
  ['20 KB of a trailer', 431, () => post(te, `${hex}\r\n${quote}\r\n0\r\nX-A: ${'a'.repeat(20_000)}\r\n\r\n`)],
  ['100 KB of chunk extensions', 413, () => post(te, `${hex};a=${'b'.repeat(100_000)}\r\n${quote}\r\n0\r\n\r\n`)],
] as const) {
  test(`a request with ${what} is refused with ${status}`, async () => {
    const { answers, closed } = await exchange(gateway.url, request());
    assertRefused(answers, closed, status);
  });
}

for (const [what, statuses, request] of [
  ['two requests at once', [200, 200], () => next() + next()],
  ['fifty requests at once', Array<number>(50).fill(200), () => next().repeat(50)],
  ['chunks with extensions', [200, 200], () => post(te, `${hex};a=b\r\n${quote}\r\n0;c="d"\r\n\r\n`) + next()],
  [
    'a GET with a body that looks like a request',
    [200, 200],
    () => get('/v1/account', `Content-Length: ${next().length}\r\n`) + next() + next(),
  ],
  ['a length with zeros before it', [200, 200], () => post(`Content-Length: 000${quote.length}\r\n`, quote) + next()],
  ['CHUNKED', [200, 200], () => post('Transfer-Encoding: CHUNKED\r\n', chunked) + next()],
  ['an offer of HTTP/2', [200], () => get('/v1/account', 'Connection: Upgrade\r\nUpgrade: h2c\r\n')],
  ['an offer of WebSocket', [200], () => get('/v1/account', 'Connection: Upgrade\r\nUpgrade: websocket\r\n') + next()],
  ['an unknown expectation', [200], () => post(`Expect: a miracle\r\n${length}`, quote)],
  ['an absolute target, whose host means nothing', [200], () => get('http://elsewhere:1/v1/account')],
  [
    'absolute targets whose host makes no sense',
    [200, 200, 404],
    () => get('http://[/v1/account') + get('http://xn--a/v1/account') + get('http://['),
  ],
  ['two slashes, a backslash, a star', [404, 404, 404], () => get('//v1/account') + get('/v1\\account') + get('*')],
  [
    'the first of two keys',
    [401],
    () => `GET /v1/account HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer none\r\n${auth()}\r\n`,
  ],
  ['nonsense behind it', [200], () => `${next()}NONSENSE\r\n\r\n`],
  ['more behind the last one', [200], () => get('/v1/account', 'Connection: close\r\n') + next()],
  ['a length of 2^53', [413], () => post('Content-Length: 9007199254740993\r\n', quote)],
] as const) {
  test(`${what}: as many answers as requests`, async () => {
    const { answers, rest } = await exchange(gateway.url, request());
    assert.deepEqual(
      answers.map(({ status }) => status),
      statuses,
    );
    assert.equal(rest.length, 0);
  });
}

describe('a server with short times', () => {
  let server: Awaited<ReturnType<typeof serve>>;
  let url: string;
  before(async () => {
    const app = new Koa<RequestState>();
    app.use((ctx) => {
      ctx.body = 'here';
    });
    server = await serve(app, { host: '127.0.0.1', port: 0, headersMs: 300, restMs: 300 });
    url = `http://127.0.0.1:${server.port}`;
  });
  after(() => server.close(0, () => undefined));

  test('refuses headers that drip with 408', async () => {
    const socket = await openSocket(url);
    const pieces: Buffer[] = [];
    socket.on('data', (piece: Buffer) => pieces.push(piece));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    const drip = setInterval(() => socket.write('a'), 20);
    socket.write('GET / HTTP/1.1\r\nX-A: ');
    await closed;
    clearInterval(drip);
    assert.match(Buffer.concat(pieces).toString(), /^HTTP\/1\.1 408 [^]*"type":"invalid_request_error"/);
  });

  test('ends a connection on which nothing ever comes', async () => {
    const socket = await openSocket(url);
    await new Promise((resolve) => socket.resume().once('close', resolve));
  });

  test('ends a connection whose caller was answered and goes on dripping its body', async () => {
    const socket = await openSocket(url);
    const closed = new Promise((resolve) => socket.resume().once('close', resolve));
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n');
    const drip = setInterval(() => socket.write('a'), 20);
    await closed;
    clearInterval(drip);
  });
});

test('a caller that was refused and goes on sending as fast as it can is cut off long before a gibibyte', async () => {
  const socket = await openSocket(gateway.url);
  const closed = new Promise<void>((resolve) => socket.resume().once('close', () => resolve()));
  socket.write('POST /nowhere HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n');
  const chunk = Buffer.concat([Buffer.from('100000\r\n'), Buffer.alloc(0x100000), Buffer.from('\r\n')]);
  let chunks = 0;
  for (; chunks < 1_024 && !socket.destroyed; chunks++) {
    if (!socket.write(chunk)) await Promise.race([closed, new Promise((resolve) => socket.once('drain', resolve))]);
  }
  assert.ok(chunks < 1_024, `${chunks} MiB were taken`);
});

test('requests are served while hundreds of connections are idle, half open or half sent', async () => {
  const sockets = await Promise.all(Array.from({ length: 400 }, () => openSocket(gateway.url)));
  for (const [at, socket] of sockets.entries()) {
    if (at % 4 === 1) socket.write('GET /v1/acc');
    if (at % 4 === 2) socket.write(`POST /v1/quotes HTTP/1.1\r\nHost: x\r\n${auth()}Content-Length: 10\r\n\r\n{`);
    if (at % 4 === 3) socket.end();
  }
  for (let times = 0; times < 20; times++) assert.equal((await gateway.get('/v1/account')).status, 200);
  for (const socket of sockets) socket.destroy();
  await pause(50);
  assert.equal((await gateway.get('/v1/account')).status, 200);
});

test('an address that a proxy may keep from the outside by its name has no second form', async () => {
  for (const path of ['/metrics', '/healthz', '/readyz', '/openapi.json', '/api/models/health']) {
    assert.equal((await fetch(`${gateway.url}${path}`)).status, 200, path);
    for (const other of [`${path}/`, `/${path}`, `${path}//`, path.toUpperCase()])
      assert.equal((await fetch(`${gateway.url}${other}`)).status, 404, other);
  }
});
