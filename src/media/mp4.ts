/** MP4 and QuickTime: what the container's headers say. Tables of samples are not read: their counts can be made up. */
import { InvalidMedia, unitsToMs, type MediaFacts } from './facts.ts';
import { boxesIn, type Budget } from './mp4-boxes.ts';
import { secondsOf, takeFragment, type TrackEnds } from './mp4-fragments.ts';
import { type Movie, readMovie } from './mp4-tracks.ts';
import { readAt, type MediaReader } from './reader.ts';

/** The index of 10 hours of 60 frames a second takes about 30 MiB. */
const indexBytesMax = 67_108_864;
/** Two boxes a fragment: a day of fragments of two seconds. */
const boxesMax = 100_000;
/** Headers, tracks and tags of a movie; only containers of them are looked into. */
const movieBoxesMax = 4_096;
/** A fragment describes a few seconds; its head is read as a whole. */
const fragmentBytesMax = 1_048_576;
/** A week, and a number that money can be worked out of. */
const durationMsMax = 604_800_000;

/**
 * Measures an MP4 (or QuickTime) file: duration as ffprobe's `format.duration`, which is the movie header's, or the end
 * of the longest track where the header has none (fragmented files).
 * Refuses with `InvalidMedia` a file that is cut short, has no tracks, or lasts no time.
 */
export async function probeMp4(reader: MediaReader): Promise<MediaFacts> {
  const { brand, movie, fragmentSeconds } = await readOutline(reader);
  const video = movie.tracks.find(({ kind }) => kind === 'video');
  const audio = movie.tracks.find(({ kind }) => kind === 'audio');
  if (!video && !audio) throw new InvalidMedia('the MP4 has neither video nor audio');
  const durationMs = unitsToMs(secondsIn(movie, fragmentSeconds), 1);
  if (!(durationMs > 0)) throw new InvalidMedia('the duration of the MP4 is zero');
  if (durationMs > durationMsMax) throw new InvalidMedia('the MP4 is longer than a week by its header');
  const { bytes } = reader;
  if (!video) return { mediaType: 'audio/mp4', bytes, durationMs, hasVideo: false, hasAudio: true };
  const { width, height } = video;
  if (width === 0 || height === 0) throw new InvalidMedia('the MP4 has a video track without a size');
  const mediaType = brand === 'qt  ' ? 'video/quicktime' : 'video/mp4';
  return { mediaType, bytes, durationMs, width, height, hasVideo: true, hasAudio: audio !== undefined };
}

function secondsIn(movie: Movie, fragmentSeconds: number): number {
  const ofTracks = Math.max(0, ...movie.tracks.map(({ seconds }) => seconds ?? 0));
  if (movie.isFragmented) return Math.max(fragmentSeconds, ofTracks);
  return movie.seconds ?? ofTracks;
}

/** Walks the top level (ISO 14496-12): every box must lie within the file, and there must be an index. */
async function readOutline(reader: MediaReader): Promise<{ brand: string; movie: Movie; fragmentSeconds: number }> {
  let brand = '';
  let movie: Movie | undefined;
  const ends: TrackEnds = new Map();
  const budget: Budget = { boxes: boxesMax };
  for await (const box of boxesIn(reader, { start: 0, end: reader.bytes }, budget)) {
    const bytes = box.end - box.start;
    if (box.type === 'ftyp') brand = (await readAt(reader, box.start, 4)).toString('latin1');
    if (box.type === 'moov') {
      if (bytes > indexBytesMax) throw new InvalidMedia('the index of the MP4 is too large');
      if (movie) throw new InvalidMedia('the MP4 has two indexes');
      movie = await readMovie(reader, box, { boxes: movieBoxesMax });
    }
    if (box.type === 'moof' && movie?.isFragmented) {
      if (bytes > fragmentBytesMax) throw new InvalidMedia('a fragment of the MP4 is too large');
      takeFragment(await readAt(reader, box.start, bytes), movie, ends);
    }
  }
  if (!movie) throw new InvalidMedia('the MP4 has no index; it may be truncated');
  return { brand, movie, fragmentSeconds: secondsOf(movie, ends) };
}
