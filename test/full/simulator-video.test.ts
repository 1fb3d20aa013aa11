import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, before, test } from 'node:test';
import type { Worker } from 'node:worker_threads';
import { BufferSource, EncodedPacketSink, Input, MP4 } from 'mediabunny';
import { GatewayError } from '../../src/domain/errors.ts';
import { probeMedia } from '../../src/media/probe.ts';
import { bytesReader } from '../../src/media/reader.ts';
import type { Job } from '../../src/providers/contract.ts';
import { createEncoderPool } from '../../src/simulator/encoding/pool.ts';
import { jpg, mp3, mp4, png, textFile, truncated, wav } from '../support/media.ts';
import { videoJob, talkJob } from '../support/jobs.ts';
import { emptied, finish, openBench, result, signal, withSimulator } from '../providers/simulator-support.ts';

// One for all tests here, since each starts a thread.
const bench = await openBench();
after(() => bench.close());

const probe = (file: Buffer) => probeMedia(bytesReader(file));

/** What mediabunny finds in a video: where its tracks end, in seconds, and its frames. */
async function tracksOf(file: Buffer) {
  const input = new Input({ formats: [MP4], source: new BufferSource(file) });
  const [video, audio] = await Promise.all([input.getPrimaryVideoTrack(), input.getPrimaryAudioTrack()]);
  assert.ok(video);
  const frames: { timestamp: number; type: string; bytes: number }[] = [];
  for await (const { timestamp, type, byteLength } of new EncodedPacketSink(video).packets()) {
    frames.push({ timestamp, type, bytes: byteLength });
  }
  const codecs = [await video.getCodec(), (await audio?.getCodec()) ?? null];
  return { codecs, videoEnd: await video.computeDuration(), audioEnd: (await audio?.computeDuration()) ?? 0, frames };
}

for (const [ratio, size, durationSeconds, generateAudio] of [
  ['16:9', '640x360', 5, true],
  ['9:16', '360x640', 8, true],
  ['1:1', '480x480', 10, false],
  ['16:9', '640x360', 11, true],
] as const) {
  test(`a video of ${ratio} and ${durationSeconds} s ${generateAudio ? 'with' : 'without'} audio is exactly that`, async () => {
    const file = await result(bench.simulator, videoJob({ ratio, durationSeconds, generateAudio }));
    const { width, height, durationMs, hasAudio, mediaType } = await probe(file);
    assert.equal(`${mediaType} ${width ?? 0}x${height ?? 0}`, `video/mp4 ${size}`);
    assert.deepEqual({ durationMs, hasAudio }, { durationMs: durationSeconds * 1_000, hasAudio: generateAudio });
    const { codecs, videoEnd, audioEnd, frames } = await tracksOf(file);
    assert.deepEqual(codecs, ['avc', generateAudio ? 'mp3' : null]);
    assert.equal(videoEnd, durationSeconds);
    assert.ok(audioEnd <= videoEnd && (!generateAudio || audioEnd > videoEnd - 0.03));
    assert.equal(frames.length, durationSeconds * 10);
    // Seeking needs key frames, and the table of them must not name every frame.
    const keys = frames.filter(({ type }) => type === 'key').map(({ timestamp }) => timestamp);
    assert.deepEqual(
      keys,
      Array.from({ length: Math.ceil(durationSeconds / 2) }, (_, at) => at * 2),
    );
    assert.ok(
      frames.every(({ type, bytes }) => type === 'key' || bytes > 8),
      'every frame shows a change',
    );
    await emptied(bench);
  });
}

test('the same video job gives the same bytes, whatever the time; another prompt gives others', async () => {
  const hash = async (text: string) => {
    let digest = '';
    await withSimulator(async ({ simulator }) => {
      const file = await result(simulator, videoJob({ content: [{ type: 'text', text }] }));
      digest = createHash('sha256').update(file).digest('hex');
    });
    return digest;
  };
  const first = await hash('a red fox');
  assert.equal(await hash('a red fox'), first);
  assert.notEqual(await hash('a blue fox'), first);
});

const card = { prompt: 'x', top: '', bottom: '' };
/** A small video, but for where it goes. */
const clip = { kind: 'video', width: 64, height: 64, durationMs: 100, hasAudio: false, card } as const;

