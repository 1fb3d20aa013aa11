/** Audio as another program writes it is measured for as long as that program plays it. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import * as z from 'zod';
import { AudioLength } from '../../src/media/audio-length/audio-length.ts';
import { probeMedia } from '../../src/media/probe.ts';
import { withFileReader } from '../../src/media/reader.ts';

const run = promisify(execFile);
let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tollgate-audio-'));
});
after(() => rm(folder, { recursive: true, force: true }));

const judgement = z.object({ format: z.object({ duration: z.string() }) });
const hz = 48_000;

async function saidMs(path: string): Promise<number> {
  const { stdout } = await run('ffprobe', ['-v', 'error', '-show_format', '-of', 'json', path]);
  return Number(judgement.parse(JSON.parse(stdout)).format.duration) * 1_000;
}

/** How long the file is when all of it was decoded. */
async function playedMs(path: string): Promise<number> {
  const decode = ['-v', 'quiet', '-i', path, '-f', 's16le', '-ac', '1', '-ar', String(hz), '-'];
  const { stdout } = await run('ffmpeg', decode, { encoding: 'buffer', maxBuffer: 64 * 1024 * 1024 });
  return stdout.length / 2 / (hz / 1_000);
}

const tone = (seconds: number, ...more: string[]) => [
  ...['-f', 'lavfi', '-i', `sine=frequency=440:duration=${seconds}`],
  ...more,
];

/** Encoders begin an MP3 with a frame or two of silence, which decoders leave out again. */
const paddingMsMax = 110;

for (const [what, name, args, tolerance] of [
  ['16 bits', 'a.wav', tone(3.4, '-c:a', 'pcm_s16le'), 1],
  ['16 bits without a list of tags', 'b.wav', tone(3.4, '-bitexact'), 1],
  ['24 bits in two channels', 'c.wav', tone(3.4, '-ac', '2', '-c:a', 'pcm_s24le'), 1],
  ['24 bits in six channels at 96 kHz', 'd.wav', tone(1.7, '-ac', '6', '-ar', '96000', '-c:a', 'pcm_s24le'), 1],
  ['8 bits', 'e.wav', tone(3.4, '-c:a', 'pcm_u8', '-ar', '11025'), 1],
  ['32 bits', 'f.wav', tone(3.4, '-c:a', 'pcm_s32le'), 1],
  ['floats', 'g.wav', tone(3.4, '-c:a', 'pcm_f32le'), 1],
  ['long floats', 'h.wav', tone(3.4, '-c:a', 'pcm_f64le'), 1],
  ['A-law', 'i.wav', tone(3.4, '-c:a', 'pcm_alaw', '-ar', '8000'), 1],
  ['mu-law', 'j.wav', tone(3.4, '-c:a', 'pcm_mulaw', '-ar', '8000'), 1],
  ['64-bit sizes', 'k.wav', tone(3.4, '-rf64', 'always'), 1],
  ['tags in it', 'l.wav', tone(3.4, '-metadata', 'title=A voice', '-metadata', 'comment=odd', '-write_bext', '1'), 1],
  ['a constant rate', 'm.mp3', tone(3.4, '-b:a', '128k'), paddingMsMax],
  ['the highest rate', 'n.mp3', tone(3.4, '-b:a', '320k', '-ar', '32000'), paddingMsMax],
  ['a variable rate', 'o.mp3', tone(3.4, '-q:a', '4', '-ac', '2'), paddingMsMax],
  ['no information frame', 'p.mp3', tone(3.4, '-b:a', '64k', '-write_xing', '0'), paddingMsMax],
  ['MPEG-2', 'q.mp3', tone(3.4, '-b:a', '32k', '-ar', '22050'), paddingMsMax],
  ['MPEG-2.5', 'r.mp3', tone(3.4, '-b:a', '16k', '-ar', '8000'), 2 * paddingMsMax],
  [
    'tags on both sides',
    's.mp3',
    tone(3.4, '-id3v2_version', '4', '-write_id3v1', '1', '-metadata', 'title=x'),
    paddingMsMax,
  ],
  ['no reservoir of bits', 't.mp3', tone(3.4, '-b:a', '96k', '-reservoir', '0'), paddingMsMax],
] as const) {
  test(`${name.slice(2)} of ${what} is measured for as long as it is played`, async () => {
    const path = join(folder, name);
    await run('ffmpeg', ['-v', 'error', '-y', ...args, path]);
    const { durationMs = 0 } = await withFileReader(path, probeMedia);
    const [said, played] = [await saidMs(path), await playedMs(path)];
    const all = `${durationMs} ms; said ${said} ms, played ${played} ms`;
    assert.ok(Math.abs(durationMs - played) <= tolerance, all);
    assert.ok(Math.abs(durationMs - said) <= tolerance, all);
  });
}

