/** The simulator's video: a card with something that moves, of exactly the length asked for. */
import { layOutCard } from '../card.ts';
import { cardFrames } from './frames.ts';
import { encodeH264 } from './h264.ts';
import { writeMp4 } from './mux.ts';
import { toneTrack } from './audio.ts';
import type { VideoTask } from './tasks.ts';

const framesPerSecond = 10;

/** Writes the video to `outputPath`; the same task gives the same bytes. */
export async function makeVideo(task: VideoTask): Promise<void> {
  const { width, height, durationMs } = task;
  const count = Math.max(1, Math.ceil((durationMs * framesPerSecond) / 1_000));
  const frames = cardFrames(layOutCard(width, height, task.card), count);
  const video = await encodeH264({ width, height, framesPerSecond, frames, durationMs });
  await writeMp4(task.outputPath, video, task.hasAudio ? await toneTrack(durationMs) : undefined);
}
