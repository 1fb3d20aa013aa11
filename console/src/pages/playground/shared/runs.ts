/** The tasks that were begun on a page, newest first: kept in the tab by their ids, so that coming back shows them. */
import { useEffect, useRef, useState } from 'react';
import { useDraftName, keep, kept } from './draft.ts';
import { newIdempotencyKey } from './ids.ts';

export interface Run {
  id: string;
  /** What was asked for, in the words of the form. */
  label: string;
}

const runsMax = 12;

export function useRuns(page: string) {
  const name = useDraftName(`${page}.runs`);
  const [runs, setRuns] = useState(() => readRuns(name));
  useEffect(() => keep(name, runs), [name, runs]);
  return {
    runs,
    begun: (run: Run) => setRuns((before) => [run, ...before].slice(0, runsMax)),
    remove: (id: string) => setRuns((before) => before.filter((run) => run.id !== id)),
  };
}

/**
 * Begins tasks one at a time. A body that is sent again because no answer came has the same Idempotency-Key, so that it is
 * never paid twice.
 */
export function useBegin(begin: (body: Record<string, unknown>, key: string) => Promise<void>) {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const last = useRef<{ text: string; key: string }>(undefined);
  const run = async (body: Record<string, unknown>) => {
    const text = JSON.stringify(body);
    if (last.current?.text !== text) last.current = { text, key: newIdempotencyKey() };
    setBusy(true);
    setError(undefined);
    try {
      await begin(body, last.current.key);
      last.current = undefined;
    } catch (thrown) {
      setError(thrown);
    } finally {
      setBusy(false);
    }
  };
  return { run: (body: Record<string, unknown>) => void run(body), isBusy, error };
}

function readRuns(name: string): Run[] {
  const stored = kept(name);
  if (!Array.isArray(stored)) return [];
  return stored.flatMap((run: unknown) => (isRun(run) ? [run] : []));
}

const isRun = (value: unknown): value is Run =>
  typeof value === 'object' &&
  value !== null &&
  'id' in value &&
  typeof value.id === 'string' &&
  'label' in value &&
  typeof value.label === 'string';