test('an MP3 with another one behind it, at another sample rate, is refused, though it is played whole', async () => {
  const [first, second] = [join(folder, 'short.mp3'), join(folder, 'long.mp3')];
  await run('ffmpeg', ['-v', 'error', '-y', ...tone(0.2, '-ar', '44100'), first]);
  await run('ffmpeg', [
    '-v',
    'error',
    '-y',
    ...tone(20, '-ar', '48000', '-write_xing', '0', '-id3v2_version', '0'),
    second,
  ]);
  await appendFile(first, await readFile(second));
  assert.ok((await playedMs(first)) > 10_000);
  await assert.rejects(withFileReader(first, probeMedia), /changes its sample rate/);
});

test('a WAV whose frames are said to be large is refused, though it is played whole', async () => {
  const path = join(folder, 'blocks.wav');
  await run('ffmpeg', ['-v', 'error', '-y', ...tone(20, '-ar', '8000', '-bitexact'), path]);
  const file = await readFile(path);
  file.writeUInt16LE(30_000, 32);
  await writeFile(path, file);
  assert.ok((await playedMs(path)) > 10_000);
  await assert.rejects(withFileReader(path, probeMedia), /30000 bytes per frame/);
});

for (const [what, asked, args] of [
  ['MP3', 'mp3', ['-ar', '24000', '-c:a', 'libmp3lame', '-f', 'mp3']],
  ['AAC', 'aac', ['-ar', '24000', '-c:a', 'aac', '-f', 'adts']],
  ['FLAC', 'flac', ['-ar', '24000', '-c:a', 'flac', '-f', 'flac']],
  ['Opus', 'opus', ['-ar', '24000', '-c:a', 'libopus', '-f', 'opus']],
  ['WAV', 'wav', ['-ar', '24000', '-c:a', 'pcm_s16le', '-f', 'wav']],
  ['Ogg Vorbis at 44.1 kHz', 'opus', ['-ar', '44100', '-c:a', 'libvorbis', '-f', 'ogg']],
  ['Ogg Vorbis at 8 kHz', 'opus', ['-ar', '8000', '-c:a', 'libvorbis', '-f', 'ogg']],
  ['FLAC in Ogg', 'opus', ['-ar', '32000', '-c:a', 'flac', '-f', 'ogg']],
  ['WebM with Opus', 'mp3', ['-c:a', 'libopus', '-f', 'webm']],
  ['WebM with Opus of 60 ms packets', 'mp3', ['-c:a', 'libopus', '-frame_duration', '60', '-f', 'webm']],
  ['WebM with Opus of 2.5 ms packets', 'mp3', ['-c:a', 'libopus', '-frame_duration', '2.5', '-f', 'webm']],
  ['WebM with Opus as it is streamed', 'mp3', ['-c:a', 'libopus', '-f', 'webm', '-live', '1']],
  ['WebM with Vorbis', 'mp3', ['-ar', '44100', '-c:a', 'libvorbis', '-f', 'webm']],
  ['Matroska with AAC', 'mp3', ['-c:a', 'aac', '-f', 'matroska']],
] as const)
  for (const seconds of [3.4, 7.9])
    test(`${what} of ${seconds} s that passes by lasts as long as it is played, in begun seconds`, async () => {
      const path = join(folder, 'passing');
      await run('ffmpeg', ['-y', '-v', 'error', ...tone(seconds, ...args), path]);
      const length = new AudioLength(asked);
      for await (const piece of createReadStream(path, { highWaterMark: 777 })) length.push(piece as Buffer);
      assert.equal(length.wholeSeconds, Math.ceil((await playedMs(path)) / 1000));
    });

test('WebM with a video beside its audio is measured by its audio', async () => {
  const path = join(folder, 'video.webm');
  const video = ['-f', 'lavfi', '-i', 'testsrc=size=64x48:rate=10:duration=9', '-c:v', 'libvpx', '-c:a', 'libopus'];
  await run('ffmpeg', ['-y', '-v', 'error', ...tone(3.4), ...video, path]);
  const length = new AudioLength('mp3');
  length.push(await readFile(path));
  assert.equal(length.wholeSeconds, 4);
});

test('two Ogg files, one after the other, are measured for as long as both are played', async () => {
  const path = join(folder, 'chained.ogg');
  await run('ffmpeg', ['-y', '-v', 'error', ...tone(3.4, '-ar', '44100', '-c:a', 'libvorbis'), path]);
  await appendFile(path, await readFile(path));
  const length = new AudioLength('opus');
  length.push(await readFile(path));
  assert.equal(length.wholeSeconds, Math.ceil((await playedMs(path)) / 1000));
});
