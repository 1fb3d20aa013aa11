/** Videos as another program writes them, in every kind of container that is taken: ffprobe judges what they are said to be. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import * as z from 'zod';
import { probeMedia } from '../../src/media/probe.ts';
import { withFileReader } from '../../src/media/reader.ts';

const run = promisify(execFile);
let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tollgate-containers-'));
});
after(() => rm(folder, { recursive: true, force: true }));

const judgement = z.object({ format: z.object({ duration: z.string() }) });
const video = ['-f', 'lavfi', '-i', 'testsrc=duration=3.4:size=320x240:rate=25'];
const tone = ['-f', 'lavfi', '-i', 'sine=frequency=440:duration=3.4'];
const videoCodec = ['-c:v', 'mpeg4'];

for (const [what, name, args, facts] of [
  ['an MP4', 'a.mp4', [...video, ...tone, ...videoCodec, '-c:a', 'aac'], ['video/mp4', 320, 240, true]],
  [
    'one whose index is first',
    'b.mp4',
    [...video, ...videoCodec, '-movflags', 'faststart'],
    ['video/mp4', 320, 240, false],
  ],
  [
    'one in fragments',
    'c.mp4',
    [
      ...video,
      ...tone,
      ...videoCodec,
      '-g',
      '10',
      '-c:a',
      'aac',
      '-movflags',
      'frag_keyframe+empty_moov+default_base_moof',
    ],
    ['video/mp4', 320, 240, true],
  ],
  [
    'one in fragments without defaults',
    'd.mp4',
    [...video, ...videoCodec, '-g', '5', '-movflags', 'frag_keyframe+empty_moov+omit_tfhd_offset'],
    ['video/mp4', 320, 240, false],
  ],
  ['QuickTime', 'e.mov', [...video, ...tone, ...videoCodec, '-c:a', 'pcm_s16le'], ['video/quicktime', 320, 240, true]],
  [
    'one with pixels that are not square',
    'f.mp4',
    [...video, ...videoCodec, '-aspect', '16:9'],
    ['video/mp4', 427, 240, false],
  ],
  ['audio only', 'g.m4a', [...tone, '-c:a', 'aac'], ['audio/mp4', undefined, undefined, true]],
] as const) {
  test(`${what} has the duration and the size that ffprobe finds`, async () => {
    const path = join(folder, name);
    await run('ffmpeg', ['-v', 'error', '-y', ...args, path]);
    const { stdout } = await run('ffprobe', ['-v', 'error', '-show_format', '-of', 'json', path]);
    const { format } = judgement.parse(JSON.parse(stdout));
    const found = await withFileReader(path, probeMedia);
    assert.deepEqual([found.mediaType, found.width, found.height, found.hasAudio], facts);
    assert.ok(
      Math.abs((found.durationMs ?? 0) - Number(format.duration) * 1000) <= 1,
      `${found.durationMs} ms, ${format.duration} s`,
    );
  });
}
