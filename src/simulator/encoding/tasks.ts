/** What the encoding thread can be asked for. Files travel by path, so that no media goes through memory twice. */
import type { CardText } from '../card.ts';

export type EncodeTask = VideoTask | AvatarTask | UpscaleTask | EditTask;

/** A video of a card with something that moves. */
export interface VideoTask {
  kind: 'video';
  width: number;
  height: number;
  durationMs: number;
  card: CardText;
  hasAudio: boolean;
  outputPath: string;
}

/** A given video or still image for as long as a given audio file lasts, with that audio. */
export interface AvatarTask {
  kind: 'avatar';
  visual: { path: string; isStill: boolean };
  audio: { path: string; durationMs: number };
  outputPath: string;
  /** For audio that has to be encoded first; whatever made the task removes it, like all its files. */
  scratchPath: string;
}

/** A given image at another size, as PNG. */
export interface UpscaleTask {
  kind: 'upscale';
  imagePath: string;
  width: number;
  height: number;
  outputPath: string;
}

/** Given images side by side under a card's text, as PNG. */
export interface EditTask {
  kind: 'edit';
  imagePaths: readonly string[];
  /** Where it is transparent, or white if it has no transparency, the card takes the place of the images. */
  maskPath?: string;
  /** Turns the images round, as in a mirror. */
  isMirrored: boolean;
  width: number;
  height: number;
  card: CardText;
  outputPath: string;
}

/** Which input a task could not use; `visual` is a video or an image. */
export type TaskInput = 'visual' | 'audio' | 'mask';

/** The caller's file is at fault; the message says what was found. */
export class UnusableInput extends Error {
  override readonly name = 'UnusableInput';
  readonly input: TaskInput;

  constructor(input: TaskInput, message: string, cause?: unknown) {
    super(message, { cause });
    this.input = input;
  }
}
