/** Writes MP4 files: interleaves video and audio packets by time, puts the index in front and sets all dates to zero. */
import { open } from 'node:fs/promises';
import {
  EncodedAudioPacketSource,
  EncodedVideoPacketSource,
  FilePathTarget,
  Logging,
  LogLevel,
  Mp4OutputFormat,
  Output,
  type AudioCodec,
  type EncodedPacket,
  type InputAudioTrack,
  type InputVideoTrack,
  type Rotation,
  type VideoCodec,
} from 'mediabunny';

// It would print warnings about odd files to the console; the caller gets an error for what matters.
Logging.level = LogLevel.Silent;

/** Packets in decode order; the first timestamp is 0. */
export type AudioTrack = Track<AudioCodec, InputAudioTrack>;

/** As `AudioTrack`, of video unless said otherwise. */
export interface Track<Codec = VideoCodec, Input extends InputVideoTrack | InputAudioTrack = InputVideoTrack> {
  codec: Codec;
  /** Of WebCodecs; handed through as the demuxer gave it. */
  decoderConfig: Awaited<ReturnType<Input['getDecoderConfig']>>;
  packets: Iterable<EncodedPacket> | AsyncIterable<EncodedPacket>;
  packetsMax: number;
  rotation?: Rotation;
}

/**
 * Writes an MP4 whose duration is that of its longer track. The same tracks give the same bytes. Packets are drawn one
 * at a time from the track that is behind, so that neither has to be held in memory.
 */
export async function writeMp4(path: string, video: Track, audio?: AudioTrack): Promise<void> {
  const indexes: { start: number; content: Uint8Array }[] = [];
  const output = new Output({
    format: new Mp4OutputFormat({
      fastStart: 'reserve',
      onMoov: (content, start) => indexes.push({ start, content: content.slice() }),
    }),
    target: new FilePathTarget(path),
  });
  const videoSource = new EncodedVideoPacketSource(video.codec);
  const rotation = video.rotation === undefined ? {} : { rotation: video.rotation };
  output.addVideoTrack(videoSource, { maximumPacketCount: video.packetsMax, ...rotation });
  const feeds = [
    feed(video.packets, (packet, isFirst) => videoSource.add(packet, isFirst ? metaOf(video) : undefined)),
  ];
  if (audio !== undefined) {
    const audioSource = new EncodedAudioPacketSource(audio.codec);
    output.addAudioTrack(audioSource, { maximumPacketCount: audio.packetsMax });
    feeds.push(feed(audio.packets, (packet, isFirst) => audioSource.add(packet, isFirst ? metaOf(audio) : undefined)));
  }
  try {
    await output.start();
    await weave(feeds);
    await output.finalize();
  } catch (error) {
    await output.cancel();
    throw error;
  }
  await clearTimes(path, indexes);
}

const metaOf = <Config>({ decoderConfig }: { decoderConfig: Config | null }): { decoderConfig?: Config } =>
  decoderConfig === null ? {} : { decoderConfig };

interface Feed {
  /** The time of the packet to come; infinity at the end. */
  next(): Promise<number>;
  pass(): Promise<void>;
}

function feed(
  packets: Iterable<EncodedPacket> | AsyncIterable<EncodedPacket>,
  add: (packet: EncodedPacket, isFirst: boolean) => Promise<void>,
): Feed {
  const iterator = drawn(packets);
  let waiting: IteratorResult<EncodedPacket, void> | undefined;
  let isFirst = true;
  return {
    next: async () => {
      waiting ??= await iterator.next();
      return waiting.done === true ? Infinity : waiting.value.timestamp;
    },
    pass: async () => {
      if (waiting === undefined || waiting.done === true) return;
      await add(waiting.value, isFirst);
      [waiting, isFirst] = [undefined, false];
    },
  };
}

async function* drawn(
  packets: Iterable<EncodedPacket> | AsyncIterable<EncodedPacket>,
): AsyncGenerator<EncodedPacket, void> {
  yield* packets;
}

async function weave(feeds: readonly Feed[]): Promise<void> {
  for (;;) {
    const times = await Promise.all(feeds.map((each) => each.next()));
    const earliest = Math.min(...times);
    if (earliest === Infinity) return;
    await feeds[times.indexOf(earliest)]?.pass();
  }
}

/** Boxes on the way to the times, and those that hold them right after version and flags (ISO 14496-12). */
const outerBoxes = ['moov', 'trak', 'mdia'];
const timedBoxes = ['mvhd', 'tkhd', 'mdhd'];

/** Sets the times of creation and modification to 0, which means unknown: the clock must not show in the bytes. */
async function clearTimes(path: string, indexes: readonly { start: number; content: Uint8Array }[]): Promise<void> {
  const file = await open(path, 'r+');
  try {
    for (const { start, content } of indexes) {
      const index = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
      clearTimesWithin(index);
      await file.write(index, 0, index.length, start);
    }
  } finally {
    await file.close();
  }
}

function clearTimesWithin(boxes: Buffer): void {
  for (let at = 0; at + 8 <= boxes.length;) {
    const size = boxes.readUInt32BE(at);
    if (size < 8) return;
    const type = boxes.toString('latin1', at + 4, at + 8);
    if (outerBoxes.includes(type)) clearTimesWithin(boxes.subarray(at + 8, at + size));
    if (timedBoxes.includes(type)) boxes.fill(0, at + 12, at + 12 + (boxes[at + 8] === 1 ? 16 : 8));
    at += size;
  }
}
