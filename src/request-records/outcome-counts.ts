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

type ByModel = Map<string, ByProvider>;
type ByProvider = Map<string, ByCode>;
type ByCode = Map<string, OutcomeCount>;

/** Counts of a group of records. */
export class OutcomeCounts {
  /** By slot, model, provider and code: putting a text of all four together cost each record a microsecond. */
  readonly #counts = new Map<number, ByModel>();

  add({ createdAt, model, provider, taskId, status, code, attempts }: Ended): void {
    const slotAtMs = Math.floor(createdAt.getTime() / slotMs) * slotMs;
    const isGood = status < 400 && code === undefined;
    this.#count({ slotAtMs, model: '', provider: '', code: isGood ? '' : (code ?? String(status)) });
    if (provider === undefined || model === undefined || taskId !== undefined) return;
    const add = (its: string, outcome: string | undefined) => {
      // Without a name it is no fault of a route.
      if (outcome !== undefined) this.#count({ slotAtMs, model, provider: its, code: outcome });
    };
    const outcome = isGood ? '' : code;
    add('', outcome);
    if (attempts === undefined) add(provider, outcome);
    // One without a fault gave the answer, which may have broken off.
    for (const { provider: asked, fault, code: its } of attempts ?? [])
      add(asked, fault !== undefined ? its : code === 'upstream_error' ? code : '');
  }

  all(): OutcomeCount[] {
    const ofModels = [...this.#counts.values()].flatMap((byModel) => [...byModel.values()]);
    const ofProviders = ofModels.flatMap((byProvider) => [...byProvider.values()]);
    return ofProviders.flatMap((byCode) => [...byCode.values()]);
  }

  #count({ slotAtMs, model, provider, code }: Omit<OutcomeCount, 'count'>): void {
    const byModel = valueIn(this.#counts, slotAtMs, (): ByModel => new Map());
    const byProvider = valueIn(byModel, model, (): ByProvider => new Map());
    const byCode = valueIn(byProvider, provider, (): ByCode => new Map());
    valueIn(byCode, code, () => ({ slotAtMs, model, provider, code, count: 0 })).count++;
  }
}

/** The value of the key, which is made if there is none. */
function valueIn<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
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
