/** What came of requests and calls, counted by five minutes as their records are written: right at any rate of them. */
import type pg from 'pg';
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
  slotAtMs: number;
  /** Empty: of all requests. */
  model: string;
  /** Empty: of the calls of the model as a whole. */
  provider: string;
  /** Empty: it succeeded. */
  code: string;
  count: number;
}

/** Counts of a group of records. */
export class OutcomeCounts {
  readonly #counts = new Map<string, OutcomeCount>();
  /** Which counts the last good call of one route was in: under load the next one often is in the same. */
  #last: { slotAtMs: number; model: string; provider: string; counts: readonly OutcomeCount[] } | undefined;

  add(record: Ended): void {
    const { model, provider, taskId, status, code, attempts } = record;
    const slotAtMs = Math.floor(record.createdAt.getTime() / slotMs) * slotMs;
    const isGood = status < 400 && code === undefined;
    const isCall = provider !== undefined && model !== undefined && taskId === undefined;
    if (!isGood || !isCall || attempts !== undefined) {
      for (const one of this.#countsOf(record, slotAtMs, isGood)) one.count++;
      return;
    }
    if (this.#last?.slotAtMs !== slotAtMs || this.#last.model !== model || this.#last.provider !== provider)
      this.#last = { slotAtMs, model, provider, counts: this.#countsOf(record, slotAtMs, isGood) };
    for (const one of this.#last.counts) one.count++;
  }

  all(): OutcomeCount[] {
    return [...this.#counts.values()];
  }

  /** One more than once, where a route was asked again. */
  #countsOf(
    { model, provider, taskId, status, code, attempts }: Ended,
    slotAtMs: number,
    isGood: boolean,
  ): OutcomeCount[] {
    const found = [this.#of(slotAtMs, '', '', isGood ? '' : (code ?? String(status)))];
    if (provider === undefined || model === undefined || taskId !== undefined) return found;
    const add = (its: string, outcome: string | undefined) => {
      // Without a name it is no fault of a route.
      if (outcome !== undefined) found.push(this.#of(slotAtMs, model, its, outcome));
    };
    const outcome = isGood ? '' : code;
    add('', outcome);
    if (attempts === undefined) add(provider, outcome);
    // One without a fault gave the answer, which may have broken off.
    for (const { provider: asked, fault, code: its } of attempts ?? [])
      add(asked, fault !== undefined ? its : code === 'upstream_error' ? code : '');
    return found;
  }

  #of(slotAtMs: number, model: string, provider: string, code: string): OutcomeCount {
    const name = `${slotAtMs}\n${model}\n${provider}\n${code}`;
    let found = this.#counts.get(name);
    if (!found) {
      found = { slotAtMs, model, provider, code, count: 0 };
      this.#counts.set(name, found);
    }
    return found;
  }
}

// In one order everywhere, so that processes which add to the same rows wait for each other and never in a circle.
const addText = `insert into outcome_counts as c (slot, model, provider, code, count)
  select * from unnest($1::timestamptz[], $2::text[], $3::text[], $4::text[], $5::bigint[]) order by 1, 2, 3, 4
  on conflict (slot, model, provider, code) do update set count = c.count + excluded.count`;

/** Adds them to what is there. */
export async function addCounts(client: pg.ClientBase, counts: OutcomeCounts): Promise<void> {
  const all = counts.all();
  await client.query({
    name: 'add-outcome-counts',
    text: addText,
    values: [
      moments(all, ({ slotAtMs }) => new Date(slotAtMs)),
      texts(all, ({ model }) => model),
      texts(all, ({ provider }) => provider),
      texts(all, ({ code }) => code),
      bigints(all, ({ count }) => BigInt(count)),
    ],
  });
}
