/** Audio that says one length and is played for another is refused; what is only odd is measured as it is played. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { InvalidMedia, probeMedia } from '../../src/media/probe.ts';
import { bytesReader } from '../../src/media/reader.ts';
import { mp3, wav } from '../support/media.ts';

const durationOf = async (content: Uint8Array) => (await probeMedia(bytesReader(content))).durationMs;
const refused = (content: Uint8Array, message: RegExp) =>
  assert.rejects(durationOf(content), (error: unknown) => error instanceof InvalidMedia && message.test(error.message));

const chunk = (name: string, content: Buffer, bytes = content.length): Buffer => {
  const head = Buffer.from(`${name}\0\0\0\0`, 'latin1');
  head.writeUInt32LE(bytes, 4);
  return Buffer.concat([head, content, Buffer.alloc(content.length % 2)]);
};
const riff = (...chunks: Buffer[]) => Buffer.concat([Buffer.from('RIFF\xff\xff\xff\xffWAVE', 'latin1'), ...chunks]);

interface Format {
  tag?: number;
  channels?: number;
  hz?: number;
  bits?: number;
  frameBytes?: number;
  byteRate?: number;
}

/** A format chunk whose parts agree, unless one is given. */
function format({ tag = 1, channels = 1, hz = 8_000, bits = 16, ...given }: Format = {}): Buffer {
  const { frameBytes = channels * Math.ceil(bits / 8) } = given;
  const content = Buffer.alloc(16);
  content.writeUInt16LE(tag, 0);
  content.writeUInt16LE(channels, 2);
  content.writeUInt32LE(hz, 4);
  content.writeUInt32LE(given.byteRate ?? hz * frameBytes, 8);
  content.writeUInt16LE(frameBytes, 12);
  content.writeUInt16LE(bits, 14);
  return chunk('fmt ', content);
}

/** The chunk of WAVE_FORMAT_EXTENSIBLE, whose codec stands in its identifier. */
function extensible(of: Format): Buffer {
  const plain = format(of).subarray(8);
  const more = Buffer.from('160010000400000001000000000010008000' + '00aa00389b71', 'hex');
  plain.writeUInt16LE(0xfffe, 0);
  more.writeUInt16LE(of.bits ?? 16, 2);
  more.writeUInt16LE(of.tag ?? 1, 8);
  return chunk('fmt ', Buffer.concat([plain, more]));
}

const second = chunk('data', Buffer.alloc(16_000)); // of 16 bits at 8 kHz
const info = chunk('LIST', Buffer.from('INFOISFT\x0e\0\0\0Lavf59.27.100\0', 'latin1'));

describe('a WAV', () => {
  for (const [what, file, message] of [
    ['a frame of 30,000 bytes of one channel of 16 bits', riff(format({ frameBytes: 30_000 }), second), /30000 bytes/],
    ['a frame of 1 byte of 16 bits', riff(format({ frameBytes: 1 }), second), /1 bytes per frame/],
    ['a byte rate that is not its own', riff(format({ byteRate: 32_000_000 }), second), /32000000 bytes per second/],
    ['no byte rate', riff(format({ byteRate: 0 }), second), /0 bytes per second/],
    ['A-law of 16 bits', riff(format({ tag: 6, bits: 16 }), second), /16-bit/],
    ['mu-law of 64 bits', riff(format({ tag: 7, bits: 64 }), second), /64-bit/],
    ['floats of 8 bits', riff(format({ tag: 3, bits: 8 }), second), /8-bit/],
    ['no bits', riff(format({ bits: 0 }), second), /0-bit/],
    ['a billion frames a second', riff(format({ hz: 1_000_000_000, frameBytes: 2 }), second), /invalid format/],
    ['a second format', riff(format(), format({ hz: 96_000 }), second), /two format chunks/],
    ['a second format behind its audio', riff(format(), second, format({ hz: 96_000 })), /second 'fmt '/],
    ['more audio behind its audio', riff(format(), chunk('data', Buffer.alloc(160)), info, second), /second 'data'/],
    [
      'more audio behind its audio and padding',
      riff(format(), chunk('data', Buffer.alloc(160)), Buffer.alloc(200_000), second),
      /second 'data'/,
    ],
    [
      'more audio a byte behind its audio',
      riff(format({ bits: 8 }), chunk('data', Buffer.alloc(161)).subarray(0, -1), second),
      /second 'data'/,
    ],
    ['no size of its data', riff(format(), chunk('data', Buffer.alloc(16_000), 0)), /no audio/],
  ] as const) {
    test(`with ${what} is refused`, () => refused(file, message));
  }

  for (const [what, file] of [
    ['chunks before and behind its audio', riff(info, format(), info, second, info)],
    ['padding behind its audio', riff(format(), second, Buffer.alloc(100_000))],
    ['an extensible format', riff(extensible({}), second)],
    ['24 bits in two channels', riff(extensible({ bits: 24, channels: 2 }), chunk('data', Buffer.alloc(48_000)))],
    ['20 bits in three bytes', riff(format({ bits: 20 }), chunk('data', Buffer.alloc(24_000)))],
    ['floats', riff(format({ tag: 3, bits: 32 }), chunk('data', Buffer.alloc(32_000)))],
    ['A-law', riff(format({ tag: 6, bits: 8 }), chunk('data', Buffer.alloc(8_000)))],
    ['a size that its writer never filled in', riff(format(), chunk('data', Buffer.alloc(16_000), 0xffffffff))],
  ] as const) {
    test(`with ${what} lasts as long as it is played`, async () => assert.equal(await durationOf(file), 1_000));
  }

  test('of more than 4 GiB has its size in 64 bits, and only there', async () => {
    const ds64 = (bytes: number) => {
      const content = Buffer.alloc(28);
      content.writeBigUInt64LE(BigInt(bytes), 8);
      return chunk('ds64', content);
    };
    const large = (...chunks: Buffer[]) =>
      Buffer.concat([Buffer.from('RF64\xff\xff\xff\xffWAVE', 'latin1'), ...chunks]);
    const unknown = chunk('data', Buffer.alloc(16_000), 0xffffffff);
    assert.equal(await durationOf(large(ds64(16_000), format(), unknown)), 1_000);
    assert.equal(await durationOf(large(ds64(16_000), format(), second)), 1_000);
    const short = chunk('data', Buffer.alloc(16_000), 160);
    await refused(large(ds64(16_000), format(), short), /two different data sizes/);
    await refused(large(format(), unknown), /no ds64/);
  });
});

