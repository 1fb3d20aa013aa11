/** The movie header and tracks of an MP4, from their own headers: the tables of samples, which may be huge, are not read. */
import { InvalidMedia } from './facts.ts';
import { type Box, boxesIn, type Budget } from './mp4-boxes.ts';
import { readAt, type MediaReader } from './reader.ts';

const tracksMax = 64;

export interface Movie {
  /** Undefined where it is 0 or unknown. */
  seconds: number | undefined;
  /** Whether it goes on in fragments behind the index. */
  isFragmented: boolean;
  tracks: Track[];
  /** Of samples in fragments that don't say it, by the track's id. */
  sampleUnits: Map<number, number>;
}

export interface Track {
  id: number;
  kind: 'video' | 'audio' | 'other';
  unitsPerSecond: number;
  seconds: number | undefined;
  /** In pixels, as shown; 0 of anything but video. */
  width: number;
  height: number;
}

export async function readMovie(reader: MediaReader, movie: Box, budget: Budget): Promise<Movie> {
  const found: Movie = { seconds: undefined, isFragmented: false, tracks: [], sampleUnits: new Map() };
  for await (const box of boxesIn(reader, movie, budget)) {
    if (box.type === 'mvhd') found.seconds = timesOf(await content(reader, box, 32)).seconds;
    if (box.type === 'trak') {
      if (found.tracks.length === tracksMax) throw new InvalidMedia('the MP4 has too many tracks');
      found.tracks.push(await readTrack(reader, box, budget));
    }
    if (box.type === 'mvex') {
      found.isFragmented = true;
      for await (const { type, start } of boxesIn(reader, box, budget)) {
        const trex = type === 'trex' ? await readAt(reader, start, 16) : Buffer.alloc(0);
        if (trex.length === 16) found.sampleUnits.set(trex.readUInt32BE(4), trex.readUInt32BE(12));
      }
    }
  }
  return found;
}

async function readTrack(reader: MediaReader, outer: Box, budget: Budget): Promise<Track> {
  const track: Track = { id: 0, kind: 'other', unitsPerSecond: 0, seconds: undefined, width: 0, height: 0 };
  const turn = { isOnItsSide: false };
  const visit = async (parent: Box): Promise<void> => {
    for await (const box of boxesIn(reader, parent, budget)) {
      if (['mdia', 'minf', 'stbl'].includes(box.type)) await visit(box);
      if (box.type === 'tkhd') {
        const head = await content(reader, box, 96);
        const isLong = head.length > 0 && head.readUInt8(0) === 1;
        if (head.length < (isLong ? 88 : 76)) throw new InvalidMedia('the MP4 has an invalid track header');
        track.id = head.readUInt32BE(isLong ? 20 : 12);
        const matrix = head.subarray(isLong ? 52 : 40);
        turn.isOnItsSide = matrix.readInt32BE(0) === 0 && matrix.readInt32BE(16) === 0 && matrix.readInt32BE(4) !== 0;
      }
      if (box.type === 'mdhd') {
        const { seconds, perSecond } = timesOf(await content(reader, box, 32));
        [track.seconds, track.unitsPerSecond] = [seconds, perSecond];
      }
      // QuickTime has a second one, of where the data is.
      if (box.type === 'hdlr' && track.kind === 'other') {
        const handler = (await content(reader, box, 12)).toString('latin1', 8, 12);
        track.kind = handler === 'vide' ? 'video' : handler === 'soun' ? 'audio' : 'other';
      }
      if (box.type === 'stsd' && track.kind === 'video') Object.assign(track, await sizeOf(reader, box, budget));
    }
  };
  await visit(outer);
  return turn.isOnItsSide ? { ...track, width: track.height, height: track.width } : track;
}

/** The size of the first sample description, with its pixels made square. */
async function sizeOf(reader: MediaReader, box: Box, budget: Budget): Promise<{ width: number; height: number }> {
  for await (const entry of boxesIn(reader, { start: box.start + 8, end: box.end }, budget)) {
    const head = await content(reader, entry, 78);
    if (head.length < 78) break;
    const [width, height] = [head.readUInt16BE(24), head.readUInt16BE(26)];
    for await (const { type, start, end } of boxesIn(reader, { start: entry.start + 78, end: entry.end }, budget)) {
      if (type !== 'pasp' || end - start < 8) continue;
      const pixel = await readAt(reader, start, 8);
      const [across, down] = [pixel.readUInt32BE(0), pixel.readUInt32BE(4)];
      if (across === 0 || down === 0) break;
      if (across > down) return { width: Math.round((width * across) / down), height };
      return { width, height: Math.round((height * down) / across) };
    }
    return { width, height };
  }
  return { width: 0, height: 0 };
}

/** At most so much of a box. */
const content = (reader: MediaReader, { start, end }: Box, bytesMax: number): Promise<Buffer> =>
  readAt(reader, start, Math.min(bytesMax, end - start));

/** What a movie or media header says; the first fields of both are the same. */
function timesOf(head: Buffer): { perSecond: number; seconds: number | undefined } {
  const isLong = head.length > 0 && head.readUInt8(0) === 1;
  if (head.length < (isLong ? 32 : 20)) return { perSecond: 0, seconds: undefined };
  const perSecond = head.readUInt32BE(isLong ? 20 : 12);
  const units = isLong ? Number(head.readBigUInt64BE(24)) : head.readUInt32BE(16);
  const isUnknown = units === 0 || units >= (isLong ? 2 ** 64 - 1 : 0xffffffff) || perSecond === 0;
  return { perSecond, seconds: isUnknown ? undefined : units / perSecond };
}