test('a task that waits can be taken out of the queue, one that runs is done', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-pool-'));
  const pool = createEncoderPool(1);
  const stop = new AbortController();
  try {
    const running = pool.run({ ...clip, outputPath: join(folder, 'running.mp4') });
    const waiting = pool.run({ ...clip, outputPath: join(folder, 'waiting.mp4') }, stop.signal);
    stop.abort(new Error('left'));
    await assert.rejects(waiting, /left/);
    await running;
    await assert.rejects(pool.run({ ...clip, outputPath: join(folder, 'late.mp4') }, stop.signal), /left/);
    assert.deepEqual(await readdir(folder), ['running.mp4']);
  } finally {
    await pool.close();
    await rm(folder, { recursive: true });
  }
});

test('a closed pool refuses work instead of keeping it', async () => {
  const pool = createEncoderPool();
  await pool.close();
  const task = { kind: 'upscale', imagePath: '/none', width: 1, height: 1, outputPath: '/none' } as const;
  await assert.rejects(pool.run(task), (error) => error instanceof GatewayError && error.code === 'overloaded');
});

test('pools share the threads of their process; one that is closed refuses what is its own, and no more', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-pool-'));
  const [one, other] = [createEncoderPool(), createEncoderPool()];
  try {
    const tasks = [other, one, other].map((pool, at) => pool.run({ ...clip, outputPath: join(folder, `${at}.mp4`) }));
    const [first, refused, last] = tasks;
    const refusal = assert.rejects(refused ?? Promise.resolve(), /it was stopped/);
    await one.close();
    await Promise.all([first, refusal, last]);
    assert.deepEqual((await readdir(folder)).filter((name) => name !== '1.mp4').sort(), ['0.mp4', '2.mp4']);
  } finally {
    await other.close();
    await rm(folder, { recursive: true });
  }
});

test('a pool with a thread of its own ends it when it is closed, idle as it is', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-pool-'));
  const pool = createEncoderPool(1);
  const started = once(process, 'worker') as Promise<[Worker]>;
  try {
    await pool.run({ ...clip, outputPath: join(folder, 'one.mp4') });
    const [thread] = await started;
    await pool.close();
    assert.equal(thread.threadId, -1);
  } finally {
    await pool.close();
    await rm(folder, { recursive: true });
  }
});

test('an encoder that fails is reported differently from an input that fails, and the next task is served', async () => {
  const pool = createEncoderPool(1);
  const failing = pool.run({ ...clip, outputPath: '/nowhere/at/all.mp4' });
  await assert.rejects(failing, (error) => error instanceof GatewayError && error.code === 'upstream_error');
  await assert.rejects(pool.run({ ...clip, outputPath: '/nowhere/either.mp4' }), /encoder failed/);
  await pool.close();
});

const links = { video: 'http://x/video', image: 'http://x/image', audio: 'http://x/audio' };
const avatarJob = (kind: 'avatar-video' | 'avatar-image'): Job =>
  videoJob(
    {
      content: [
        { type: 'text', text: 'she speaks' },
        kind === 'avatar-video' ? { type: 'video_url', url: links.video } : { type: 'image_url', url: links.image },
        { type: 'audio_url', url: links.audio, role: 'reference_audio' },
      ],
    },
    kind,
  );

let footage: Buffer;
before(async () => {
  footage = await mp4({ seconds: 2.5 });
});

for (const [name, audio, durationMs] of [
  ['a WAV of 12.4 s', wav({ seconds: 12.4 }), 12_400],
  ['a WAV shorter than the footage', wav({ seconds: 1.234 }), 1_234],
  ['a WAV in 16 kHz', wav({ seconds: 3.3, samplesPerSecond: 16_000 }), 3_300],
  ['a WAV in 96 kHz and stereo', wav({ seconds: 2, samplesPerSecond: 96_000, channels: 2 }), 2_000],
  ['a WAV of six channels', wav({ seconds: 1, samplesPerSecond: 48_000, channels: 6 }), 1_000],
  ['an MP3', mp3({ seconds: 4 }), 3_997],
] as const) {
  test(`${name} under looped or cut footage lasts exactly as long as it is, and is no longer than the video`, async () => {
    bench.files.set(links.video, footage).set(links.audio, audio);
    const file = await result(bench.simulator, avatarJob('avatar-video'));
    assert.equal((await probe(audio)).durationMs, durationMs);
    const facts = await probe(file);
    assert.deepEqual(
      [facts.mediaType, facts.durationMs, facts.width, facts.height, facts.hasAudio],
      ['video/mp4', durationMs, 640, 360, true],
    );
    const { videoEnd, audioEnd, codecs, frames } = await tracksOf(file);
    assert.deepEqual(codecs, ['avc', 'mp3']);
    assert.ok(Math.abs(videoEnd - durationMs / 1_000) < 0.0005, `the video ends at ${videoEnd}`);
    assert.ok(audioEnd <= videoEnd && audioEnd > videoEnd - 0.08, `the audio ends at ${audioEnd}`);
    assert.equal(frames.length, Math.ceil(durationMs / 100), 'ten frames a second, over all passes');
    await emptied(bench);
  });
}

