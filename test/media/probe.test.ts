import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { InvalidMedia, probeMedia, type MediaFacts } from '../../src/media/probe.ts';
import { bytesReader } from '../../src/media/reader.ts';
import { jpg, mp3, mp4, png, textFile, truncated, wav } from '../support/media.ts';

const probe = (content: Uint8Array) => probeMedia(bytesReader(content));
const isInvalid = (message: RegExp) => (error: unknown) => error instanceof InvalidMedia && message.test(error.message);

const chunk = (type: string, content: Buffer) => {
  const head = Buffer.from(`${type}\0\0\0\0`, 'latin1');
  head.writeUInt32LE(content.length, 4);
  return Buffer.concat([head, content, Buffer.alloc(content.length % 2)]);
};
const webp = (...chunks: Buffer[]) => chunk('RIFF', Buffer.concat([Buffer.from('WEBP'), ...chunks]));
const extended = chunk('VP8X', Buffer.from([0, 0, 0, 0, 0x3f, 0x01, 0x00, 0x7a, 0x00, 0x00]));
const lossy = Buffer.from([0, 0, 0, 0x9d, 0x01, 0x2a, 0x40, 0x01, 0x7b, 0x00, 0, 0]);
const lossless = Buffer.from([0x2f, 0x3f, 0x81, 0x1e, 0x00, 0, 0, 0, 0, 0]);
/** With a table of two colours, a comment in two blocks, and these bytes. */
const gif = (content: string) =>
  Buffer.from(`GIF89a\x40\x01\x7b\x00\x80\x00\x00${'\0'.repeat(6)}!\xfe\x02by\x01u\x00${content}\x3b`, 'latin1');
const frame = ',\0\0\0\0\x40\x01\x7b\x00\x00';

describe('images', () => {
  test('the type and size of a PNG and a JPEG are read', async () => {
    const image = await png({ width: 301, height: 77 });
    const facts: MediaFacts = {
      ...{ mediaType: 'image/png', bytes: image.length, width: 301, height: 77, hasVideo: false, hasAudio: false },
    };
    assert.deepEqual(await probe(image), facts);
    const photo = jpg({ width: 33, height: 21 });
    assert.deepEqual(await probe(photo), {
      ...facts,
      ...{ mediaType: 'image/jpeg', bytes: photo.length, width: 33, height: 21 },
    });
  });

  const small: [string, string, Buffer][] = [
    ['WebP, lossy', 'image/webp', webp(chunk('VP8 ', lossy))],
    ['WebP, lossless', 'image/webp', webp(chunk('VP8L', lossless))],
    ['WebP, extended', 'image/webp', webp(extended, chunk('ICCP', Buffer.alloc(3)), chunk('VP8 ', lossy))],
    [
      'WebP, moving',
      'image/webp',
      webp(extended, chunk('ANMF', Buffer.concat([Buffer.alloc(16), chunk('VP8L', lossless)]))),
    ],
    ['GIF', 'image/gif', gif(`${frame}\x02\x02\x44\x01\0`)],
  ];
  for (const [name, mediaType, content] of small) {
    test(`a ${name} of 320x123 is measured`, async () => {
      const { mediaType: found, width, height } = await probe(content);
      assert.deepEqual({ found, width, height }, { found: mediaType, width: 320, height: 123 });
    });
  }
});

