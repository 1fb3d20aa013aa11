/** The boxes of an MP4 (ISO 14496-12): size, type, content. Every one costs a look, so their number is bounded. */
import { InvalidMedia } from './facts.ts';
import { readAt, type MediaReader } from './reader.ts';

export interface Box {
  type: string;
  /** Of the content. */
  start: number;
  end: number;
}

/** How many boxes of a file may still be looked at. */
export interface Budget {
  boxes: number;
}

/**
 * The boxes between two places, up to the first that makes no sense. Refuses with `InvalidMedia` one that does not lie
 * within them, and more than the budget has.
 */
export async function* boxesIn(
  reader: MediaReader,
  { start, end }: { start: number; end: number },
  budget: Budget,
): AsyncGenerator<Box> {
  for (let position = start; position < end;) {
    const box = boxAt(await readAt(reader, position, 16), position, end);
    if (box === undefined) return;
    if (box.end > end) throw new InvalidMedia('the MP4 is truncated');
    if (budget.boxes-- <= 0) throw new InvalidMedia('the MP4 has too many boxes');
    yield box;
    position = box.end;
  }
}

/** The same for boxes that are in memory, whose places are those of the bytes. */
export function* boxesOf(bytes: Buffer, { start, end }: { start: number; end: number }): Generator<Box> {
  for (let position = start; position < end;) {
    const box = boxAt(bytes.subarray(position, position + 16), position, end);
    if (box === undefined || box.end > end) return;
    yield box;
    position = box.end;
  }
}

/** A size of 0 goes on to the end, one of 1 stands behind the type in 64 bits. */
function boxAt(head: Buffer, position: number, outerEnd: number): Box | undefined {
  if (head.length < 8) return undefined;
  const type = head.toString('latin1', 4, 8);
  const size = head.readUInt32BE(0);
  if (size === 0) return { type, start: position + 8, end: outerEnd };
  if (size !== 1) return size < 8 ? undefined : { type, start: position + 8, end: position + size };
  if (head.length < 16) return undefined;
  const largeSize = Number(head.readBigUInt64BE(8));
  return largeSize < 16 ? undefined : { type, start: position + 16, end: position + largeSize };
}