for (const [name, image] of [
  ['PNG', () => png({ width: 301, height: 201 })],
  ['large JPEG', () => Promise.resolve(jpg({ width: 1300, height: 700 }))],
] as const) {
  test(`a ${name} becomes a still with the audio`, async () => {
    bench.files.set(links.image, await image()).set(links.audio, wav({ seconds: 3.25 }));
    const {
      durationMs,
      width = 0,
      height = 0,
      hasAudio,
    } = await probe(await result(bench.simulator, avatarJob('avatar-image')));
    assert.deepEqual({ durationMs, hasAudio }, { durationMs: 3_250, hasAudio: true });
    assert.ok(width % 2 === 0 && height % 2 === 0 && Math.max(width, height) <= 640, `${width}x${height}`);
    await emptied(bench);
  });
}

test('avatar-talk takes the uploaded files, again and again with the same bytes', async () => {
  const downloadsBefore = bench.downloads.length;
  const audio = wav({ seconds: 3.7 });
  const media = (mediaType: string, content: Buffer, durationMs: number) => ({
    ...{ mediaType, bytes: content.length, durationMs, url: 'http://gateway/files' },
    open: () => Promise.resolve(Readable.from([content])),
  });
  const job: Job = {
    ...talkJob(),
    input: {
      kind: 'avatar_talk',
      request: { model: 'sim-avatar-talk', templateName: '不使用分身' },
      audio: media('audio/wav', audio, 3_700),
      video: media('video/mp4', footage, 2_500),
    },
  };
  const file = await result(bench.simulator, job);
  assert.equal((await probe(file)).durationMs, 3_700);
  assert.deepEqual(await result(bench.simulator, job), file);
  assert.equal(bench.downloads.length, downloadsBefore);
  await emptied(bench);
});

test('an avatar job without its inputs is refused before it begins', async () => {
  const submission = await bench.simulator.submit(videoJob({}, 'avatar-video'), signal);
  assert.ok(submission.outcome === 'refused');
  assert.deepEqual([submission.error.code, submission.error.param], ['invalid_parameter', 'content']);
});

test('an input that can not be fetched or used fails the job with its place in the content', async () => {
  const good = wav({ seconds: 1 });
  const video = 'content[1].video_url.url';
  const audio = 'content[2].audio_url.url';
  for (const [visualFile, audioFile, param, message] of [
    [undefined, good, video, /nothing there/],
    [footage, undefined, audio, /nothing there/],
    [textFile, good, video, /is not PNG/],
    [good, good, video, /without an image/],
    [truncated(footage), good, video, /truncated/],
    [footage, textFile, audio, /is not PNG/],
    [footage, await png({ width: 9, height: 9 }), audio, /without audio/],
    [footage, await mp4({ seconds: 0.5, hasAudio: false }), audio, /without audio/],
    [footage, wav({ seconds: 0 }), audio, /no audio/],
  ] as const) {
    bench.files.clear();
    if (visualFile !== undefined) bench.files.set(links.video, visualFile);
    if (audioFile !== undefined) bench.files.set(links.audio, audioFile);
    const poll = await finish(bench.simulator, avatarJob('avatar-video'));
    assert.ok(poll.state === 'failed', String(message));
    assert.deepEqual([poll.error.code, poll.error.param], ['invalid_parameter', param], String(message));
    assert.match(poll.error.message, message);
  }
  await emptied(bench);
});

test('a result that was prepared and never fetched is removed when the simulator is closed or the job is cancelled', async () => {
  bench.files.set(links.video, footage).set(links.audio, wav({ seconds: 1 }));
  const job = avatarJob('avatar-video');
  const submission = await bench.simulator.submit(job, signal);
  assert.ok(submission.outcome === 'accepted');
  const poll = await bench.simulator.poll(submission.jobId, job, signal);
  assert.equal(poll.state, 'succeeded');
  assert.equal((await bench.leftovers()).length, 1);
  await bench.simulator.cancel?.(submission.jobId, job, signal);
  await emptied(bench);
  await bench.simulator.poll(submission.jobId, job, signal);
  await bench.simulator.close();
  assert.deepEqual(await bench.leftovers(), []);
});
