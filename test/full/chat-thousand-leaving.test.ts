/** A thousand callers that leave in the middle of their streams: no socket, no hold and no memory stays behind. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type ChatGateway, chatPath, type Customer, hello, startChatGateway } from '../support/chat-gateway.ts';
import { deltaEvent } from '../support/upstream.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const wave = 250;
const waves = 4;
/** Of heap for each caller: 1,900 were measured, fewer with each wave; a call that is kept takes ten times as much. */
const heapBytesMax = 4_096;
/** What the gateway and its test keep open to the database and to each other; the pools' sizes go up and down. */
const socketsMax = 30;

let chat: ChatGateway;
before(async () => {
  chat = await startChatGateway();
});
after(() => chat.stop());

test('a thousand callers that leave mid-stream leave no socket, no hold and no memory behind', async () => {
  const customer = await chat.customer('10000');
  chat.first.answers({ pieces: [deltaEvent('Hello')], ending: 'stall' });
  // What pools and caches keep for good is made by the first ones.
  await leaveTogether(customer);
  const heap = await heapBytes();
  for (let index = 0; index < waves; index++) await leaveTogether(customer);
  const grown = (await heapBytes()) - heap;
  assert.ok(grown < heapBytesMax * wave * waves, `the heap grew by ${grown} bytes`);
  assert.ok(openSockets() < socketsMax, `${openSockets()} sockets are open`);
  await chat.first.hungUp();
  // Each paid for its input of three tokens and the one that it got.
  assert.equal((await customer.settled()).balance, 10_000 - (wave * (waves + 1) * 4) / 1000);
});

test('the ledger adds up', () => chat.assertAddsUp());

/** A wave of callers that read a chunk and hang up, until the last trace of them is gone. */
async function leaveTogether(customer: Customer): Promise<void> {
  const before = chat.first.aborted;
  await Promise.all(Array.from({ length: wave }, () => leaveAfterFirstChunk(customer)));
  await chat.first.abortions(before + wave);
  await chat.first.hungUp();
  await customer.settled();
  chat.first.requests.length = 0; // the stand-in remembers them
}

/** On a bare socket: a thousand clients of another kind would cost more than the gateway. */
async function leaveAfterFirstChunk({ key }: Customer): Promise<void> {
  const body = JSON.stringify({ ...hello, stream: true });
  const { hostname, port } = new URL(chat.gateway.url);
  const socket = connect(Number(port), hostname);
  socket.write(
    `POST ${chatPath} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  let text = '';
  for await (const piece of socket) {
    text += String(piece);
    if (text.includes('Hello')) break; // which destroys the socket
  }
  assert.match(text, /^HTTP\/1.1 200 /);
}

/** Of this whole process: callers, gateway, upstream and database. */
const openSockets = (): number => process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;

async function heapBytes(): Promise<number> {
  for (let round = 0; round < 3; round++) {
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
  }
  return process.memoryUsage().heapUsed;
}
