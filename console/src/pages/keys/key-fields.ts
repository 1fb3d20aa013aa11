/** What the form of a key holds, and what the API is asked for by it. */
import type { Answer } from '../../api/client.ts';
import type { operations } from '../../api/schema.ts';

export type Key = Answer<'listKeys'>['data'][number];
export type NewKey = operations['createKey']['requestBody']['content']['application/json'];
export type KeyChanges = operations['changeKey']['requestBody']['content']['application/json'];
export type Window = keyof Key['calls'];

export const levels = ['read', 'chat', 'standard', 'admin'] as const satisfies readonly Key['level'][];
export const windows = ['minute', 'hour', 'day', 'month', 'total'] as const satisfies readonly Window[];
export const expiryDays = [7, 30, 90, 365] as const;

/** Named as the API names them, so that what it refuses is shown at its field. */
export interface KeyFields {
  name: string;
  level: Key['level'];
  /** Empty: all. */
  models: string[];
  /** Addresses and CIDR ranges; empty: all. */
  allowed_ips: string[];
  /** Days from now. */
  expiry: 'never' | 'at' | (typeof expiryDays)[number];
  /** Where `expiry` is 'at': in the reader's zone, as `<input type="datetime-local">` has it. */
  expires_at: string;
  spend_limit: { amount: number | null; per: Window };
  call_limits: { calls: number | null; per: Window }[];
  max_running_tasks: number | null;
  queue: boolean;
}

export const newFields: KeyFields = {
  name: '',
  level: 'standard',
  models: [],
  allowed_ips: [],
  expiry: 'never',
  expires_at: '',
  spend_limit: { amount: null, per: 'month' },
  call_limits: [],
  max_running_tasks: null,
  queue: false,
};

export const fieldsOf = (key: Key): KeyFields => ({
  name: key.name,
  level: key.level,
  models: key.models ?? [],
  allowed_ips: key.allowed_ips ?? [],
  expiry: key.expires_at === null ? 'never' : 'at',
  expires_at: key.expires_at === null ? '' : localText(new Date(key.expires_at)),
  spend_limit: key.spend_limit ?? { amount: null, per: 'month' },
  call_limits: key.call_limits.map((limit) => ({ ...limit })),
  max_running_tasks: key.max_running_tasks,
  queue: key.queue,
});

export const newKeyOf = (fields: KeyFields, now: Date): NewKey => ({
  name: fields.name.trim(),
  level: fields.level,
  ...limitsOf(fields, now),
});

/** Only what was changed in the form: changes made elsewhere meanwhile stay. */
export function changesOf(before: KeyFields, after: KeyFields, now: Date): KeyChanges {
  const [old, wanted] = [before, after].map((fields) => ({ name: fields.name.trim(), ...limitsOf(fields, now) }));
  if (!old || !wanted) return {};
  // A time is shown to the minute: one that wasn't touched is no change.
  if (before.expiry === after.expiry && before.expires_at === after.expires_at && after.expiry === 'at')
    wanted.expires_at = old.expires_at;
  const changed = Object.entries(wanted).filter(
    ([field, value]) => JSON.stringify(value) !== JSON.stringify(old[field as keyof typeof old]),
  );
  return Object.fromEntries(changed);
}

/** The moment that the form names, or null for never. */
export function expiryOf({ expiry, expires_at: at }: Pick<KeyFields, 'expiry' | 'expires_at'>, now: Date): Date | null {
  if (expiry === 'never') return null;
  return expiry === 'at' ? new Date(at) : new Date(now.getTime() + expiry * 86_400_000);
}

function limitsOf(fields: KeyFields, now: Date) {
  const { amount, per } = fields.spend_limit;
  return {
    models: fields.models.length === 0 ? null : fields.models,
    allowed_ips: fields.allowed_ips.length === 0 ? null : fields.allowed_ips,
    expires_at: expiryOf(fields, now)?.toISOString() ?? null,
    spend_limit: amount === null ? null : { amount, per },
    call_limits: fields.call_limits.flatMap((limit) =>
      limit.calls === null ? [] : [{ calls: limit.calls, per: limit.per }],
    ),
    max_running_tasks: fields.max_running_tasks,
    queue: fields.queue,
  };
}

/** A moment in the reader's zone, to the minute, as `<input type="datetime-local">` takes it. */
function localText(moment: Date): string {
  const shifted = new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 16);
}
