/** Whether media that a page shows can really be seen: frames that were played, an image that was decoded. */
import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import * as z from 'zod';

const playTimeoutMs = 30_000;

/** What must have been played, in seconds of the video; less of one that ends before. */
const playedSecondsMin = 0.4;
const playedFramesMin = 4;

const playback = z.object({
  error: z.string().nullable(),
  played: z.number(),
  frames: z.number(),
  readyState: z.number(),
  width: z.number(),
  height: z.number(),
});

/** Plays a `<video>`, if it isn't playing, until its time has gone on and frames were shown; returns its size in pixels. */
export async function playsFrames(video: Locator): Promise<{ width: number; height: number }> {
  const found = playback.parse(
    await video.evaluate(playSome, {
      play_timeout_ms: playTimeoutMs,
      played_seconds_min: playedSecondsMin,
      played_frames_min: playedFramesMin,
    }),
  );
  const reported = `the video does not play: ${JSON.stringify(found)}`;
  assert.equal(found.error, null, reported);
  assert(found.frames >= playedFramesMin && found.played > 0 && found.readyState >= 2, reported);
  assert(found.width > 0 && found.height > 0, reported);
  return { width: found.width, height: found.height };
}

const size = z.object({ width: z.number(), height: z.number() });

/** Waits until an `<img>` is decoded; returns its size in pixels. Fails if it is broken. */
export async function decodedSize(image: Locator): Promise<{ width: number; height: number }> {
  const found = size.parse(
    await image.evaluate(async (element: ImageElement) => {
      await element.decode().catch(() => undefined); // then its size is 0
      return { width: element.naturalWidth, height: element.naturalHeight };
    }),
  );
  assert(found.width > 0 && found.height > 0, 'the image is broken');
  return found;
}

/** What we use of the browser's elements: types of a browser's would stand everywhere in a program for Node. */
interface ImageElement {
  decode(): Promise<void>;
  naturalWidth: number;
  naturalHeight: number;
}

interface VideoElement {
  paused: boolean;
  ended: boolean;
  currentTime: number;
  readyState: number;
  videoWidth: number;
  videoHeight: number;
  error: { code: number; message: string } | null;
  play(): Promise<void>;
  getVideoPlaybackQuality(): { totalVideoFrames: number; droppedVideoFrames: number };
}

/** Runs in the page, so it names nothing from outside; nor has it named functions, which the compiler would wrap in a helper. */
async function playSome(
  video: VideoElement,
  minimum: { play_timeout_ms: number; played_seconds_min: number; played_frames_min: number },
): Promise<z.output<typeof playback>> {
  const until = performance.now() + minimum.play_timeout_ms;
  const start = video.ended ? 0 : video.currentTime;
  let error: string | null = null;
  let frames = 0;
  if (video.paused && !video.ended) await video.play().catch((reason: unknown) => (error = String(reason)));
  while (error === null && performance.now() < until) {
    const { totalVideoFrames, droppedVideoFrames } = video.getVideoPlaybackQuality();
    frames = totalVideoFrames - droppedVideoFrames;
    const isLong = video.currentTime - start >= minimum.played_seconds_min;
    if (video.ended || (isLong && frames >= minimum.played_frames_min)) break;
    if (video.error) error = `code ${video.error.code}: ${video.error.message}`;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    error,
    played: video.currentTime - start,
    frames,
    readyState: video.readyState,
    width: video.videoWidth,
    height: video.videoHeight,
  };
}