describe('an image that is nothing but a header', () => {
  const pngOf = (width: number, height: number, bytes = 60) => {
    const file = Buffer.alloc(bytes);
    file.write('\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR', 0, 'latin1');
    file.writeUInt32BE(width, 16);
    file.writeUInt32BE(height, 20);
    file.set([8, 2], 24);
    file.write('IEND', bytes - 8, 'latin1');
    return file;
  };

  test('is refused with a side or an area that no image has', async () => {
    for (const [width, height] of [
      [0xffffffff, 0xffffffff],
      [32_769, 1],
      [1, 32_769],
      [16_400, 16_400],
    ] as const) {
      await assert.rejects(probe(pngOf(width, height, 2_000_000)), isInvalid(/too large/));
    }
  });

  test('is refused with fewer bytes than its size can be packed in', async () => {
    await assert.rejects(probe(pngOf(1_024, 1_024)), isInvalid(/fewer bytes/));
    const large = jpg({ width: 64, height: 64 });
    const frame = large.indexOf(Buffer.from([0xff, 0xc0]));
    large.writeUInt16BE(16_000, frame + 5);
    large.writeUInt16BE(16_000, frame + 7);
    await assert.rejects(probe(large), isInvalid(/fewer bytes/));
  });

  test('is refused as WebP without a chunk that holds an image', async () => {
    for (const chunks of [
      [extended],
      [extended, chunk('ICCP', Buffer.alloc(30))],
      [chunk('VP8 ', lossy.subarray(0, 10))],
      [chunk('VP8L', lossless.subarray(0, 5)), chunk('EXIF', Buffer.alloc(8))],
      [extended, chunk('ANMF', Buffer.alloc(16))],
      [extended, Buffer.from('VP8 \xff\0\0\0', 'latin1')],
    ]) {
      await assert.rejects(probe(webp(...chunks)), isInvalid(/no (image|header)/));
    }
  });

  test('is refused as GIF without an image that has data', async () => {
    for (const content of ['', '!\xf9\x04\0\0\0\0\0', frame, `${frame}\x02\0`, '!', 'x']) {
      await assert.rejects(probe(gif(content)), isInvalid(/no image/), JSON.stringify(content));
    }
  });

  test('is no reason to refuse one of a single colour, which packs well', async () => {
    const { deflateSync } = await import('node:zlib');
    const rows = deflateSync(Buffer.alloc(4_096 * (1 + 4_096 * 3)), { level: 9 });
    const file = Buffer.concat([pngOf(4_096, 4_096).subarray(0, 33), Buffer.alloc(8), rows, Buffer.from('IEND')]);
    assert.deepEqual([(await probe(file)).width, rows.length < 60_000], [4_096, true]);
  });
});

describe('probing audio', () => {
  for (const seconds of [0.001, 0.5, 12.4, 12.3456]) {
    test(`a WAV of ${seconds} s is measured to the millisecond`, async () => {
      const file = wav({ seconds });
      assert.deepEqual(await probe(file), {
        ...{ mediaType: 'audio/wav', bytes: file.length, hasVideo: false, hasAudio: true },
        durationMs: Math.round(Math.round(seconds * 44_100) / 44.1),
      });
    });
  }

  test('half a millisecond is rounded up', async () => {
    assert.equal((await probe(wav({ seconds: 0.0125, samplesPerSecond: 8_000 }))).durationMs, 13);
  });

  test('a WAV whose writer could not go back to fill in its sizes counts with what is there', async () => {
    const file = wav({ seconds: 2 });
    file.writeUInt32LE(0xffffffff, 4);
    file.writeUInt32LE(0xffffffff, 40);
    assert.equal((await probe(file)).durationMs, 2_000);
  });

  test('an MP3 is measured by its frames, with and without tags around them', async () => {
    const file = mp3({ seconds: 10 });
    const frames = file.length / 417;
    const expectedMs = Math.round((frames * 1_152) / 44.1);
    assert.equal((await probe(file)).durationMs, expectedMs);
    const id3 = Buffer.concat([Buffer.from('ID3\x04\x00\x00\x00\x00\x01\x00', 'latin1'), Buffer.alloc(128)]);
    const tagged = Buffer.concat([id3, file, Buffer.from('TAG'.padEnd(128, ' '))]);
    assert.deepEqual(await probe(tagged), {
      ...{ mediaType: 'audio/mpeg', bytes: tagged.length, durationMs: expectedMs, hasVideo: false, hasAudio: true },
    });
  });

  test("an encoder's information frame in an MP3 is no audio, and half a frame at the end neither", async () => {
    const file = Buffer.from(mp3({ seconds: 1 }));
    const expectedMs = Math.round(((file.length / 417 - 1) * 1_152) / 44.1);
    file.write('Info', 4 + 17, 'latin1');
    assert.equal((await probe(file)).durationMs, expectedMs);
    assert.equal((await probe(Buffer.concat([file, file.subarray(0, 200)]))).durationMs, expectedMs);
  });
});

