/** What the encoding thread can be asked for. Files travel by path, so that no media goes through memory twice. */
import type { CardText } from '../card.ts';

export type EncodeTask = VideoTask | AvatarTask | UpscaleTask;

/** A video of a card with something that moves. */
export interface VideoTask {
  kind: 'video';
  width: number;
  height: number;
  durationMs: number;
  card: CardText;
  hasSound: boolean;
  outputPath: string;
}

/** A given picture, moving or still, for as long as a given sound lasts, with that sound. */
export interface AvatarTask {
  kind: 'avatar';
  picture: { path: string; isStill: boolean };
  sound: { path: string; durationMs: number };
  outputPath: string;
  /** For a sound that has to be encoded first; removed by whoever made the task, like all its files. */
  scratchPath: string;
}

/** A given image at another size, as PNG. */
export interface UpscaleTask {
  kind: 'upscale';
  picturePath: string;
  width: number;
  height: number;
  outputPath: string;
}

/** Which input a task could not use. */
export type TaskInput = 'picture' | 'sound';

/** The caller's file is at fault; the message says what was found. */
export class UnusableInput extends Error {
  override readonly name = 'UnusableInput';
  readonly input: TaskInput;

  constructor(input: TaskInput, message: string, cause?: unknown) {
    super(message, { cause });
    this.input = input;
  }
}
