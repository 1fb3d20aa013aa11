/** A voice and a piece of footage to try avatar-talk with: made here, so that nothing has to be brought along. */
import { createWriteStream } from 'node:fs';
import { access, mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Job } from '../providers/contract.ts';
import { createEncoderPool } from '../simulator/encoding/pool.ts';
import { createSimulator } from '../simulator/simulator.ts';

export interface Samples {
  audio: string;
  video: string;
}

const voiceSeconds = 4;
const sampleRate = 16_000;

/** Paths of the samples below a data folder; made when they are not there. */
export async function makeSamples(dataDir: string): Promise<Samples> {
  const folder = join(dataDir, 'samples');
  await mkdir(folder, { recursive: true });
  const samples = { audio: join(folder, 'voice.wav'), video: join(folder, 'footage.mp4') };
  if (!(await isThere(samples.audio))) await writeAside(samples.audio, (path) => writeFile(path, voice()));
  if (!(await isThere(samples.video))) await writeAside(samples.video, (path) => makeVideo(path, join(dataDir, 'tmp')));
  return samples;
}

/** Two seconds of a tone that rises and falls like syllables, twice: 16-bit mono PCM. */
function voice(): Buffer {
  const count = voiceSeconds * sampleRate;
  const wav = Buffer.alloc(44 + count * 2);
  wav.write('RIFF', 0);
  wav.writeUInt32LE(36 + count * 2, 4);
  wav.write('WAVEfmt ', 8);
  wav.writeUInt32LE(16, 16);
  wav.writeUInt16LE(1, 20);
  wav.writeUInt16LE(1, 22);
  wav.writeUInt32LE(sampleRate, 24);
  wav.writeUInt32LE(sampleRate * 2, 28);
  wav.writeUInt16LE(2, 32);
  wav.writeUInt16LE(16, 34);
  wav.write('data', 36);
  wav.writeUInt32LE(count * 2, 40);
  for (let index = 0; index < count; index++) {
    const seconds = index / sampleRate;
    const syllable = Math.sin(Math.PI * ((seconds * 4) % 1)) ** 2;
    const pitch = 140 + 30 * Math.sin(seconds * 3);
    wav.writeInt16LE(Math.round(9_000 * syllable * Math.sin(2 * Math.PI * pitch * seconds)), 44 + index * 2);
  }
  return wav;
}

async function makeVideo(path: string, tempDir: string): Promise<void> {
  const simulator = createSimulator(
    {
      ...{ name: 'samples', kind: 'simulator', secrets: {}, numbers: {}, headers: {} },
      ...{ timeoutMs: 60_000, idleTimeoutMs: 60_000, deadlineMs: 60_000 },
    },
    {
      fetchFile: () => Promise.reject(new Error('samples fetch nothing')),
      tempDir,
      pool: createEncoderPool(1), // a thread of the process's would stay with its memory for a minute
    },
  );
  try {
    const job: Job = {
      reference: 'tg-sample',
      kind: 'video',
      model: 'sim-video-fast',
      options: {},
      fields: {},
      qualityScale: null,
      hookUrl: 'http://127.0.0.1/',
      input: {
        kind: 'video',
        request: {
          model: 'sim-video-fast',
          content: [{ type: 'text', text: 'Sample footage for avatar-talk' }],
          form: 'prompt',
          generateAudio: false,
          ratio: '16:9',
          durationSeconds: 5,
          watermark: false,
        },
      },
    };
    const signal = AbortSignal.timeout(60_000);
    const submission = await simulator.submit(job, signal);
    if (submission.outcome !== 'accepted') throw new Error('the simulator refused the sample footage');
    const answer = await simulator.poll(submission.jobId, job, signal);
    const [part] = answer.state === 'succeeded' ? answer.parts : [];
    if (!part) throw new Error('the simulator made no sample footage');
    await pipeline(await part.open(signal), createWriteStream(path));
  } finally {
    await simulator.close();
  }
}

async function writeAside(path: string, write: (path: string) => Promise<void>): Promise<void> {
  await write(`${path}.part`);
  await rename(`${path}.part`, path);
}

const isThere = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );
