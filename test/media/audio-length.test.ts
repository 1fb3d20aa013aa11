/** How long audio lasts that passes by, whatever the sizes of its pieces. Other formats are judged in test/full. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AudioFormat } from '../../src/domain/audio.ts';
import { AudioLength } from '../../src/media/audio-length/audio-length.ts';
import { speechAnswer } from '../../src/simulator/speech.ts';
import { oggPages, webm } from '../support/containers.ts';

function lengthOf(asked: AudioFormat, bytes: Buffer, pieceBytes = bytes.length): AudioLength {
  const length = new AudioLength(asked);
  for (let at = 0; at < bytes.length; at += pieceBytes) length.push(bytes.subarray(at, at + pieceBytes));
  return length;
}

/** 2.16 s. */
const spoken = (format: AudioFormat, characters = 30) =>
  Buffer.concat(speechAnswer({ input: 'a'.repeat(characters), response_format: format }, undefined).pieces);

const opusHead = Buffer.from('OpusHead\x01\x01\x38\x01\x80\xbb\0\0\0\0\0', 'latin1');
const vorbisHead = (samplesPerSecond: number) => {
  const head = Buffer.alloc(30);
  head.write('\x01vorbis', 'latin1');
  head.writeUInt32LE(samplesPerSecond, 12);
  return head;
};

/** Frames of AAC at 24 kHz, with 100 bytes each. */
const aac = (frames: number) =>
  Buffer.concat(
    Array<Buffer>(frames).fill(
      Buffer.concat([Buffer.from([0xff, 0xf1, 0x58, 0x40, 0x0c, 0x9f, 0xfc]), Buffer.alloc(93)]),
    ),
  );

for (const [what, asked, bytes, seconds] of [
  ['MP3', 'mp3', spoken('mp3'), 3],
  [
    'MP3 behind a tag',
    'mp3',
    Buffer.concat([Buffer.from('ID3\x04\0\0\0\0\0\x0a'), Buffer.alloc(10), spoken('mp3')]),
    3,
  ],
  ['half an MP3', 'mp3', spoken('mp3').subarray(0, spoken('mp3').length / 2), 2],
  ['WAV', 'wav', spoken('wav'), 3],
  ['WAV that was asked for as MP3', 'mp3', spoken('wav'), 3],
  ['half a WAV', 'wav', spoken('wav').subarray(0, spoken('wav').length / 2), 2],
  ['raw samples', 'pcm', spoken('pcm'), 3],
  ['a second to the sample', 'pcm', Buffer.alloc(48_000), 1],
  ['AAC', 'aac', aac(48), 3],
  ['AAC of a frame less', 'aac', aac(46), 2],
  ['a recording of a browser', 'mp3', webm({ packets: 110 }), 3],
  ['WebM of a packet less than two seconds', 'mp3', webm({ packets: 99 }), 2],
  ['WebM whose times all say zero', 'mp3', webm({ packets: 110, msOfPacket: 0 }), 3],
  ['WebM of packets with pauses between them', 'mp3', webm({ packets: 11, msOfPacket: 200 }), 3],
  ['WebM whose audio is no Opus', 'mp3', webm({ packets: 110, codec: 'A_VORBIS' }), 3],
  ['Ogg Opus', 'opus', oggPages(opusHead, [48_000, 96_000 + 312 + 1]), 3],
  ['Ogg Vorbis at 8 kHz', 'opus', oggPages(vorbisHead(8_000), [8_000, 16_001]), 3],
  ['Ogg of one stream after the other', 'opus', Buffer.concat([1, 1].map(() => oggPages(opusHead, [72_000 + 312]))), 3],
  ['Ogg whose pages go back', 'opus', oggPages(opusHead, [96_000 + 313, 48_000]), 3],
] as const)
  for (const pieceBytes of [1, 999, 1_000_000])
    test(`${what} lasts ${seconds} begun seconds in pieces of ${pieceBytes} bytes`, () => {
      assert.equal(lengthOf(asked, bytes, pieceBytes).wholeSeconds, seconds);
    });

test('what is no audio is known as such from its first bytes', () => {
  assert.equal(lengthOf('mp3', Buffer.from('{"error": "no audio"}')).isUnknown, true);
  assert.equal(lengthOf('mp3', spoken('mp3')).isUnknown, false);
  assert.equal(lengthOf('mp3', Buffer.alloc(0)).wholeSeconds, 0);
});
