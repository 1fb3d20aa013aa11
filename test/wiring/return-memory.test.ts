/** What a start gives back: garbage that nothing else would collect for long, of every thread. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { returnMemory } from '../../src/runtime/return-memory.ts';

/** Makes garbage as it starts, and answers whether that is gone. Nothing else happens in it, so V8 leaves it for seconds. */
const idleThread = `
  const { parentPort } = require('node:worker_threads');
  const garbage = new WeakRef({});
  parentPort.on('message', () => parentPort.postMessage(garbage.deref() === undefined));
  parentPort.postMessage('begun');
`;

const threads: Worker[] = [];
after(() => Promise.all(threads.map((thread) => thread.terminate())));

async function startThread(): Promise<Worker> {
  const thread = new Worker(idleThread, { eval: true });
  threads.push(thread);
  await once(thread, 'message');
  return thread;
}

async function isCollected(thread: Worker): Promise<unknown> {
  thread.postMessage('is it gone?');
  const [answer] = await once(thread, 'message');
  return answer;
}

test('threads that do nothing collect their garbage, too', async () => {
  const [one, other] = [await startThread(), await startThread()];
  await returnMemory();
  assert.deepEqual([await isCollected(one), await isCollected(other)], [true, true]);
});

test('it ends where there are no threads', async () => {
  await Promise.all(threads.splice(0).map((thread) => thread.terminate()));
  await returnMemory();
});
