/**
 * What may be set of an account and its keys, parsed. Unknown fields are refused here, unlike those
 * of images and videos: a limit whose name is misspelt would be a key without that limit.
 */
import { z } from 'zod';
import { parseRange, rangeText } from '../accounts/address-ranges.ts';
import {
  type CallLimit,
  keyLevels,
  type KeyLevel,
  type KeyRules,
  type SpendLimit,
  windows,
} from '../accounts/key-rules.ts';
import { keyAddressesMax, keyNameCharactersMax, keyModelsMax, keyTasksMax, keyCallsMax } from '../limits.ts';
import { type Money, parseAmount } from '../money.ts';
import { isKeepable } from '../text.ts';
import { timeZoneField } from './time-zone.ts';
import { accountNameField } from './operator.ts';
import { flag, httpAddress, integerFrom, listOf, modelId, oneOf } from './fields.ts';
import { invalid, modelIdRule, parseWith } from './parse.ts';

export interface KeyRequest extends KeyRules {
  name: string;
  level: KeyLevel;
}

/** What is not named stays. */
export type KeyChangeRequest = Partial<Pick<KeyRequest, 'name' | keyof KeyRules>>;

/** What is not named stays; null clears. */
export interface AccountChangeRequest {
  name?: string;
  webhookUrl?: string | null;
  lowBalance?: Money | null;
  timeZone?: string;
}

/**
 * The key that a body asks for, without the limits that it doesn't name. Refuses with `missing_parameter` or
 * `invalid_parameter`, also a time of expiry that has passed at `now`.
 */
export const parseKeyRequest = (body: unknown, now: Date): KeyRequest => keyRequestOf(parseWith(keyBody, body), now);

/** The same of a body that its schema has read. */
export function keyRequestOf({ name, level, ...limits }: z.output<typeof keyBody>, now: Date): KeyRequest {
  const {
    models = null,
    callLimits = [],
    spendLimit = null,
    maxRunningTasks = null,
    queue = false,
    expiresAt = null,
    allowedIps = null,
  } = limitsOf(limits, now);
  const rules = { models, callLimits, spendLimit, maxRunningTasks, queue, expiresAt, allowedIps };
  return { name, level: level ?? 'standard', ...rules };
}

/** The changes that a body asks for: name and limits; null lifts a limit. Refuses like `parseKeyRequest`. */
export const parseKeyChanges = (body: unknown, now: Date): KeyChangeRequest =>
  keyChangesOf(parseWith(keyChangesBody, body), now);

/** The same of a body that its schema has read. */
export function keyChangesOf({ name, ...limits }: z.output<typeof keyChangesBody>, now: Date): KeyChangeRequest {
  return { ...(name !== undefined && { name }), ...limitsOf(limits, now) };
}

/** The changes of an account that a body asks for. Looks at the form of an address only. */
export const parseAccountChanges = (body: unknown): AccountChangeRequest =>
  accountChangesOf(parseWith(accountChangesBody, body));

/** The same of a body that its schema has read. */
export function accountChangesOf(changes: z.output<typeof accountChangesBody>): AccountChangeRequest {
  const { name, webhook_url: webhookUrl, low_balance: lowBalance, time_zone: timeZone } = changes;
  return {
    ...(name !== undefined && { name }),
    ...(webhookUrl !== undefined && { webhookUrl }),
    ...(lowBalance !== undefined && { lowBalance }),
    ...(timeZone !== undefined && { timeZone: timeZone ?? 'UTC' }),
  };
}

function limitsOf(limits: z.output<z.ZodObject<typeof limitFields>>, now: Date): Partial<KeyRules> {
  const {
    models,
    call_limits: calls,
    spend_limit: spend,
    max_running_tasks: tasks,
    queue,
    expires_at: expires,
    allowed_ips: addresses,
  } = limits;
  if (expires && expires <= now) throw invalid('expires_at', 'must be in the future');
  return {
    ...(models !== undefined && { models: models && [...new Set(models)] }),
    ...(calls !== undefined && { callLimits: calls ?? [] }),
    ...(spend !== undefined && { spendLimit: spend }),
    ...(tasks !== undefined && { maxRunningTasks: tasks }),
    ...(queue !== undefined && { queue: queue ?? false }),
    ...(expires !== undefined && { expiresAt: expires }),
    ...(addresses !== undefined && { allowedIps: allOrNull(addresses) }),
  };
}

