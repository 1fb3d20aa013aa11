/**
 * Frames of MP3 (ISO 13818-3, layer III: 24 kHz, one channel, 32 kbit/s) that hold one spectral line, so that a row of them
 * is a tone. Each stands by itself, without a bit of another one.
 */

/** 576 samples at 32 kbit/s and 24 kHz. */
const frameBytes = 96;
const header = 0xff_f3_44_c4;
/** The amplitude of a line of value 1: a quarter, two steps of a half. */
const globalGain = 210 - 8;

/** Returns a frame with so many periods of a tone; none is silence. */
export function toneFrame(periods: number): Buffer {
  // 576 lines up to half the sample rate: two of them are one period more in a frame.
  const main = periods === 0 ? '' : lineBits(periods * 2);
  const bigValues = periods === 0 ? 0 : periods + 1;
  const side = [
    ...[bits(0, 9), bits(main.length, 12), bits(bigValues, 9), bits(globalGain, 8)],
    // No scale factors, one kind of window, table 1 in all of three regions, 7 and 0 bands in the first two of them.
    ...[bits(0, 9), bits(0, 1), bits(1, 5).repeat(3), bits(7, 4), bits(0, 3), bits(0, 2)],
  ].join('');
  const frame = Buffer.alloc(frameBytes);
  frame.writeUInt32BE(header);
  for (const [at, bit] of Array.from(side + main).entries())
    if (bit === '1') frame.writeUInt8(frame.readUInt8(4 + (at >> 3)) | (0x80 >> (at & 7)), 4 + (at >> 3));
  return frame;
}

/** In pairs by Huffman table 1, where '1' is two zeros and '01' is one and zero, with a sign behind it. */
const lineBits = (line: number): string => `${'1'.repeat(line / 2)}010`;

const bits = (value: number, length: number): string => value.toString(2).padStart(length, '0');
