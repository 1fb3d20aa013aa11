/** Results of every kind as another program sees them: ffprobe judges what the gateway delivered and charged. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import * as z from 'zod';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { mp4, wav } from '../support/media.ts';

const run = promisify(execFile);
let gateway: TestGateway;
let folder: string;
before(async () => {
  gateway = await startTestGateway();
  folder = await mkdtemp(join(tmpdir(), 'tollgate-judged-'));
});
after(async () => {
  await gateway.stop();
  await rm(folder, { recursive: true, force: true });
});

const judgement = z.object({
  streams: z.array(z.object({ codec_name: z.string(), width: z.number().optional(), height: z.number().optional() })),
  format: z.object({ duration: z.string().optional() }),
});

async function judged(bytes: ArrayBuffer): Promise<z.output<typeof judgement>> {
  const path = join(folder, 'judged');
  await writeFile(path, new Uint8Array(bytes));
  const { stdout } = await run('ffprobe', ['-v', 'error', '-show_format', '-show_streams', '-of', 'json', path]);
  return judgement.parse(JSON.parse(stdout));
}

async function downloaded(url: unknown): Promise<ArrayBuffer> {
  return (await gateway.fetch(String(url), { key: null })).arrayBuffer();
}

for (const [asked, width, height] of [
  [{ size: '1024x1536' }, 1024, 1536],
  [{ resolution: '2k', ratio: '16:9' }, 2736, 1536],
  [{ resolution: '4k', ratio: '1:1' }, 4096, 4096],
] as const) {
  test(`an image asked for by ${JSON.stringify(asked)} is a PNG of ${width}x${height}`, async () => {
    const { body } = await gateway.post('/v1/images/generations', { model: 'sim-image', prompt: 'Judged', ...asked });
    const { streams } = await judged(await downloaded(body['data'][0].url));
    assert.deepEqual([streams[0]?.codec_name, streams[0]?.width, streams[0]?.height], ['png', width, height]);
  });
}

for (const [ratio, seconds, audio] of [
  ['16:9', 5, true],
  ['9:16', 8, false],
  ['1:1', 11, true],
] as const) {
  test(`a video of ${seconds} s at ${ratio} ${audio ? 'with' : 'without'} audio lasts just that and is charged for it`, async () => {
    const { body } = await gateway.post('/v1/video/generations', {
      model: 'sim-video-fast',
      prompt: 'Judged',
      duration: seconds,
      ratio,
      generate_audio: audio,
    });
    const { streams, format } = await judged(await downloaded(body['content'][0].video_url));
    assert.equal(Number(format.duration), seconds);
    assert.deepEqual(
      streams.map(({ codec_name }) => codec_name),
      audio ? ['h264', 'mp3'] : ['h264'],
    );
    const [across = 1, down = 1] = ratio.split(':').map(Number);
    assert.ok(Math.abs((streams[0]?.width ?? 0) / (streams[0]?.height ?? 1) - across / down) < 0.02);
    assert.equal(body['_local'].cost, seconds / 10);
  });
}

test('an avatar-talk result lasts as long as its voice, and its headers say so', async () => {
  const form = new FormData();
  form.set('audio', new Blob([new Uint8Array(wav({ seconds: 12.4 }))]), 'voice.wav');
  form.set('video', new Blob([new Uint8Array(await mp4({ seconds: 5 }))]), 'footage.mp4');
  const created = await gateway.fetch('/v1/svctalk/generate', { method: 'POST', body: form });
  const { id } = z.object({ id: z.string() }).parse(await created.json());
  for (;;) {
    const answer = await gateway.fetch(`/v1/svctalk/generate/${id}`);
    if (answer.headers.get('content-type') !== 'video/mp4') {
      assert.equal(z.object({ status: z.string() }).parse(await answer.json()).status, 'processing');
      await pause(200);
      continue;
    }
    const { format } = await judged(await answer.arrayBuffer());
    assert.equal(Number(format.duration), 12.4);
    assert.equal(answer.headers.get('x-video-duration'), '12.4');
    assert.equal(answer.headers.get('x-tokens'), '12400');
    assert.equal(answer.headers.get('x-cost'), '0.62');
    return;
  }
});