/** Frames of silence: 128 kbit/s at 44.1 kHz unless its third byte says otherwise. */
function frames(count: number, { bytes = 417, second = 0xfb, third = 0x90, fourth = 0xc4 } = {}): Buffer {
  const frame = Buffer.alloc(bytes);
  frame.set([0xff, second, third, fourth]);
  return Buffer.concat(Array<Buffer>(count).fill(frame));
}

const voice = mp3({ seconds: 1 });
const voiceMs = Math.round((Math.floor(44_100 / 1_152) * 1_152) / 44.1);
const otherRate = { bytes: 384, third: 0x94 }; // 48 kHz
const layer2 = { bytes: 417, second: 0xfd, third: 0x80 };
const version2 = { bytes: 208, second: 0xf3, third: 0x80 };

describe('an MP3', () => {
  for (const [what, more] of [
    ['at another sample rate', frames(4_000, otherRate)],
    ['at another sample rate behind a damaged stretch', Buffer.concat([Buffer.alloc(100, 1), frames(9, otherRate)])],
    ['as layer II', frames(9, layer2)],
    ['as MPEG-2', frames(9, version2)],
    [
      'with every other frame at another sample rate',
      Buffer.concat(Array<Buffer>(9).fill(Buffer.concat([frames(1, otherRate), frames(1)]))),
    ],
  ] as const) {
    test(`that goes on ${what} is refused`, async () => {
      await refused(Buffer.concat([voice, more]), /changes its sample rate, version or layer/);
      await refused(Buffer.concat([more, Buffer.alloc(7), voice]), /changes its sample rate, version or layer/);
    });
  }

  test('that goes on in a free format, or in frames that stand alone, is refused', async () => {
    for (const kind of [{ third: 0x00 }, otherRate]) {
      const alone = Buffer.concat([frames(1, kind), Buffer.alloc(3)]);
      const many = Buffer.concat(Array<Buffer>(200).fill(alone));
      await refused(Buffer.concat([voice, many]), /not MP3 audio/);
      await refused(Buffer.concat([voice, Buffer.alloc(10), many]), /not MP3 audio/);
    }
  });

  test('that is a small part of its file is refused', () =>
    refused(Buffer.concat([voice, Buffer.alloc(9_000_000, 'junk')]), /not MP3 audio/));

  test('whose tag is not quite one is searched for frames, as decoders do', async () => {
    const tag = (...head: number[]) => Buffer.concat([Buffer.from('ID3'), Buffer.from(head), mp3({ seconds: 20 })]);
    const size = [0, 2, 0x60, 0];
    for (const head of [
      [0xff, 0, 0, ...size],
      [4, 0xff, 0, ...size],
      [4, 0, 0, 0x80, 2, 0x60, 0],
    ]) {
      assert.ok(((await durationOf(Buffer.concat([tag(...head), voice]))) ?? 0) > 20_000);
    }
  });

  for (const [what, file] of [
    ['padding behind it', Buffer.concat([voice, Buffer.alloc(5_000)])],
    [
      'a tag of APE behind it',
      Buffer.concat([voice, Buffer.from('APETAGEX'), Buffer.alloc(24), Buffer.from('TAG'.padEnd(128))]),
    ],
    ['a text behind it', Buffer.concat([voice, Buffer.from('LYRICSBEGIN'.repeat(2_000))])],
    ['junk before it', Buffer.concat([Buffer.alloc(1_000, 'junk'), voice])],
  ] as const) {
    test(`with ${what} lasts as long as its frames`, async () => assert.equal(await durationOf(file), voiceMs));
  }

  test('that was put together of two lasts as long as both', async () => {
    const tagged = Buffer.concat([Buffer.from('ID3\x04\0\0\0\0\x08\0', 'latin1'), Buffer.alloc(1_024), voice]);
    const both = Math.round((2 * Math.floor(44_100 / 1_152) * 1_152) / 44.1);
    assert.equal(await durationOf(Buffer.concat([tagged, tagged])), both);
  });

  test('of frames of several bit rates lasts as long as these', async () => {
    const quiet = { bytes: 104, third: 0x10 };
    const file = Buffer.concat([frames(19), frames(19, quiet)]);
    assert.equal(await durationOf(file), voiceMs);
  });
});

test('a WAV by the tests lasts what it says', async () => {
  assert.equal(await durationOf(wav({ seconds: 1.5, channels: 2 })), 1_500);
});
