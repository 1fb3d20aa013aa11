/** Media files made to do harm: for any bytes, the answer is facts or InvalidMedia, after few reads. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { InvalidMedia, probeMedia } from '../../src/media/probe.ts';
import { jpg, mp3, mp4, png, wav } from '../support/media.ts';
import { mutated } from '../support/mutations.ts';
import { chanceOf } from '../support/seeded.ts';

const rounds = Number(process.env['TEST_ROUNDS'] ?? 60);
/** Of any file of these sizes: what lies side by side is read ahead. */
const readsMax = 100;

const samples = new Map<string, Buffer>();
before(async () => {
  samples.set('png', await png({ width: 40, height: 30 }));
  samples.set('jpeg', jpg({ width: 40, height: 30 }));
  samples.set('gif', Buffer.from('GIF89a\x40\x01\x7b\0\0\0\0,\0\0\0\0\x40\x01\x7b\0\0\x02\x02\x44\x01\0;', 'latin1'));
  samples.set(
    'webp',
    Buffer.from(
      `RIFF\x2c\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0${'\x3f\x01\0'.repeat(2)}VP8L\x0e\0\0\0\x2f\x3f\x81${'\0'.repeat(11)}`,
      'latin1',
    ),
  );
  samples.set('wav', wav({ seconds: 0.05 }));
  samples.set(
    'mp3',
    Buffer.concat([Buffer.from('ID3\x04\0\0\0\0\0\x0a', 'latin1'), Buffer.alloc(10), mp3({ seconds: 0.5 })]),
  );
  samples.set('mp4', await mp4({ seconds: 0.5 }));
});

/** What became of a file, and how often it was read. */
async function probed(content: Uint8Array): Promise<{ outcome: string; reads: number }> {
  let reads = 0;
  const reader = {
    bytes: content.length,
    read: (start: number, end: number) => {
      reads++;
      assert.ok(start >= 0 && start < end && end <= content.length, `a read of ${start} to ${end}`);
      return Promise.resolve(content.subarray(start, end));
    },
  };
  const outcome = await probeMedia(reader).then(
    ({ mediaType, durationMs }) => {
      assert.ok(durationMs === undefined || (Number.isSafeInteger(durationMs) && durationMs > 0), String(durationMs));
      return mediaType;
    },
    (error: unknown) => {
      if (error instanceof InvalidMedia) return error.message;
      throw error;
    },
  );
  assert.ok(reads <= readsMax, `${reads} reads`);
  return { outcome, reads };
}

for (const format of ['png', 'jpeg', 'gif', 'webp', 'wav', 'mp3', 'mp4']) {
  test(`a ${format} with bytes changed, cut out, doubled or cut off is measured or refused`, async (t) => {
    const chance = chanceOf(t);
    const sample = samples.get(format) ?? Buffer.alloc(0);
    assert.match((await probed(sample)).outcome, /\//, 'the sample itself is good');
    for (let round = 0; round < rounds; round++) {
      const file = mutated(sample, chance);
      await probed(file).catch((error: unknown) => {
        throw new Error(`in round ${round}`, { cause: error });
      });
    }
  });
}

const box = (type: string, content: Buffer, size = content.length + 8): Buffer => {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(size >>> 0);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, content]);
};
const ftyp = box('ftyp', Buffer.from('isom\0\0\0\0isom'));
const large = (size: bigint) => {
  const head = Buffer.from('\0\0\0\x01mdat\0\0\0\0\0\0\0\0', 'latin1');
  head.writeBigUInt64BE(size, 8);
  return head;
};

describe('an MP4', () => {
  for (const [what, tail] of [
    ['a box of size 0', () => box('mdat', Buffer.alloc(20), 0)],
    ['a box of size 1 without the rest of it', () => box('mdat', Buffer.alloc(0), 1)],
    ['a box that is smaller than its head', () => box('mdat', Buffer.alloc(20), 7)],
    ['a long size of 0', () => large(0n)],
    ['a long size of 2^63', () => large(2n ** 63n)],
    ['a long size of 2^64 - 1', () => large(2n ** 64n - 1n)],
    ['100,001 empty boxes', () => Buffer.concat(Array<Buffer>(100_001).fill(box('free', Buffer.alloc(0))))],
    ['200,000 empty boxes', () => Buffer.concat(Array<Buffer>(200_000).fill(box('free', Buffer.alloc(0))))],
    [
      '500,000 empty boxes in its index',
      () => box('moov', Buffer.concat(Array<Buffer>(500_000).fill(box('free', Buffer.alloc(0))))),
    ],
    ['boxes in boxes, 10,000 deep', () => nested(10_000)],
  ] as const) {
    test(`with ${what} is refused`, async () => {
      const { outcome } = await probed(Buffer.concat([ftyp, tail()]));
      assert.match(outcome, /^the MP4 /);
    });
  }

  for (const name of ['stsz', 'stts', 'stsc', 'stco', 'co64', 'ctts', 'stss', 'elst', 'mvhd', 'tkhd', 'mdhd', 'stsd']) {
    test(`whose ${name} counts to 2^32 is measured or refused`, async () => {
      const sample = samples.get('mp4') ?? Buffer.alloc(0);
      for (let found = sample.indexOf(name); found !== -1; found = sample.indexOf(name, found + 1)) {
        for (let at = found + 4; at < Math.min(found + 28, sample.length - 4); at += 4) {
          const file = Buffer.from(sample);
          file.writeUInt32BE(0xffffffff, at);
          await probed(file);
        }
      }
    });
  }
});

describe('an MP3', () => {
  test('that is nothing but empty tags is refused after a few of them', async () => {
    const { outcome, reads } = await probed(
      Buffer.concat(Array<Buffer>(100_000).fill(Buffer.from('ID3\x04\0\0\0\0\0\0'))),
    );
    assert.match(outcome, /is not PNG/);
    assert.ok(reads < 50, `${reads} reads`);
  });

  test('of which every byte could begin a frame is walked once', async () => {
    const { reads } = await probed(Buffer.concat([mp3({ seconds: 0.1 }), Buffer.alloc(2_000_000, 0xff)]));
    assert.ok(reads < 50, `${reads} reads`);
  });
});

test('a JPEG or WAV of nothing but empty segments is refused after some thousand', async () => {
  const segments = Buffer.concat([Buffer.from([0xff, 0xd8]), Buffer.alloc(400_000, Buffer.from([0xff, 0xe0, 0, 0]))]);
  const chunks = Buffer.concat([Buffer.from('RIFF\0\0\0\0WAVE'), Buffer.alloc(400_000, Buffer.from('junk\0\0\0\0'))]);
  for (const content of [segments, chunks]) {
    const { outcome, reads } = await probed(content);
    assert.match(outcome, /has no/);
    assert.ok(reads < 50, `${reads} reads`);
  }
});

function nested(depth: number): Buffer {
  let inner: Buffer = Buffer.alloc(0);
  for (let level = 0; level < depth; level++) inner = box(level % 2 === 0 ? 'trak' : 'moov', inner);
  return depth % 2 === 0 ? box('moov', inner) : inner;
}
