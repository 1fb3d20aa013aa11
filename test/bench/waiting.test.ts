/** What the figures of the waiting benchmark rest on: its callers' schedule and clock, its delays, its probe, its verdicts. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { test } from 'node:test';
import { z } from 'zod';
import { burstPauseMs, endOf, runCallers } from '../../bench/waiting/callers.ts';
import { delays, timesOf } from '../../bench/waiting/ends.ts';
import { type Load, memorySchema } from '../../bench/waiting/messages.ts';
import { tableOf, verdictsOf } from '../../bench/waiting/report.ts';
import type { Rest, Round } from '../../bench/waiting/round.ts';
import { nextMessage } from '../../bench/children.ts';
import { root } from '../../bench/report.ts';

const socketMessage = z.object({ socket: z.instanceof(Socket) });
const load: Load = {
  ...{ url: 'http://127.0.0.1:1', key: 'sk-tg-test', callers: 10, comingPerSecond: 1_000 },
  ...{ spread: 8, endingPerSecond: 100, firstEndMs: 0, limitMs: 0 },
};

test('the first callers end one after another, the others at one time after them', () => {
  const ends = Array.from({ length: 10 }, (_, number) => endOf(load, number));
  assert.deepEqual(ends.slice(0, 8), [0, 10, 20, 30, 40, 50, 60, 70]);
  assert.deepEqual(ends.slice(8), [80 + burstPauseMs, 80 + burstPauseMs]);
});

test('with the defaults no caller waits for longer than an answer may take, even if the machine ends 40 tasks a second', () => {
  const wanted = { callers: 5_000, comingPerSecond: 30, endingPerSecond: 30 };
  const { spread, firstEndAfterMs, lastEndAfterMs } = timesOf(wanted);
  const timed = { ...load, ...wanted, spread, firstEndMs: firstEndAfterMs };
  for (let number = 0; number < wanted.callers; number++) {
    const inBurstMs = number < spread ? 0 : (wanted.callers - spread) * 25; // any may be the last
    const waitMs = endOf(timed, number) + inBurstMs - (number * 1_000) / 30;
    assert.ok(waitMs < 300_000, `caller ${number} waits ${waitMs} ms`);
  }
  assert.equal(endOf(timed, 4_999), lastEndAfterMs);
});

test('callers ask for a task that ends when planned, and note the first byte of an answer that comes in pieces', async () => {
  const asked: { delayMs: number; atMs: number; key: string | undefined }[] = [];
  let restMs = 0;
  const connected = new Map<number | undefined, Socket>();
  const noteSocket = (message: unknown) => {
    const { socket } = socketMessage.parse(message);
    socket.once('connect', () => connected.set(socket.localPort, socket));
  };
  subscribe('net.client.socket', noteSocket);
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const delayMs = Number(/\[sim:delay=(\d+)ms\]/.exec(Buffer.concat(parts).toString())?.[1]);
      asked.push({ delayMs, atMs: Date.now(), key: request.headers.authorization });
      const number = asked.length;
      if (number === 3) return void request.socket.destroy();
      response.writeHead(number === 2 ? 503 : 200, { 'Content-Type': 'application/json' });
      response.write(`{"id":"img_${number}"`, () => {
        if (number === 2) response.end('}');
      });
      // The rest of the first one goes when its caller has its beginning.
      if (number === 1) {
        connected.get(request.socket.remotePort)?.once('data', () => {
          setTimeout(() => {
            restMs = Date.now();
            response.end('}');
          }, 20);
        });
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  try {
    const firstEndMs = Date.now() + 5_000;
    const asking = { callers: 3, spread: 3, comingPerSecond: 20, firstEndMs, limitMs: Date.now() + 20_000 };
    const { answers, faults } = await runCallers({ ...load, ...asking, url: `http://127.0.0.1:${address.port}` });
    const found = new Map(answers.map((answer) => [answer.id, answer]));
    assert.deepEqual([found.get('img_1')?.status, found.get('img_2')?.status, answers.length], [200, 503, 2]);
    assert.equal(faults.length, 1);
    const { firstByteMs = 0, isSpread } = found.get('img_1') ?? {};
    assert.ok(isSpread);
    assert.ok(firstByteMs > 0 && firstByteMs < restMs, 'not when the answer was whole');
    for (const [number, { delayMs, atMs, key }] of asked.entries()) {
      assert.ok(delayMs + atMs >= endOf({ ...load, ...asking }, number) - 1);
      assert.equal(key, 'Bearer sk-tg-test');
    }
  } finally {
    unsubscribe('net.client.socket', noteSocket);
    server.close();
  }
});

test('who still waits at the limit is cut off', async () => {
  const server = createServer(() => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  try {
    const url = `http://127.0.0.1:${address.port}`;
    const { answers, faults } = await runCallers({ ...load, url, callers: 2, limitMs: Date.now() + 100 });
    assert.deepEqual([answers.length, faults], [0, Array(2).fill('cut off by the time limit')]);
  } finally {
    server.close();
  }
});

test('a delay goes from the end of the task to the first byte; who got a 202 has none, nor whose task did not succeed', () => {
  const answers = Array.from({ length: 101 }, (_, number) => ({
    ...{ id: `img_${number}`, status: 200, isSpread: true },
    firstByteMs: 1_000 + number * 10 + (number + 1),
  }));
  const ended = new Map(answers.slice(0, 100).map(({ id }, number) => [id, 1_000 + number * 10]));
  const waitedOut = { id: 'img_late', status: 202, isSpread: true, firstByteMs: 500 };
  const { count, p50, p99, max, rate } = delays([...answers, waitedOut], new Map([...ended, ['img_late', 900]]));
  assert.deepEqual([count, p50, p99, max], [100, 50, 99, 100]);
  assert.equal(Math.round(rate), 101);
});

test('the probe says what is live after a collection, and lets its process end', async () => {
  const probe = pathToFileURL(join(root, 'bench', 'waiting', 'probe.mjs')).href;
  const program = `let kept = Buffer.alloc(64 * 2 ** 20, 1); process.on('SIGUSR2', () => { kept = undefined; process.send('dropped'); });
    const alive = setInterval(() => {}, 1000); process.once('SIGTERM', () => clearInterval(alive)); process.send('up');`;
  const child = spawn(process.execPath, ['--expose-gc', '--import', probe, '-e', program], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  try {
    const said = async (ask: () => unknown) => {
      const answer = nextMessage(child);
      ask();
      return await answer;
    };
    assert.equal(await nextMessage(child), 'up');
    const look = async () => memorySchema.parse(await said(() => child.send('look')));
    const full = await look();
    await said(() => child.kill('SIGUSR2'));
    const empty = await look();
    for (const part of ['live', 'resident'] as const) assert.ok(full[part] - empty[part] > 60 * 2 ** 20, part);
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    assert.deepEqual(await exited, [0, null]);
  } finally {
    child.kill('SIGKILL');
  }
});

test('medians of the rounds are judged, memory at 5,000 callers only, and a caller without a finished task spoils all', () => {
  const rest = (MB: number): Rest => ({
    memory: { resident: MB * 2 ** 20, live: MB * 2 ** 20 },
    ...{ apiCores: 0, postgresCores: 0, workerCores: 0, temporalCores: 0 },
  });
  const round = (callers: number, usedMB: number, p99: number, wrong: string[] = []): Round => {
    const figures = { count: callers, p50: 1, p99, max: p99, rate: 25 };
    return {
      ...{ callers, comingPerSecond: 40, endingPerSecond: 25, round: 1, empty: rest(100), full: rest(100 + usedMB) },
      ...{ spread: figures, burst: figures, unsent: 0, waitedOut: 0, wrong },
    };
  };
  const judged = (...rounds: Round[]) => verdictsOf(rounds).map(({ holds }) => holds);
  assert.deepEqual(judged(round(1_000, 90, 100), round(5_000, 50, 100)), [true, true, true, true]);
  assert.deepEqual(judged(round(5_000, 98, 50), round(5_000, 98, 101), round(5_000, 98, 101)), [false, false, true]);
  assert.deepEqual(judged(round(5_000, 50, 10), round(5_000, 50, 10), round(5_000, 500, 900)), [true, true, true]);
  assert.deepEqual(judged(round(5_000, 50, 10, ['status 202'])), [true, true, false]);
  assert.match(tableOf([round(5_000, 50, 10)]), /^\| 5,000 \| 10\.2 \| 10\.2 \|/m);
});
