/** API keys as the console shows them: how they stand, what they did so far, and who made them. */
import * as z from 'zod';
import { countersAt, runningAndQueued, type WindowCounts } from '../../domain/billing/admission.ts';
import { type Window, windowEnd } from '../../domain/accounts/key-rules.ts';
import type { AccountId } from '../../domain/ids.ts';
import { micros, toAmount } from '../../domain/money.ts';
import { unixSeconds } from '../../domain/unix-seconds.ts';
import type { ApiKey } from '../../accounts/api-keys.ts';
import { keyMakers } from '../../accounts/key-makers.ts';
import { findPlaygroundKeyId } from '../../accounts/playground-keys.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { keyFields, keyObject } from '../presenters/keys.ts';

const perWindow = <Count extends z.ZodType>(count: Count) =>
  z.strictObject({ minute: count, hour: count, day: count, month: count, total: count });

const makerRecord = z.strictObject({
  kind: z.enum(['person', 'operator', 'key', 'cli', 'tollgate', 'unknown']),
  /** The e-mail address of a person, the name of a key. */
  name: z.string().nullable(),
  /** Of a key, or of a person. */
  id: z.string().nullable(),
});

export const consoleKeyRecord = z.strictObject({
  ...keyFields,
  state: z.enum(['active', 'expired', 'revoked']),
  /** Its calls are those of the playground; its secret was thrown away. */
  is_playground: z.boolean(),
  created_by: makerRecord,
  /** In the windows of now, `total` since it was made. */
  calls: perWindow(z.int()),
  /** Amounts, likewise; what is held counts as spent. */
  spent: perWindow(z.number()),
  /** When the windows of now end, in Unix seconds; `total` never does. */
  resets: perWindow(z.int().nullable()),
  running_tasks: z.int(),
  /** Those that wait for their turn. */
  queued_tasks: z.int(),
});

/** Returns how keys of the account are shown now; these keys' makers are known. */
export async function keyPresenter({ database }: ApiDependencies, account: AccountId, keys: readonly ApiKey[]) {
  const playground = await findPlaygroundKeyId(database, account);
  const makers = await keyMakers(
    database,
    account,
    keys.map(({ createdBy }) => createdBy),
  );
  const now = new Date();
  return (key: ApiKey): z.input<typeof consoleKeyRecord> => {
    const { calls, spent, countedAt } = countersAt(key.counters, now);
    const { running, queued } = runningAndQueued(key);
    return {
      ...keyObject(key),
      state: key.revoked ? 'revoked' : key.expiresAt && key.expiresAt <= now ? 'expired' : 'active',
      is_playground: key.id === playground,
      created_by: makerOf(key.createdBy),
      calls: inNumbers(calls, Number),
      spent: inNumbers(spent, (amount) => toAmount(micros(amount))),
      resets: resetsAt(countedAt ?? now),
      running_tasks: running,
      queued_tasks: queued,
    };
  };

  function makerOf(actor: string | null): z.input<typeof makerRecord> {
    const [kind = '', id = ''] = actor?.split(':') ?? [];
    const maker = actor === null ? undefined : makers.get(actor);
    if (kind === 'key') return { kind, name: maker?.name ?? null, id };
    if (kind === 'person' && maker?.isOperator === true) return { kind: 'operator', name: null, id: null };
    if (kind === 'person') return { kind, name: maker?.name ?? null, id };
    // Users of the machine are not the account's matter.
    return { kind: kind === 'cli' || kind === 'tollgate' ? kind : 'unknown', name: null, id: null };
  }
}

const inNumbers = (counts: WindowCounts, toNumber: (count: bigint) => number) => ({
  minute: toNumber(counts.minute),
  hour: toNumber(counts.hour),
  day: toNumber(counts.day),
  month: toNumber(counts.month),
  total: toNumber(counts.total),
});

function resetsAt(at: Date): Record<Window, number | null> {
  const end = (window: Window) => {
    const moment = windowEnd(window, at);
    return moment ? unixSeconds(moment) : null;
  };
  return { minute: end('minute'), hour: end('hour'), day: end('day'), month: end('month'), total: null };
}
