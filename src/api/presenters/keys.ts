/** API keys as callers see them. The commands print the same objects. */
import * as z from 'zod';
import { keyLevels, windows } from '../../domain/accounts/key-rules.ts';
import { toAmount } from '../../domain/money.ts';
import type { ApiKey } from '../../accounts/api-keys.ts';
import { answer } from '../openapi/schemas.ts';
import { unixSeconds } from '../../domain/unix-seconds.ts';

const per = z.enum(windows).describe("The calendar's, in UTC.");
export const keyFields = {
  id: z.string(),
  object: z.literal('api_key'),
  name: z.string(),
  level: z.enum(keyLevels).describe('Each level contains the one before.'),
  models: z.array(z.string()).nullable().describe('The models that it may use; null: all.'),
  call_limits: z.array(z.strictObject({ calls: z.int(), per })),
  spend_limit: z.strictObject({ amount: z.number(), per }).nullable(),
  max_running_tasks: z.int().nullable(),
  queue: z.boolean().describe('Tasks beyond `max_running_tasks` wait for their turn; false: they are refused.'),
  expires_at: z.iso.datetime().nullable(),
  allowed_ips: z.array(z.string()).nullable().describe('From where it may be used; null: from everywhere.'),
  created: z.int().describe('Unix seconds.'),
  created_by: z
    .string()
    .nullable()
    .describe('`key:` and the id of a key of the account, `person`, `cli` or `tollgate`; null: it is not known.'),
  last_used: z.int().nullable().describe('Unix seconds.'),
  start: z.string().describe('The first 10 characters of the key.'),
  last4: z.string(),
  revoked: z.boolean(),
};
export const keyRecord = answer('ApiKey', z.strictObject(keyFields));

export const keyObject = (key: ApiKey): z.input<typeof keyRecord> => ({
  id: key.id,
  object: 'api_key',
  name: key.name,
  level: key.level,
  models: key.models && [...key.models],
  call_limits: [...key.callLimits],
  spend_limit: key.spendLimit && { amount: toAmount(key.spendLimit.amount), per: key.spendLimit.per },
  max_running_tasks: key.maxRunningTasks,
  queue: key.queue,
  expires_at: key.expiresAt?.toISOString() ?? null,
  allowed_ips: key.allowedIps && [...key.allowedIps],
  created: unixSeconds(key.createdAt),
  created_by: makerOf(key.createdBy),
  last_used: key.lastUsedAt && unixSeconds(key.lastUsedAt),
  start: key.start,
  last4: key.last4,
  revoked: key.revoked,
});

// Who a person is, is the console's matter: operators are not of the account. So are users of the operator's machine.
function makerOf(actor: string | null): string | null {
  if (actor === null || actor.startsWith('key:')) return actor;
  return actor.split(':')[0] ?? null;
}
