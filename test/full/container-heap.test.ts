/** An API with the heap that the image sets outlives upstreams, callers and strangers who send what is made to fill it; other callers are served meanwhile. */
import assert from 'node:assert/strict';
import { after, before, test, type TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import { type ApiProcesses, startApiProcesses } from '../support/api-processes.ts';
import { hello } from '../support/chat-gateway.ts';
import { imageOf, readDockerfile } from '../support/compose.ts';
import { openSocket } from '../support/raw-http.ts';
import {
  type Answer,
  chatAnswer,
  chatEvent,
  openUpstream,
  type SeenRequest,
  type Upstream,
} from '../support/upstream.ts';

const MiB = 1024 * 1024;
const json = { 'content-type': 'application/json' };

let processes: ApiProcesses;
let upstream: Upstream;
let closeUpstream: () => Promise<void>;
let other: Record<string, string>;
/** Lets calls end that the upstream keeps waiting. */
let releaseAll: () => void = () => undefined;
before(async () => {
  ({ upstream, close: closeUpstream } = await openUpstream());
  const { NODE_OPTIONS } = imageOf(readDockerfile()).env;
  processes = await startApiProcesses(1, upstream.url, { NODE_OPTIONS });
  const released = new Promise<void>((resolve) => (releaseAll = resolve));
  upstream.answers((request) => answerTo(request, released));
  other = (await processes.newCustomer('1000')).headers;
});
after(async () => {
  releaseAll();
  await processes.stop();
  await closeUpstream();
});

/** 60 million bytes of empty lists: 60 kB in gzip, 2.3 GB parsed. */
const lists = `[${'[],'.repeat(20_000_000)}[]]`;
const whole = Buffer.from(`{"choices":[{"message":{"content":"Hi"}}],"x":${lists}}`);
const event = Buffer.from(
  chatEvent({ choices: [] }).replace('"choices":[]', `"choices":[{"x":${lists.slice(-15_000_000)}}]`),
);
const hostile = new Map<string, Answer>([
  ['whole', { headers: json, pieces: [whole] }],
  ['whole, gzip', { headers: { ...json, 'content-encoding': 'gzip' }, pieces: [gzipSync(whole)] }],
  ['event', { pieces: [event] }],
  ['event, gzip', { headers: { 'content-encoding': 'gzip' }, pieces: [gzipSync(event)] }],
]);

/** By the text of the first message, which is found without parsing what is large. */
function answerTo({ body }: SeenRequest, released: Promise<void>): Answer {
  const [, text = ''] = /"content":"([^"]*)"/.exec(body.toString('latin1', 0, 200)) ?? [];
  const usage = '"usage":{"prompt_tokens":9,"completion_tokens":3}';
  if (text === 'slow') return { headers: json, pieces: [`{"choices":[],${usage}`, released, '}'] };
  return hostile.get(text) ?? chatAnswer('Hi');
}

const api = () => processes.apis[0] ?? assert.fail('no API');

/** Another caller's calls, one after the other, as long as an attack lasts, and one more: each is served. */
async function servedDuring(t: TestContext, attack: Promise<unknown>): Promise<void> {
  const attacked = { isOver: false };
  const over = attack.finally(() => (attacked.isOver = true));
  const times: number[] = [];
  do {
    const startedAt = performance.now();
    const response = await api().open(other, hello);
    assert.equal(response.status, 200, await response.text());
    times.push(performance.now() - startedAt);
  } while (!attacked.isOver);
  await over;
  assert.equal((await api().open(other, hello)).status, 200);
  assert.equal(api().running.child.exitCode, null);
  t.diagnostic(`${times.length} calls of another caller, the slowest took ${Math.round(Math.max(...times))} ms`);
}

for (const [what] of hostile) {
  test(`six answers of millions of values at once are outlived: ${what}`, async (t) => {
    const { headers } = await processes.newCustomer('1000');
    const body = { ...hello, messages: [{ role: 'user', content: what }], stream: what.startsWith('event') };
    const call = async () => {
      const response = await api().open(headers, body);
      await response.text().catch(() => undefined);
      assert.ok(response.status >= 200);
    };
    await servedDuring(t, Promise.all(Array.from({ length: 6 }, call)));
  });
}

test('48 bodies of 120,000 objects, held by a slow upstream, are taken as far as they fit', async (t) => {
  const { headers } = await processes.newCustomer('100000');
  const objects = Array.from({ length: 120_000 }, (_, at) => ({ [`k${at}`]: 1 }));
  const body = JSON.stringify({ ...hello, messages: [{ role: 'user', content: 'slow' }], x: objects });
  const statuses = new Set<number>();
  const call = async () => {
    const response = await api().open(headers, body);
    statuses.add(response.status);
    await response.text();
  };
  const attack = Promise.all(Array.from({ length: 48 }, call));
  setTimeout(releaseAll, 5_000).unref();
  await servedDuring(t, attack);
  for (const status of statuses) assert.ok(status === 200 || status === 503 || status === 402, String(status));
});

for (const [who, path, bytes, connections, level] of [
  ['strangers without a key', '/console/api/session', 256 * 1024, 1_024, undefined],
  ['a caller who may only read', '/v1/quotes', 20 * MiB, 14, 'read'],
] as const) {
  test(`bodies that ${who} never end keep no other caller out`, async (t) => {
    const headers = level && (await processes.newCustomer('1', { level })).headers;
    const authorization = headers ? `Authorization: ${headers['Authorization'] ?? ''}\r\n` : '';
    const head = `POST ${path} HTTP/1.1\r\nHost: x\r\n${authorization}Content-Type: application/json\r\nContent-Length: ${bytes}\r\n\r\n`;
    const filling = Buffer.alloc(bytes - 1, ' ');
    const sockets = await Promise.all(Array.from({ length: connections }, () => openSocket(api().url)));
    try {
      const sent = sockets.map(
        (socket) =>
          new Promise<void>((resolve) => {
            socket.on('error', () => resolve()).resume();
            socket.write(head);
            socket.write(filling, () => resolve());
          }),
      );
      await servedDuring(t, Promise.all(sent));
    } finally {
      for (const socket of sockets) socket.destroy();
    }
  });
}
