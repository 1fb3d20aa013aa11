/** Probing: what a media file is and how long or large it is, by its bytes alone. */
import { InvalidMedia, type MediaFacts } from './facts.ts';
import { probeGif, probeJpeg, probePng, probeWebp } from './image-facts.ts';
import { looksLikeMp3, probeMp3 } from './mp3.ts';
import { probeMp4 } from './mp4.ts';
import { readAhead, readAt, type MediaReader } from './reader.ts';
import { probeWav } from './wav.ts';

export { InvalidMedia, type MediaFacts } from './facts.ts';
export type { MediaReader } from './reader.ts';

/**
 * Measures a media file: type, size in pixels, duration (the container's, as ffprobe's `format.duration`) and tracks.
 * Reads only headers and indexes, ahead and a bounded number of times; an MP3 is walked frame by frame in small chunks.
 * Refuses with `InvalidMedia` what is no such file, is cut short, lasts no time, or could be played in two ways.
 */
export async function probeMedia(source: MediaReader): Promise<MediaFacts> {
  const reader = readAhead(source);
  const head = await readAt(reader, 0, 16);
  if (head.length === 0) throw new InvalidMedia('the file is empty');
  const tag = (start: number, end: number) => head.toString('latin1', start, end);
  if (tag(0, 8) === '\x89PNG\r\n\x1a\n') return probePng(reader);
  if (tag(0, 3) === '\xff\xd8\xff') return probeJpeg(reader);
  if (tag(0, 4) === 'GIF8') return probeGif(reader);
  if (tag(0, 4) === 'RIFF' && tag(8, 12) === 'WEBP') return probeWebp(reader);
  if (['RIFF', 'RF64'].includes(tag(0, 4)) && tag(8, 12) === 'WAVE') return probeWav(reader);
  if (['ftyp', 'styp', 'moov', 'wide', 'mdat'].includes(tag(4, 8))) return probeMp4(reader);
  if (await looksLikeMp3(reader)) return probeMp3(reader);
  throw new InvalidMedia('the content is not PNG, JPEG, WebP, GIF, WAV, MP3 or MP4');
}
