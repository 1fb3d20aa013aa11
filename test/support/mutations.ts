/** Changes that an attacker, or a broken connection, makes to bytes. */
import type { Chance } from './seeded.ts';

const numbers = [0, 1, 2, 7, 8, 9, 0x7f, 0x80, 0xff, 0xffff, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff];

/** A copy with one to four changes, most of them near the beginning, where headers are; `words` are put in as they are. */
export function mutated(sample: Buffer, chance: Chance, words: readonly string[] = []): Buffer {
  let bytes = Buffer.from(sample);
  for (let changes = 1 + chance.below(4); changes > 0 && bytes.length > 0; changes--) {
    const at = chance.below(chance.below(2) === 0 ? Math.min(200, bytes.length) : bytes.length);
    const length = 1 + chance.below(40);
    switch (chance.below(words.length > 0 ? 8 : 6)) {
      case 0:
        bytes[at] = chance.below(256);
        break;
      case 1:
        if (at + 4 <= bytes.length) bytes.writeUInt32BE(chance.of(numbers), at);
        break;
      case 2:
        if (at + 4 <= bytes.length) bytes.writeUInt32LE(chance.of(numbers), at);
        break;
      case 3:
        bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)]);
        break;
      case 4:
        bytes = Buffer.concat([bytes.subarray(0, at + length), bytes.subarray(at)]);
        break;
      case 5:
        bytes = bytes.subarray(0, at + 1);
        break;
      default:
        bytes = Buffer.concat([bytes.subarray(0, at), Buffer.from(chance.of(words)), bytes.subarray(at)]);
    }
  }
  return bytes;
}

/** The same bytes in pieces. */
export function cut(bytes: Buffer, chance: Chance): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    const length = 1 + chance.below(chance.of([3, 50, 1_000]));
    pieces.push(bytes.subarray(at, at + length));
    at += length;
  }
  return pieces;
}
