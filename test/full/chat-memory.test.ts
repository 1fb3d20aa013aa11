/** What an API process takes of memory under large bodies, large events and slow readers: a few times what is under way. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { type ApiProcess, type ApiProcesses, startApiProcesses } from '../support/api-processes.ts';
import { chatPath, hello } from '../support/chat-gateway.ts';
import { chatAnswer, deltaEvent, doneEvent } from '../support/upstream.ts';

const mebibyte = 1024 * 1024;
const atOnce = 8;
const stream = JSON.stringify({ ...hello, stream: true });

// Not the usual stand-in: this one keeps no bodies and waits for its reader.
let respond: (response: ServerResponse) => void = (response) => {
  response.end();
};
const upstream = createServer((request, response) => {
  request.resume().on('end', () => {
    respond(response);
  });
});
const answerSoon = (response: ServerResponse) => {
  response.end(JSON.stringify(chatAnswer('Hi').json));
};

let made: ApiProcesses;
let api: ApiProcess;
let headers: Record<string, string>;
before(async () => {
  await once(upstream.listen(0, '127.0.0.1'), 'listening');
  made = await startApiProcesses(1, `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/v1`);
  api = made.apis[0] ?? assert.fail('there is none');
  ({ headers } = await made.newCustomer('1000000'));
  respond = answerSoon;
  await (await api.open(headers, hello)).text();
});
after(async () => {
  await made.stop();
  upstream.closeAllConnections();
  upstream.close();
});

const place = (file: string) => `/proc/${api.running.child.pid ?? assert.fail('it has ended')}/${file}`;

/** Of the API process, in bytes: what is resident now, or the most that was since `measured` was called. */
async function resident(which: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile(place('status'), 'utf8');
  return Number(new RegExp(`^${which}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) * 1024;
}

/** Starts a measurement: answers what is resident now, and makes it the most there was. */
async function measured(): Promise<number> {
  await writeFile(place('clear_refs'), '5');
  return resident('VmRSS');
}

test('a slow reader of a long stream holds its upstream back instead of filling the memory', async () => {
  const chunk = deltaEvent('x'.repeat(100_000));
  const chunks = 2_000;
  let sent = 0;
  respond = (response) => {
    void sendAll(response);
  };
  async function sendAll(response: ServerResponse) {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (; sent < chunks; sent++) if (!response.write(chunk)) await once(response, 'drain');
    response.end(deltaEvent(null, 'stop') + doneEvent);
  }
  // The first such stream leaves room for garbage: up to 230 MiB, by how fast it is read. The next ones use it again.
  await (await api.open(headers, stream)).arrayBuffer();
  sent = 0;
  const before = await measured();
  const { hostname, port } = new URL(api.url);
  const socket = connect(Number(port), hostname);
  socket.write(
    `POST ${chatPath} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: ${headers['Authorization'] ?? ''}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${stream.length}\r\n\r\n${stream}`,
  );
  for (let last = -1; sent === 0 || sent !== last;) {
    last = sent;
    await pause(300); // in which nothing more is taken
  }
  assert.ok(sent * chunk.length < 40 * mebibyte, `${sent} chunks were taken without a reader`);
  const grown = (await resident('VmRSS')) - before;
  assert.ok(grown < 64 * mebibyte, `${grown} bytes more are resident`);
  let bytes = 0;
  let tail = '';
  for await (const piece of socket) {
    bytes += (piece as Buffer).length;
    tail = (tail + String(piece)).slice(-100);
  }
  assert.ok(bytes > chunks * chunk.length);
  assert.match(tail, /data: \[DONE\]\n\n/);
  const most = (await resident('VmHWM')) - before;
  assert.ok(most < 128 * mebibyte, `${most} bytes more were resident`);
});

test('eight bodies of 15 MB at a time take a few times their size', async () => {
  respond = answerSoon;
  const url = `data:image/png;base64,${'A'.repeat(15_000_000)}`;
  const body = JSON.stringify({
    ...hello,
    messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }],
  });
  const before = await measured();
  for (let round = 0; round < 2; round++) {
    const answers = await Promise.all(Array.from({ length: atOnce }, () => api.open(headers, body)));
    for (const answer of answers) assert.equal(answer.status, 200, await answer.text());
  }
  const most = (await resident('VmHWM')) - before;
  assert.ok(most < 6 * atOnce * body.length, `${most} bytes more were resident`);
});

test('eight events of 10 MB at a time take a few times their size', async () => {
  const large = deltaEvent('x'.repeat(10 * mebibyte));
  respond = (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(large + deltaEvent(null, 'stop') + doneEvent);
  };
  const before = await measured();
  for (let round = 0; round < 2; round++) {
    const answers = await Promise.all(Array.from({ length: atOnce }, () => api.open(headers, stream)));
    for (const answer of answers) assert.ok((await answer.arrayBuffer()).byteLength > large.length);
  }
  const most = (await resident('VmHWM')) - before;
  assert.ok(most < 4 * atOnce * large.length, `${most} bytes more were resident`);
});
