/** The simulator's avatars: a given video, looped or cut, or a given image as a still, with a given audio track. */
import {
  EncodedPacketSink,
  FilePathSource,
  Input,
  MP4,
  QTFF,
  type EncodedPacket,
  type InputVideoTrack,
} from 'mediabunny';
import { stillFrames, YuvCanvas } from './frames.ts';
import { encodeH264 } from './h264.ts';
import { writeMp4, type Track } from './mux.ts';
import { openImage, resizedRows } from './read-image.ts';
import { fileTrack, type OpenInput } from './audio.ts';
import { UnusableInput, type AvatarTask } from './tasks.ts';

/** Longer side of a still: enough to be recognised. */
const stillSideMax = 640;
/** Of one pass of the given video: an hour of 60 frames a second. What follows is not looked at. */
const packetsMax = 216_000;
/** How far packets may come out of the order of their times. */
const reorderSeconds = 2;

/**
 * Writes an MP4 that lasts exactly as long as the audio's `durationMs`. A video's packets are copied, never encoded.
 * Refuses with `UnusableInput` an input that can't be read.
 */
export async function makeAvatar(task: AvatarTask): Promise<void> {
  const { visual, audio } = task;
  const inputs: Input[] = [];
  const openInput: OpenInput = (path, formats) => {
    const input = new Input({ formats, source: new FilePathSource(path) });
    inputs.push(input);
    return input;
  };
  try {
    const audioTrack = await fileTrack(audio, task.scratchPath, openInput);
    const videoTrack = visual.isStill
      ? await stillTrack(visual.path, audio.durationMs)
      : await loopedTrack(openInput(visual.path, [MP4, QTFF]), audio.durationMs);
    await writeMp4(task.outputPath, videoTrack, audioTrack);
  } finally {
    for (const input of inputs) input.dispose();
  }
}

async function stillTrack(path: string, durationMs: number): Promise<Track> {
  const image = await openImage(path);
  const scale = Math.min(1, stillSideMax / Math.max(image.width, image.height));
  // The encoder takes even sizes from 16 on.
  const [width, height] = [image.width, image.height].map((side) => Math.max(16, 2 * Math.round((side * scale) / 2)));
  if (width === undefined || height === undefined) throw new Error('an image has two sides');
  const canvas = new YuvCanvas(width, height);
  let y = 0;
  for await (const row of resizedRows(image, width, height)) {
    canvas.paint(y, (x) => [row[x * 3] ?? 0, row[x * 3 + 1] ?? 0, row[x * 3 + 2] ?? 0]);
    y += 1;
  }
  const frames = stillFrames(canvas.planes, Math.ceil(durationMs / 1_000));
  return encodeH264({ width, height, framesPerSecond: 1, frames, durationMs });
}

async function loopedTrack(input: Input, durationMs: number): Promise<Track> {
  const track = await input.getPrimaryVideoTrack();
  const codec = (await track?.getCodec()) ?? null;
  if (track === null || codec === null) throw new UnusableInput('visual', 'its video has an unknown codec');
  const plan = await planLoop(track, durationMs / 1_000);
  return {
    codec,
    decoderConfig: await track.getDecoderConfig(),
    rotation: await track.getRotation(),
    packets: loopedPackets(track, plan),
    packetsMax: plan.count,
  };
}

interface LoopPlan {
  start: number;
  /** Of one pass, and its packets. */
  seconds: number;
  perPass: number;
  /** Packets of all passes, in decode order. */
  count: number;
  /** The one that is shown last, and how long it is shown, so that the video lasts exactly as long as it should. */
  last: { at: number; seconds: number };
}

/** Counts through the passes without reading any frame. */
async function planLoop(track: InputVideoTrack, end: number): Promise<LoopPlan> {
  const pass: { timestamp: number; duration: number }[] = [];
  let start = Infinity;
  for await (const packet of new EncodedPacketSink(track).packets(undefined, undefined, { metadataOnly: true })) {
    if (pass.length === 0 && packet.type !== 'key')
      throw new UnusableInput('visual', 'it does not start with a key frame');
    start = Math.min(start, packet.timestamp);
    if (pass.length >= packetsMax || packet.timestamp - start > end + reorderSeconds) break;
    pass.push({ timestamp: packet.timestamp, duration: packet.duration });
  }
  if (pass.length === 0) throw new UnusableInput('visual', 'it has no video track');
  const passEnd = pass.reduce((latest, { timestamp, duration }) => Math.max(latest, timestamp + duration), -Infinity);
  // A single frame without duration stands for all of the time.
  const seconds = passEnd - start > 0.001 ? passEnd - start : end;
  const plan: LoopPlan = { start, seconds, perPass: pass.length, count: 0, last: { at: 0, seconds: end } };
  let latest = -Infinity;
  for (const { timestamp } of timesOf(pass, plan, end)) {
    if (timestamp >= latest) {
      latest = timestamp;
      plan.last = { at: plan.count, seconds: end - timestamp };
    }
    plan.count += 1;
    if (plan.count > packetsMax) throw new UnusableInput('visual', 'it has too many frames for its length');
  }
  return plan;
}

/**
 * Passes follow each other until a packet would begin at the end or later. Packets behind that one in decode order may
 * depend on it, so they go too, and the last one shown stands a little longer.
 */
function* timesOf(
  pass: readonly { timestamp: number }[],
  { start, seconds }: Pick<LoopPlan, 'start' | 'seconds'>,
  end: number,
): Generator<{ timestamp: number }> {
  for (let offset = -start; ; offset += seconds) {
    for (const packet of pass) {
      const timestamp = packet.timestamp + offset;
      if (timestamp >= end - 1e-6) return;
      yield { timestamp };
    }
  }
}

async function* loopedPackets(track: InputVideoTrack, plan: LoopPlan): AsyncGenerator<EncodedPacket, void> {
  const sink = new EncodedPacketSink(track);
  let made = 0;
  for (let offset = -plan.start; made < plan.count; offset += plan.seconds) {
    const passEnd = Math.min(made + plan.perPass, plan.count);
    for await (const packet of sink.packets()) {
      const timestamp = packet.timestamp + offset;
      // The last one in decode order takes the last place in the table of times, whenever it is shown.
      const isLast = made === plan.last.at || made === plan.count - 1;
      yield packet.clone(isLast ? { timestamp, duration: plan.last.seconds } : { timestamp });
      made += 1;
      if (made === passEnd) break;
    }
  }
}