describe('videos', () => {
  let video: Buffer;
  let silent: Buffer;
  before(async () => {
    [video, silent] = [await mp4({ seconds: 2.345 }), await mp4({ seconds: 1, hasAudio: false })];
  });

  test('the duration, size and tracks of an MP4 are read', async () => {
    assert.deepEqual(await probe(video), {
      ...{ mediaType: 'video/mp4', bytes: video.length, durationMs: 2_345, width: 640, height: 360 },
      ...{ hasVideo: true, hasAudio: true },
    });
    const { durationMs, hasAudio } = await probe(silent);
    assert.deepEqual({ durationMs, hasAudio }, { durationMs: 1_000, hasAudio: false });
  });

  test('an MP4 whose movie header has no duration counts by its tracks', async () => {
    const file = Buffer.from(video);
    const header = file.indexOf('mvhd');
    file.writeUInt32BE(0, header + 4 + 4 + 8 + 4);
    assert.equal((await probe(file)).durationMs, 2_345);
  });

  for (const part of [0.1, 0.5, 0.99]) {
    test(`an MP4 of which ${part * 100}% came is invalid`, async () => {
      await assert.rejects(probe(truncated(video, part)), isInvalid(/truncated/));
    });
  }

  test('only headers and indexes are read, however large the file is', async () => {
    const filler = Buffer.alloc(20_000_000);
    filler.writeUInt32BE(filler.length, 0);
    filler.write('free', 4, 'latin1');
    const long = Buffer.concat([video, filler]);
    let bytesRead = 0;
    const { durationMs } = await probeMedia({
      bytes: long.length,
      read: (start, end) => {
        bytesRead += end - start;
        return Promise.resolve(long.subarray(start, end));
      },
    });
    assert.equal(durationMs, 2_345);
    assert.ok(bytesRead < 500_000, `${bytesRead} of ${long.length} bytes were read`);
  });

  test("an error of the reader is its own, not the file's", async () => {
    const broken = {
      bytes: video.length,
      read: (start: number, end: number) =>
        start > 100 ? Promise.reject(new Error('disk gone')) : Promise.resolve(video.subarray(start, end)),
    };
    await assert.rejects(probeMedia(broken), /disk gone/);
  });
});

test('what is no media is distinguished from what is broken', async () => {
  const cases: [Uint8Array, RegExp][] = [
    [new Uint8Array(0), /empty/],
    [textFile, /not PNG, JPEG, WebP, GIF, WAV, MP3 or MP4/],
    [Buffer.alloc(100_000, 0xff), /is not PNG/],
    [Buffer.from('RIFF\x04\0\0\0WAVE', 'latin1'), /WAV has no format chunk/],
    [wav({ seconds: 0 }), /no audio/],
    [Buffer.from('\xff\xd8\xff\xd9', 'latin1'), /JPEG has no frame header/],
    [truncated(await png({ width: 50, height: 50 })), /PNG is truncated/],
    [truncated(jpg({ width: 50, height: 50 })), /JPEG is truncated/],
    [Buffer.from('\0\0\0\x10ftypisom\0\0\0\0', 'latin1'), /no index/],
  ];
  for (const [content, message] of cases) await assert.rejects(probe(content), isInvalid(message), String(message));
  const adpcm = wav({ seconds: 1 });
  adpcm.writeUInt16LE(2, 20);
  await assert.rejects(probe(adpcm), isInvalid(/unknown codec \(format tag 2\)/));
});
