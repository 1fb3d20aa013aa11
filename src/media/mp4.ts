/** MP4: boxes are walked for what the container says, tracks are read by mediabunny. */
import { CustomSource, Input, Logging, LogLevel, MP4, QTFF } from 'mediabunny';
import { InvalidMedia, unitsToMs, type MediaFacts } from './facts.ts';
import { readAt, type MediaReader } from './reader.ts';

// It would print to the console about odd files; what matters of that is told to the caller.
Logging.level = LogLevel.Silent;

/** The index of 10 hours of 60 frames a second takes about 30 MiB; it is read as a whole. */
const indexBytesMax = 67_108_864;
/** Two boxes a fragment: a day of fragments of two seconds. */
const boxesMax = 100_000;
/** mediabunny keeps this much of the file at most. */
const cacheBytes = 4_194_304;

/**
 * Measures an MP4 (or QuickTime) file: duration as ffprobe's `format.duration`, which is the movie header's, or the end
 * of the longest track where the header has none (fragmented files).
 * Refuses with `InvalidMedia` a file that is cut short, has no tracks, or lasts no time.
 */
export async function probeMp4(reader: MediaReader): Promise<MediaFacts> {
  const outline = await readOutline(reader);
  const failure: { error?: Error } = {};
  const input = openMp4(reader, failure);
  try {
    const [video, audio] = await Promise.all([input.getPrimaryVideoTrack(), input.getPrimaryAudioTrack()]);
    if (video === null && audio === null) throw new InvalidMedia('the MP4 has neither picture nor sound');
    const tracksEndSeconds = await input.computeDuration();
    if (!(tracksEndSeconds > 0)) throw new InvalidMedia('the MP4 has nothing to play in it');
    const durationMs = outline.durationMs ?? unitsToMs(tracksEndSeconds, 1);
    if (durationMs === 0) throw new InvalidMedia('the MP4 lasts no time');
    const { bytes } = reader;
    if (video === null) return { mediaType: 'audio/mp4', bytes, durationMs, hasVideo: false, hasAudio: true };
    const [width, height] = await Promise.all([video.getDisplayWidth(), video.getDisplayHeight()]);
    const mediaType = outline.brand === 'qt  ' ? 'video/quicktime' : 'video/mp4';
    return { mediaType, bytes, durationMs, width, height, hasVideo: true, hasAudio: audio !== null };
  } catch (error) {
    if (error instanceof InvalidMedia) throw error;
    // Whatever a demuxer stumbles over in bytes that were read without an error is the file's fault.
    if (failure.error !== undefined) throw failure.error;
    throw new InvalidMedia('the MP4 has a broken index', { cause: error });
  } finally {
    input.dispose();
  }
}

/** Opens a reader with mediabunny. `failure.error` becomes what reading itself ran into, told apart from a broken file. */
export function openMp4(reader: MediaReader, failure: { error?: Error }): Input {
  const note = (error: unknown) => {
    failure.error = error instanceof Error ? error : new Error(String(error));
  };
  return new Input({
    formats: [MP4, QTFF],
    source: new CustomSource({
      getSize: () => reader.bytes,
      read: async (start, end) => {
        try {
          return await reader.read(start, end);
        } catch (error) {
          note(error);
          throw error;
        }
      },
      maxCacheSize: cacheBytes,
      prefetchProfile: 'fileSystem',
      handleUnhandledError: note,
    }),
  });
}

interface Outline {
  brand: string;
  durationMs: number | undefined;
}

/** Walks the top level (ISO 14496-12): every box must lie within the file, and there must be one index. */
async function readOutline(reader: MediaReader): Promise<Outline> {
  const outline: Outline = { brand: '', durationMs: undefined };
  let hasIndex = false;
  let position = 0;
  for (let count = 0; position < reader.bytes; count++) {
    const box = await readBox(reader, position, reader.bytes);
    if (box === undefined || count > boxesMax) break;
    if (box.end > reader.bytes) throw new InvalidMedia('the MP4 is cut short');
    if (box.type === 'ftyp') outline.brand = (await readAt(reader, box.start, 4)).toString('latin1');
    if (box.type === 'moov') {
      if (box.end - box.start > indexBytesMax) throw new InvalidMedia('the MP4 has too large an index');
      hasIndex = true;
      outline.durationMs = await movieDurationMs(reader, box);
    }
    position = box.end;
  }
  if (!hasIndex) throw new InvalidMedia('the MP4 has no index; it may be cut short');
  return outline;
}

interface Box {
  type: string;
  /** Of the content. */
  start: number;
  end: number;
}

async function readBox(reader: MediaReader, position: number, outerEnd: number): Promise<Box | undefined> {
  const head = await readAt(reader, position, 16);
  if (head.length < 8) return undefined;
  const type = head.toString('latin1', 4, 8);
  const size = head.readUInt32BE(0);
  if (size === 0) return { type, start: position + 8, end: outerEnd };
  if (size !== 1) return size < 8 ? undefined : { type, start: position + 8, end: position + size };
  if (head.length < 16) return undefined;
  const largeSize = Number(head.readBigUInt64BE(8));
  return largeSize < 16 ? undefined : { type, start: position + 16, end: position + largeSize };
}

/** The movie header's duration; undefined where it is 0, unknown, or the movie goes on in fragments. */
async function movieDurationMs(reader: MediaReader, movie: Box): Promise<number | undefined> {
  let durationMs: number | undefined;
  let position = movie.start;
  while (position < movie.end) {
    const box = await readBox(reader, position, movie.end);
    if (box === undefined) break;
    if (box.type === 'mvex') return undefined;
    if (box.type === 'mvhd') durationMs = parseMovieHeader(await readAt(reader, box.start, 32));
    position = box.end;
  }
  return durationMs;
}

function parseMovieHeader(content: Buffer): number | undefined {
  if (content.length < 32) return undefined;
  const isLong = content.readUInt8(0) === 1;
  const perSecond = content.readUInt32BE(isLong ? 20 : 12);
  const units = isLong ? Number(content.readBigUInt64BE(24)) : content.readUInt32BE(16);
  const isUnknown = units === 0 || (!isLong && units === 0xffffffff) || perSecond === 0;
  return isUnknown ? undefined : unitsToMs(units, perSecond);
}
