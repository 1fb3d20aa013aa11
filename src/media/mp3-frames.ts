/** Frame headers of MPEG audio (ISO 11172-3 and 13818-3, and MPEG-2.5): four bytes that say how long and how large a frame is. */

const kilobits = {
  version1: {
    layer1: [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
    layer2: [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
    layer3: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  },
  version2: {
    layer1: [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
    layer2: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
    layer3: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
  },
} as const;
const samplesPerSecondVersion1 = [44_100, 48_000, 32_000];
const layers = [undefined, 'layer3', 'layer2', 'layer1'] as const;

/** The largest frame: of layer II, 384 kbit/s at 32 kHz, padded. */
export const frameBytesMax = 1_729;

export interface FrameHeader {
  isLayer3: boolean;
  /** The bits of version, layer and sample rate: the frames of one file have the same. */
  kind: number;
  /** 0 of a free format, whose frames are as large as the next one is far. */
  bytes: number;
  samples: number;
  samplesPerSecond: number;
  /** Where an encoder's Xing or Info tag stands in a frame that carries no audio. */
  tagOffset: number;
}

/** The bits that all frames of a file have in common. */
const kindMask = 0x1e_0c_00;

/** The header at this place of the bytes, of any layer, or undefined where none begins. */
export function frameHeaderAt(bytes: Buffer, at: number): FrameHeader | undefined {
  if (at + 4 > bytes.length || bytes[at] !== 0xff) return undefined;
  const word = bytes.readUInt32BE(at);
  const version = (word >>> 19) & 3; // 3: MPEG-1, 2: MPEG-2, 0: MPEG-2.5, 1: reserved
  const layer = layers[(word >>> 17) & 3];
  if (word >>> 21 !== 0x7ff || version === 1 || layer === undefined) return undefined;
  const bitRate = kilobits[version === 3 ? 'version1' : 'version2'][layer][(word >>> 12) & 15];
  const samplesPerSecondFull = samplesPerSecondVersion1[(word >>> 10) & 3];
  if (bitRate === undefined || samplesPerSecondFull === undefined) return undefined;
  const samplesPerSecond = samplesPerSecondFull / (version === 3 ? 1 : version === 2 ? 2 : 4);
  const samples = layer === 'layer1' ? 384 : layer === 'layer2' || version === 3 ? 1_152 : 576;
  const isMono = ((word >>> 6) & 3) === 3;
  const sideBytes = version === 3 ? (isMono ? 17 : 32) : isMono ? 9 : 17;
  return {
    isLayer3: layer === 'layer3',
    kind: word & kindMask,
    bytes: bitRate === 0 ? 0 : bytesOf(samples, bitRate, samplesPerSecond) + paddingOf(word, layer),
    samples,
    samplesPerSecond,
    tagOffset: 4 + sideBytes,
  };
}

/** Whether a valid header, of any kind, begins at this place. */
export const hasFrameAt = (bytes: Buffer, at: number): boolean => frameHeaderAt(bytes, at) !== undefined;

const bytesOf = (samples: number, bitRate: number, samplesPerSecond: number): number =>
  Math.floor((samples * bitRate * 125) / samplesPerSecond);

/** Frames of layer I are made of slots of four bytes. */
const paddingOf = (word: number, layer: 'layer1' | 'layer2' | 'layer3'): number =>
  ((word >>> 9) & 1) * (layer === 'layer1' ? 4 : 1);
