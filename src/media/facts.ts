/** What is known of a media file once its bytes were looked at, and the error for bytes that are no media. */
export interface MediaFacts {
  /** From the content, never from a name: `image/png`, `audio/wav`, `audio/mpeg`, `video/mp4` and so on. */
  mediaType: MediaType;
  bytes: number;
  /** Of a video or audio, rounded half up to the millisecond. */
  durationMs?: number;
  /** In pixels, as shown (a rotated video has its sides exchanged). */
  width?: number;
  height?: number;
  hasVideo: boolean;
  hasAudio: boolean;
}

export type MediaType =
  | 'image/png'
  | 'image/jpeg'
  | 'image/webp'
  | 'image/gif'
  | 'audio/wav'
  | 'audio/mpeg'
  | 'audio/mp4'
  | 'video/mp4'
  | 'video/quicktime';

/** The bytes are no media file that can be used. The message says what was found, in words for the caller. */
export class InvalidMedia extends Error {
  override readonly name = 'InvalidMedia';
}

/** A duration of `count` units of 1/`perSecond` s in whole milliseconds, rounded half up. */
export const unitsToMs = (count: number, perSecond: number): number => Math.floor((count * 1000) / perSecond + 0.5);
