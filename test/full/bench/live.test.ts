/** The benchmark of live tasks, as a small run: what its figures rest on. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import {
  latenessOf,
  mostInASecond,
  othersBetween,
  reachMs,
  spreadOf,
  taskMinutes,
} from '../../../bench/live/figures.ts';
import type { SeenJob } from '../../../bench/live/messages.ts';
import { startCallers, startProvider } from '../../../bench/live/parts.ts';
import { probeMedia } from '../../../src/media/probe.ts';
import { bytesReader } from '../../../src/media/reader.ts';

const job = (prompt: string, createdAt: number, doneAt: number | null = null): SeenJob => ({
  ...{ prompt, createdAt, doneAt, polls: 0 },
});
const task = (prompt: string, finishedAt: number | null, account = 'a', state = 'succeeded') => ({
  ...{ prompt, account, state, finishedAt },
});

describe('the figures of live tasks', () => {
  test('lateness is from the end at the provider to the end here, of what succeeded', () => {
    const jobs = [job('live 0', 0, 100), job('live 1', 0, 200), job('live 2', 0, 300)];
    const tasks = [task('live 0', 130), task('live 1', 290, 'b'), task('live 2', 310, 'b', 'failed')];
    const late = latenessOf(jobs, tasks);
    assert.deepEqual(
      late.map(({ lateMs }) => lateMs),
      [30, 90],
    );
    assert.deepEqual(spreadOf(late), { lowestMs: 30, highestMs: 90 });
  });

  test('task-minutes are counted within a stretch only, and to its end for what goes on', () => {
    const tasks = [task('live 0', 30_000), task('live 1', 90_000), task('live 2', null), task('live 3', 500)];
    assert.equal(taskMinutes(tasks, 1_000, 61_000), (29 + 60 + 60) / 60);
  });

  test('the few have reached the provider with the last of them, and who came between is counted', () => {
    const jobs = [
      job('few 0', 1_100),
      job('busy 1', 1_150),
      job('few 1', 1_200),
      job('busy 2', 900),
      job('busy 3', 1_300),
    ];
    assert.equal(reachMs(jobs, 'few', 1_000), 200);
    assert.equal(othersBetween(jobs, 'few', 1_000), 1);
    assert.equal(mostInASecond(jobs), 5);
    assert.equal(mostInASecond([job('x', 0), job('x', 999), job('x', 1_000)]), 2);
  });
});

test('its callers create tasks of numbered prompts, again where the gateway is full, and its provider ends them', async (t) => {
  const provider = await startProvider();
  t.after(provider.stop);
  const callers = startCallers();
  t.after(callers.stop);
  // A gateway that is full at first, and hands each prompt on.
  const keys: string[] = [];
  const gateway = createServer((request, response) => {
    void (async () => {
      const { model, prompt } = (await new Response(await textOf(request)).json()) as Record<string, string>;
      keys.push(`${request.headers.authorization ?? ''} ${model ?? ''} ${String(request.headers['prefer'])}`);
      if (keys.length === 1) return response.writeHead(503, { 'Retry-After': '0.01' }).end('{}');
      const body = JSON.stringify({ input: { prompt } });
      await fetch(`${provider.url}/v1/models/bench/video/predictions`, { method: 'POST', body });
      return response.writeHead(202).end(JSON.stringify({ id: `task of ${prompt ?? ''}` }));
    })();
  });
  await new Promise<void>((resolve) => void gateway.listen(0, '127.0.0.1', resolve));
  t.after(() => gateway.close());
  const url = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`;
  const created = await callers.create({ url, model: 'm', keys: ['k0', 'k1'], word: 'w', count: 3, connections: 1 });
  assert.deepEqual([created.ids, created.overloaded], [['task of w 0', 'task of w 1', 'task of w 2'], 1]);
  const sent = ['k0', 'k0', 'k1', 'k0'].map((key) => `Bearer ${key} m wait=0`);
  assert.deepEqual(keys, sent);

  assert.deepEqual(await provider.count(), { created: 3, done: 0, reported: 0, polls: 0 });
  await provider.end(0);
  const jobs = await provider.report();
  assert.deepEqual(
    jobs.map(({ prompt, doneAt }) => [prompt, doneAt !== null]),
    [0, 1, 2].map((number) => [`w ${number}`, true]),
  );
  const video = Buffer.from(await (await fetch(`${provider.url}/video.mp4`)).arrayBuffer());
  assert.deepEqual((await probeMedia(bytesReader(video))).mediaType, 'video/mp4');
});

async function textOf(request: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts).toString();
}