/** A list of none allows all, as null does. */
const allOrNull = (addresses: readonly string[] | null): readonly string[] | null =>
  addresses === null || addresses.length === 0 ? null : [...new Set(addresses)];

const nameRule = `must be a string of 1 to ${keyNameCharactersMax} characters without control characters`;
/** Names are printed on terminals, which obey control characters. */
const name = z
  .string(nameRule)
  .refine((text) => nameForm.test(text) && text.trim() !== '' && isKeepable(text), nameRule)
  .meta({ minLength: 1, maxLength: keyNameCharactersMax, pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$' });
const nameForm = new RegExp(`^\\P{Cc}{1,${keyNameCharactersMax}}$`, 'u');

const window = oneOf(windows);
const amountRule = 'must be an amount above 0 and below 1000000000, with at most six decimals';
const money = z
  .number(amountRule)
  .meta({ exclusiveMinimum: 0, exclusiveMaximum: 1e9 })
  .transform((value, context): Money => {
    const amount = parseAmount(String(value));
    if (amount !== undefined && amount > 0n) return amount;
    context.addIssue({ code: 'custom', message: amountRule });
    return z.NEVER;
  });

const callLimit = closed('a call limit', { calls: integerFrom(1, keyCallsMax), per: window });
const callLimits = listOf(callLimit, `must be an array of at most ${windows.length} objects {calls, per}, or null`, {
  max: windows.length,
}).superRefine((limits: readonly CallLimit[], context) => {
  const again = limits.findIndex(({ per }, at) => limits.findIndex((other) => other.per === per) < at);
  if (again !== -1) context.addIssue({ code: 'custom', path: [again, 'per'], message: 'must name each window once' });
});
const spendLimit: z.ZodType<SpendLimit> = closed('a spend limit', { amount: money, per: window });

const momentRule = 'must be an ISO 8601 time with a time zone, such as 2027-01-31T00:00:00Z, or null';
const moment = z.iso.datetime({ offset: true, error: momentRule }).transform((text) => new Date(text));

const keptModelId = modelId.refine(isKeepable, modelIdRule);
const rangeRule = `must be an IP address or a CIDR range, such as 203.0.113.7, 10.0.0.0/8 or 2001:db8::/32`;
/** In its normal form. */
const addressRange = z.string(rangeRule).transform((text, context): string => {
  const range = parseRange(text.trim());
  if (range) return rangeText(range);
  context.addIssue({ code: 'custom', message: rangeRule });
  return z.NEVER;
});

const limitFields = {
  models: listOf(keptModelId, `must be an array of 1 to ${keyModelsMax} model ids, or null for all models`, {
    min: 1,
    max: keyModelsMax,
  }).nullish(),
  call_limits: callLimits.nullish(),
  spend_limit: spendLimit.nullish(),
  max_running_tasks: integerFrom(1, keyTasksMax).nullish(),
  queue: flag.nullish(),
  expires_at: moment.nullish(),
  allowed_ips: listOf(
    addressRange,
    `must be an array of at most ${keyAddressesMax} IP addresses and CIDR ranges, or null for all addresses`,
    { max: keyAddressesMax },
  ).nullish(),
};

export const keyBody = closed('a new key', { name, level: oneOf(keyLevels).nullish(), ...limitFields });
export const keyChangesBody = closed('a change of a key', { name: name.optional(), ...limitFields });
export const accountChangesBody = closed('a change of an account', {
  name: accountNameField.optional(),
  webhook_url: httpAddress().nullish(),
  low_balance: money.nullish(),
  time_zone: timeZoneField.nullish(),
});

/** An object that has these fields and no others; `what` says of what they are. */
function closed<Shape extends z.ZodRawShape>(what: string, shape: Shape) {
  const rule = `is not a field of ${what}; allowed are ${Object.keys(shape).join(', ')}`;
  return z.strictObject(shape, {
    error: (issue) => (issue.code === 'unrecognized_keys' ? rule : 'must be an object'),
  });
}
