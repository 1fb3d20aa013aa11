/** Rows that don't move while they are read: those that arrive wait above until the reader is at the top again. */
import { useState, useSyncExternalStore } from 'react';

/** Scrolled further down than this, the reader is reading. */
const topPixels = 160;

export interface HeldRows<Row> {
  /** Each as it is now. */
  rows: readonly Row[];
  /** How many have arrived meanwhile. */
  waiting: number;
}

export function useHeldRows<Row extends { id: string }>(rows: readonly Row[]): HeldRows<Row> {
  const isReading = useSyncExternalStore(followScroll, isBelowTop);
  const [held, setHeld] = useState<readonly Row[]>();
  if (isReading && !held && rows.length > 0) setHeld(rows);
  if (!isReading && held) setHeld(undefined);
  if (!isReading || !held) return { rows, waiting: 0 };
  const now = new Map(rows.map((row) => [row.id, row]));
  const known = new Set(held.map(({ id }) => id));
  return {
    rows: held.map((row) => now.get(row.id) ?? row),
    waiting: rows.filter(({ id }) => !known.has(id)).length,
  };
}

const isBelowTop = (): boolean => window.scrollY > topPixels;

function followScroll(notify: () => void): () => void {
  window.addEventListener('scroll', notify, { passive: true });
  return () => window.removeEventListener('scroll', notify);
}
