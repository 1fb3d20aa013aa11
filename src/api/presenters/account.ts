/** Accounts, keys and ledger entries as callers see them (contract, section 3). The commands print the same objects. */
import { toYuan } from '../../domain/money.ts';
import type { Account } from '../../storage/accounts.ts';
import type { ApiKey } from '../../storage/api-keys.ts';
import type { Entry } from '../../storage/ledger/entries.ts';

export const accountObject = (account: Account) => ({
  object: 'account',
  id: account.id,
  name: account.name,
  currency: 'CNY',
  balance: toYuan(account.available),
  held: toYuan(account.held),
});

export const keyObject = (key: ApiKey) => ({
  id: key.id,
  object: 'api_key',
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

export const entryObject = (entry: Entry) => ({
  id: `${entry.transferId}.${entry.type}`,
  object: 'ledger_entry',
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
  ...(entry.lines === null || entry.lines === undefined ? {} : { lines: entry.lines }),
  ...(entry.reason === null ? {} : { reason: entry.reason }),
});

const unixSeconds = (date: Date): number => Math.floor(date.getTime() / 1000);
