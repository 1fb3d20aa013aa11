/** Accounts, keys and ledger entries as callers see them. The commands print the same objects. */
import { unixSeconds } from '../../domain/unix-seconds.ts';
import { toYuan } from '../../domain/money.ts';
import type { Account } from '../../accounts/accounts.ts';
import type { ApiKey } from '../../accounts/api-keys.ts';
import type { Entry, EntryLine } from '../../ledger/entries.ts';

export const accountObject = (account: Account) => ({
  object: 'account' as const,
  id: account.id,
  name: account.name,
  currency: 'CNY' as const,
  balance: toYuan(account.available),
  held: toYuan(account.held),
  webhook_url: account.webhookUrl,
  low_balance: account.lowBalance === null ? null : toYuan(account.lowBalance),
});

export const keyObject = (key: ApiKey) => ({
  id: key.id,
  object: 'api_key' as const,
  name: key.name,
  level: key.level,
  models: key.models,
  call_limits: key.callLimits,
  spend_limit: key.spendLimit && { amount: toYuan(key.spendLimit.amount), per: key.spendLimit.per },
  max_running_tasks: key.maxRunningTasks,
  expires_at: key.expiresAt?.toISOString() ?? null,
  created: unixSeconds(key.createdAt),
  last_used: key.lastUsedAt && unixSeconds(key.lastUsedAt),
  start: key.start,
  last4: key.last4,
  revoked: key.revoked,
});

/** The names of an entry's fields, in their order. */
export const entryColumns = [
  'id',
  'object',
  'created',
  'type',
  'amount',
  'balance',
  'charged',
  'task_id',
  'request_id',
  'key_id',
  'model',
  'units',
  'unit',
  'unit_price',
  'usage_source',
  'lines',
  'reason',
] as const;

export const entryObject = (entry: Entry) => ({
  id: `${entry.transferId}.${entry.type}`,
  object: 'ledger_entry' as const,
  created: unixSeconds(entry.createdAt),
  type: entry.type,
  amount: toYuan(entry.amount),
  balance: toYuan(entry.balance),
  charged: toYuan(entry.charged),
  task_id: entry.taskId,
  request_id: entry.requestId,
  key_id: entry.keyId,
  model: entry.model,
  units: entry.units,
  unit: entry.unit,
  unit_price: entry.unitPrice === null ? null : toYuan(entry.unitPrice),
  usage_source: entry.usageSource,
  ...(entry.lines === null ? {} : { lines: entry.lines.map(lineObject) }),
  ...(entry.reason === null ? {} : { reason: entry.reason }),
});

/** The price of a single token may lie below a micro-yuan; divided once, it is the nearest number to the exact one. */
export const lineObject = ({ unit, units, pricePerMillion, amount }: EntryLine) => ({
  unit,
  units,
  unit_price: Number(pricePerMillion) / 1e12,
  amount: toYuan(amount),
});
