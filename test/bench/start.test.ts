/** What the figures of starts rest on: steps are counted from the command, and an earlier start's line is not this one's. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { test } from 'node:test';
import { becomesReady, fromCommand } from '../../bench/start/npm-start.ts';
import { stepTable } from '../../bench/start/start.ts';
import { StartSteps } from '../../src/embedded/start-steps.ts';

const never = new AbortController().signal;

test('steps count from the command, with the time before the process as npm', () => {
  const time = '2026-01-01T00:00:10.000Z';
  const ready = { msg: 'ready', time, readyMs: 2_000, steps: [{ step: 'load', fromMs: 0, forMs: 300 }] } as const;
  const began = Date.parse(time) - 2_200;
  const steps = fromCommand({ ...ready, steps: [...ready.steps] }, began);
  assert.deepEqual(steps, [
    { step: 'npm', fromMs: 0, forMs: 200 },
    { step: 'load', fromMs: 200, forMs: 300 },
  ]);
  assert.deepEqual(fromCommand({ ...ready, steps: [...ready.steps] }, Date.parse(time)), [], 'of an earlier start');
  assert.match(stepTable([{ steps }]), /\| npm \| 0 \| 200 \|\n\| load \| 200 \| 300 \|/);
});

test('a server is ready with its first 200, and one that ended is not waited for', async () => {
  let asked = 0;
  const server = createServer((_request, response) => response.writeHead(++asked < 3 ? 503 : 200).end());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  try {
    await becomesReady(`http://127.0.0.1:${address.port}/`, { hasEnded: () => false, signal: never });
    assert.equal(asked, 3);
  } finally {
    server.close();
  }
  await assert.rejects(becomesReady('http://127.0.0.1:1/', { hasEnded: () => true, signal: never }), /It ended before/);
});

test('a step that fails is noted, too', async () => {
  const steps = new StartSteps();
  await assert.rejects(steps.during('database', () => Promise.reject(new Error('away'))));
  assert.deepEqual(
    steps.all.map(({ step }) => step),
    ['load', 'database'],
  );
});
