/** AAC that passes by, as ADTS frames (ISO 14496-3, 1.A.3.2). */
import { type AudioCounter, type FrameHead, FrameWalk } from './frame-walk.ts';

const headBytes = 7;
const samplesPerBlock = 1024;
const samplesPerSecond = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
];

export class AdtsCounter implements AudioCounter {
  readonly #walk = new FrameWalk(headAt);

  push(bytes: Buffer): void {
    this.#walk.push(bytes);
  }

  get seconds(): number {
    return this.#walk.seconds;
  }
}

function headAt(bytes: Buffer, at: number): FrameHead | 'none' | 'more' {
  if (at + headBytes > bytes.length) return 'more';
  if (bytes.readUInt16BE(at) >>> 4 !== 0xfff || (bytes.readUInt8(at + 1) & 0x06) !== 0) return 'none';
  const rate = samplesPerSecond[(bytes.readUInt8(at + 2) >>> 2) & 15];
  const size = (bytes.readUIntBE(at + 3, 3) >>> 5) & 0x1fff;
  if (rate === undefined || size < headBytes) return 'none';
  const blocks = (bytes.readUInt8(at + 6) & 3) + 1;
  return { bytes: size, seconds: (blocks * samplesPerBlock) / rate };
}
