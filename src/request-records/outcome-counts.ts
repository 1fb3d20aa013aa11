/** What came of requests and calls, counted by five minutes as their records are written: right at any rate of them. */
import { bigints, moments, texts } from '../postgres/binary-arrays.ts';
import type { Attempt } from './call-record.ts';

const slotMs = 300_000;

/** What of a request's record says how it went. */
interface Ended {
  createdAt: Date;
  model: string | undefined;
  provider: string | undefined;
  taskId: string | undefined;
  status: number;
  code: string | undefined;
  attempts: readonly Attempt[] | undefined;
}

interface OutcomeCount {
  slot: Date;
  /** Empty: of all requests. */
  model: string;
  /** Empty: of the calls of the model as a whole. */
  provider: string;
  /** Empty: it succeeded. */
  code: string;
  count: bigint;
}

/** SQL that adds counts to what is there; `first` is the number of the first of its five parameters. */
export const addCountsText = (first: number): string => {
  const [slot, model, provider, code, count] = [0, 1, 2, 3, 4].map((at) => `$${first + at}`);
  // In one order everywhere, so that processes which add to the same rows wait for each other and never in a circle.
  return `insert into outcome_counts as c (slot, model, provider, code, count)
    select * from unnest(${slot}::timestamptz[], ${model}::text[], ${provider}::text[], ${code}::text[], ${count}::bigint[])
    order by 1, 2, 3, 4
    on conflict (slot, model, provider, code) do update set count = c.count + excluded.count`;
};

/** The parameters of `addCountsText` for these records. */
export function countValues(records: readonly Ended[]): unknown[] {
  const counts = countsOf(records);
  return [
    moments(counts, ({ slot }) => slot),
    texts(counts, ({ model }) => model),
    texts(counts, ({ provider }) => provider),
    texts(counts, ({ code }) => code),
    bigints(counts, ({ count }) => count),
  ];
}

function countsOf(records: readonly Ended[]): OutcomeCount[] {
  const counts = new Map<string, OutcomeCount>();
  const add = (record: Ended, model: string, provider: string, code: string | undefined) => {
    if (code === undefined) return; // it has no name, and is no fault of a route
    const slotAtMs = Math.floor(record.createdAt.getTime() / slotMs) * slotMs;
    const name = `${slotAtMs}\n${model}\n${provider}\n${code}`;
    const known = counts.get(name);
    if (known) known.count++;
    else counts.set(name, { slot: new Date(slotAtMs), model, provider, code, count: 1n });
  };
  for (const record of records) {
    const { model, provider, taskId, status, code, attempts } = record;
    const isGood = status < 400 && code === undefined;
    add(record, '', '', isGood ? '' : (code ?? String(status)));
    if (provider === undefined || model === undefined || taskId !== undefined) continue;
    const outcome = isGood ? '' : code;
    add(record, model, '', outcome);
    if (attempts === undefined) add(record, model, provider, outcome);
    // One without a fault gave the answer, which may have broken off.
    for (const { provider: asked, fault, code: its } of attempts ?? [])
      add(record, model, asked, fault !== undefined ? its : code === 'upstream_error' ? code : '');
  }
  return [...counts.values()];
}
