/** How long an MP4 lasts whose samples are listed in fragments (`moof`) behind its index, as cameras and streams write it. */
import { boxesOf } from './mp4-boxes.ts';
import type { Movie } from './mp4-tracks.ts';

/** Where each track ends so far, in its own units, by its id. */
export type TrackEnds = Map<number, number>;

/** Moves the ends of the tracks to where those of this fragment are; what makes no sense in it is passed over. */
export function takeFragment(fragment: Buffer, { sampleUnits }: Movie, ends: TrackEnds): void {
  for (const track of boxesOf(fragment, { start: 0, end: fragment.length })) {
    if (track.type !== 'traf') continue;
    let id = 0;
    let units = 0;
    let at: number | undefined;
    for (const { type, start, end } of boxesOf(fragment, track)) {
      const content = fragment.subarray(start, end);
      if (type === 'tfhd' && content.length >= 8) {
        id = content.readUInt32BE(4);
        units = defaultUnits(content) ?? sampleUnits.get(id) ?? 0;
      }
      if (type === 'tfdt' && content.length >= 8) {
        const isLong = content.readUInt8(0) === 1 && content.length >= 12;
        at = isLong ? Number(content.readBigUInt64BE(4)) : content.readUInt32BE(4);
      }
      if (type === 'trun') at = (at ?? ends.get(id) ?? 0) + unitsOfRun(content, units);
    }
    if (at !== undefined) ends.set(id, Math.max(at, ends.get(id) ?? 0));
  }
}

/** In seconds, of the longest track; 0 without any. */
export const secondsOf = ({ tracks }: Movie, ends: TrackEnds): number =>
  Math.max(
    0,
    ...tracks.map(({ id, unitsPerSecond }) => (unitsPerSecond > 0 ? (ends.get(id) ?? 0) / unitsPerSecond : 0)),
  );

/** The flags say which of the fields before it are there. */
function defaultUnits(content: Buffer): number | undefined {
  const flags = content.readUIntBE(1, 3);
  const place = 8 + (flags & 0x1 ? 8 : 0) + (flags & 0x2 ? 4 : 0);
  return flags & 0x8 && content.length >= place + 4 ? content.readUInt32BE(place) : undefined;
}

function unitsOfRun(content: Buffer, defaultUnits: number): number {
  if (content.length < 8) return 0;
  const flags = content.readUIntBE(1, 3);
  const samples = content.readUInt32BE(4);
  if (!(flags & 0x100)) return samples * defaultUnits;
  const first = 8 + (flags & 0x1 ? 4 : 0) + (flags & 0x4 ? 4 : 0);
  const step = 4 + (flags & 0x200 ? 4 : 0) + (flags & 0x400 ? 4 : 0) + (flags & 0x800 ? 4 : 0);
  let units = 0;
  for (let sample = 0, at = first; sample < samples && at + 4 <= content.length; sample++, at += step) {
    units += content.readUInt32BE(at);
  }
  return units;
}
