import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { upscale } from '../../src/simulator/encoding/upscale.ts';
import { png } from '../support/media.ts';
import { imageJob } from '../support/jobs.ts';
import { finish, signal, withSimulator } from '../providers/simulator-support.ts';

const mebibyte = 1_048_576;
/** What the design allows for an image in 8k, of which the pixels alone are 192 MiB. */
const growthMax = 50 * mebibyte;

/** How far the memory of this process rises above where it stood, sampled while `use` runs. */
async function growthDuring(use: () => Promise<void>): Promise<number> {
  const before = process.memoryUsage.rss();
  let peak = before;
  const sampling = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 2);
  try {
    await use();
  } finally {
    clearInterval(sampling);
  }
  return peak - before;
}

test('a card of 8192x8192 takes less than 50 MiB', () =>
  withSimulator(async ({ simulator }) => {
    const job = imageJob({ pixels: { mode: 'sized', width: 8192, height: 8192 } });
    let bytes = 0;
    const growth = await growthDuring(async () => {
      const poll = await finish(simulator, job);
      assert.ok(poll.state === 'succeeded' && poll.parts[0] !== undefined);
      for await (const piece of await poll.parts[0].open(signal)) bytes += (piece as Buffer).length;
    });
    assert.ok(bytes > 100_000);
    assert.ok(growth < growthMax, `grew by ${Math.round(growth / mebibyte)} MiB`);
  }));

test('upscaling to 8192x8192 takes less than 50 MiB', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-memory-'));
  try {
    const imagePath = join(folder, 'reference.png');
    await writeFile(imagePath, await png({ width: 512, height: 512 }));
    const task = { kind: 'upscale', imagePath, width: 8192, height: 8192, outputPath: join(folder, 'out') } as const;
    const growth = await growthDuring(() => upscale(task));
    assert.ok(growth < growthMax, `grew by ${Math.round(growth / mebibyte)} MiB`);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('the event loop is not held up by a large image', () =>
  withSimulator(async ({ simulator }) => {
    const poll = await finish(simulator, imageJob({ pixels: { mode: 'sized', width: 4096, height: 4096 } }));
    assert.ok(poll.state === 'succeeded' && poll.parts[0] !== undefined);
    let [last, longestMs] = [performance.now(), 0];
    const beat = setInterval(() => {
      const now = performance.now();
      [last, longestMs] = [now, Math.max(longestMs, now - last)];
    }, 1);
    await buffer(await poll.parts[0].open(signal));
    clearInterval(beat);
    // Usually under 10 ms; the bound leaves room for a busy machine.
    assert.ok(longestMs < 150, `${longestMs} ms without a turn`);
  }));
