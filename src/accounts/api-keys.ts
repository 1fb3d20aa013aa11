/** API keys: only a keyed hash, the first ten and last four characters are stored; the key itself is shown once. */
import { setTimeout as pause } from 'node:timers/promises';
import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import * as z from 'zod';
import { GatewayError } from '../domain/errors.ts';
import type { AccountId, KeyId } from '../domain/ids.ts';
import type { KeyLevel, KeyLimits, KeyRules } from '../domain/accounts/key-rules.ts';
import { type ActName, administer, type Administrator } from '../ledger/audit-log.ts';
import type { Database } from '../postgres/database.ts';
import { bytes, computed, id, row, type RowOf } from '../postgres/row.ts';
import { trustedMsMax } from '../ledger/commit/row-cache.ts';
import { keyRow } from '../ledger/commit/locked-rows.ts';
import { newKeyId } from '../postgres/new-ids.ts';
import { isSealed, rightSeal, tokenHash, tokenHashes } from '../ledger/access-seals.ts';

const shownRow = row({
  accountStatus: computed('a.status', z.enum(['active', 'suspended'])),
  name: z.string(),
  createdAt: z.date(),
  // A billable call counts as a use without being noted as one.
  lastUsedAt: computed('greatest(u.last_used_at, k.counted_at)', z.date().nullable()),
  start: z.string(),
  last4: z.string(),
  allowedIps: z.array(z.string()).nullable(),
  /** As the audit log names an actor; null of keys from before this was kept. */
  createdBy: z.string().nullable(),
  /** How the account's bodies are recorded; null: they are not. */
  bodyRules: computed(
    `(select jsonb_build_object('retentionDays', r.retention_days, 'redactedFields', r.redacted_fields)
      from body_recordings r where r.account_id = k.account_id and r.is_on)`,
    z.object({ retentionDays: z.int(), redactedFields: z.array(z.string()) }).nullable(),
  ),
});
export type ApiKey = RowOf<typeof keyRow> & KeyLimits & RowOf<typeof shownRow>;

const keyOf = (read: unknown): ApiKey => ({ ...keyRow.parse(read), ...shownRow.parse(read) });

const sealedRow = row({
  id: z.string(),
  accountId: z.string(),
  level: z.string(),
  hash: bytes,
  seal: bytes,
});
const changedRow = row({ id: z.string(), accountId: id<AccountId>() });

const select = `select ${keyRow.columnsOf('k')}, ${shownRow.columnsOf('k')}, k.hash, k.seal
  from api_keys k join accounts a on a.id = k.account_id left join key_uses u on u.key_id = k.id`;

export interface NewApiKey extends KeyRules {
  name: string;
  level: KeyLevel;
}

export const noLimits: KeyRules = {
  callLimits: [],
  spendLimit: null,
  maxRunningTasks: null,
  queue: false,
  models: null,
  expiresAt: null,
  allowedIps: null,
};

/** Of a short key, which only an operator can choose, the prefix alone is kept in the clear. */
const shortKeyCharacters = 24;
const prefixCharacters = 'sk-tg-'.length;

/** Of one account, revoked ones not counted: room for a key a user, and a bound for a program that makes them in a loop. */
const keysMax = 1_000;

/** Of 256 random bits. */
export const newSecret = (): string => `sk-tg-${randomBytes(32).toString('base64url')}`;

/**
 * Makes a key of 256 random bits, or takes the one given. It is returned this once. Refuses with
 * `invalid_parameter` when the account has a thousand keys already that are not revoked.
 */
export async function createApiKey(
  by: Administrator,
  account: AccountId,
  wanted: NewApiKey,
  secret = newSecret(),
): Promise<{ key: ApiKey; secret: string }> {
  const id = await administer(by, async (client) => {
    // Locked, or keys that are made at once would pass the bound together.
    await client.query('select 1 from accounts where id = $1 for no key update', [account]);
    const made = await insertKey(client, by, account, wanted, secret);
    return { act: { action: 'key.created', account, subject: made }, outcome: made };
  });
  const key = id === undefined ? undefined : await findKey(by.database, id);
  if (!key) throw new Error(`key ${id ?? ''} is gone`);
  return { key, secret };
}

/** Writes a key's row, in a transaction that has locked its account. Refuses as `createApiKey` does. */
export async function insertKey(
  client: pg.ClientBase,
  { ledgerKey, actor }: Pick<Administrator, 'ledgerKey' | 'actor'>,
  account: AccountId,
  wanted: NewApiKey,
  secret: string,
): Promise<KeyId> {
  const id = newKeyId();
  const hash = tokenHash(ledgerKey, 'api-keys', secret);
  const { rowCount } = await client.query(
    `insert into api_keys (id, account_id, name, level, hash, seal, start, last4, models, call_limits, spend_limit, max_running_tasks, queue,
       expires_at, allowed_ips, created_by)
     select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16
     where (select count(*) from api_keys where account_id = $2 and revoked_at is null) < $17`,
    [
      id,
      account,
      wanted.name,
      wanted.level,
      hash,
      rightSeal(ledgerKey, ['key', id, account, wanted.level, hash]),
      secret.slice(0, secret.length < shortKeyCharacters ? prefixCharacters : 10),
      secret.slice(-4),
      wanted.models,
      JSON.stringify(wanted.callLimits),
      spendLimitJson(wanted.spendLimit),
      wanted.maxRunningTasks,
      wanted.queue,
      wanted.expiresAt,
      wanted.allowedIps,
      actor,
      keysMax,
    ],
  );
  if (rowCount === 0) throw tooManyKeys();
  return id;
}

/** The key of this secret, kept under any of the ledger's keys. A row that carries another key's hash is none. */
export async function findKeyBySecret(
  database: Database,
  ledgerKeys: readonly Buffer[],
  secret: string,
): Promise<ApiKey | undefined> {
  const { rows } = await database.pool.query({
    name: 'find-key-by-hash',
    text: `${select} where k.hash = any($1::bytea[])`,
    values: [tokenHashes(ledgerKeys, 'api-keys', secret)],
  });
  return sealedKey(ledgerKeys, rows);
}

/** The key of this id, to act by: undefined too where its row is not as the gateway sealed it. */
export async function findSealedKey(
  client: Pick<pg.ClientBase, 'query'>,
  ledgerKeys: readonly Buffer[],
  id: string,
): Promise<ApiKey | undefined> {
  return sealedKey(ledgerKeys, (await client.query({ ...findKeyQuery, values: [id] })).rows);
}

/** The key of this id, to be shown: its seal is not looked at. */
export async function findKey(database: Database, id: string): Promise<ApiKey | undefined> {
  const { rows } = await database.pool.query({ ...findKeyQuery, values: [id] });
  return rows[0] === undefined ? undefined : keyOf(rows[0]);
}

/** An account's keys, oldest first, revoked ones too. */
export async function listKeys(database: Database, account: AccountId): Promise<ApiKey[]> {
  const { rows } = await database.pool.query(`${select} where k.account_id = $1 order by k.created_at, k.id`, [
    account,
  ]);
  return rows.map((row) => keyOf(row));
}

/** Up to `limit` keys of an account that come after the key `after`, or the newest: newest first; all, or only those that can be used. */
export async function listKeyPage(
  database: Database,
  account: AccountId,
  { limit, after, usableOnly = false }: { limit: number; after: string | undefined; usableOnly?: boolean },
): Promise<ApiKey[]> {
  const { rows } = await database.pool.query({
    name: 'list-key-page',
    text: `${select} where k.account_id = $1 and ($2::text is null or k.id collate "C" < $2)
      and (not $4 or k.revoked_at is null and coalesce(k.expires_at > now(), true)) order by k.id collate "C" desc limit $3`,
    values: [account, after ?? null, limit, usableOnly],
  });
  return rows.map((row) => keyOf(row));
}

/**
 * Revokes a key for good; returns it, or undefined when there is none (of this account, if one is named). When it returns,
 * no process begins anything more in the trust that the key is good.
 */
export async function revokeKey(by: Administrator, id: string, account?: AccountId): Promise<ApiKey | undefined> {
  const isNew = await act(
    by,
    'key.revoked',
    `update api_keys set revoked_at = clock_timestamp()
     where id = $1 and account_id = coalesce($2, account_id) and revoked_at is null returning ${changedRow.columns}`,
    [id, account ?? null],
  );
  if (isNew) await pause(trustedMsMax);
  return ofAccount(await findKey(by.database, id), account);
}

/** What can be set of a key after it was made; what is not named stays. */
export type KeyChanges = Partial<Pick<NewApiKey, 'name' | keyof KeyRules>>;

/**
 * Sets what is named; returns the key, or undefined when there is none (of this account, if one is named). When it returns,
 * no process begins anything more in the trust in its old limits.
 */
export async function changeKey(
  by: Administrator,
  id: string,
  { name, models, callLimits, spendLimit, maxRunningTasks, queue, expiresAt, allowedIps }: KeyChanges,
  account?: AccountId,
): Promise<ApiKey | undefined> {
  const columns: [string, unknown][] = [
    ...(name === undefined ? [] : [['name', name] as [string, unknown]]),
    ...(models === undefined ? [] : [['models', models] as [string, unknown]]),
    ...(callLimits === undefined ? [] : [['call_limits', JSON.stringify(callLimits)] as [string, unknown]]),
    ...(spendLimit === undefined ? [] : [['spend_limit', spendLimitJson(spendLimit)] as [string, unknown]]),
    ...(maxRunningTasks === undefined ? [] : [['max_running_tasks', maxRunningTasks] as [string, unknown]]),
    ...(queue === undefined ? [] : [['queue', queue] as [string, unknown]]),
    ...(expiresAt === undefined ? [] : [['expires_at', expiresAt] as [string, unknown]]),
    ...(allowedIps === undefined ? [] : [['allowed_ips', allowedIps] as [string, unknown]]),
  ];
  if (columns.length > 0) {
    const isChanged = await act(
      by,
      'key.changed',
      `update api_keys set ${columns.map(([column], at) => `${column} = $${at + 3}`).join(', ')}
       where id = $1 and account_id = coalesce($2, account_id) returning ${changedRow.columns}`,
      [id, account ?? null, ...columns.map(([, value]) => value)],
    );
    if (isChanged) await pause(trustedMsMax);
  }
  return ofAccount(await findKey(by.database, id), account);
}

/** Notes that keys were used; at most once a minute each is enough for people. */
export async function noteKeyUse(database: Database, ids: readonly KeyId[]): Promise<void> {
  await database.pool.query(
    `insert into key_uses as u (key_id, last_used_at) select id, clock_timestamp() from unnest($1::text[]) as r(id) order by id
     on conflict (key_id) do update set last_used_at = greatest(u.last_used_at, excluded.last_used_at)`,
    [ids],
  );
}

/** Changes one key and logs it; returns false, with nothing logged, if no row was changed. */
async function act(by: Administrator, action: ActName, text: string, values: unknown[]): Promise<boolean> {
  const done = await administer(by, async (client) => {
    const { rows } = await client.query(text, values);
    if (rows[0] === undefined) return undefined;
    const { id, accountId: account } = changedRow.parse(rows[0]);
    return { act: { action, account, subject: id }, outcome: true };
  });
  return done ?? false;
}

const tooManyKeys = (): GatewayError =>
  new GatewayError(
    'invalid_parameter',
    `This account already has the maximum of ${keysMax} active keys. Revoke one first.`,
  );

const ofAccount = (key: ApiKey | undefined, account: AccountId | undefined): ApiKey | undefined =>
  account === undefined || key?.accountId === account ? key : undefined;

const spendLimitJson = (limit: KeyLimits['spendLimit']): string | null =>
  limit && JSON.stringify({ amount: limit.amount.toString(), per: limit.per });

const findKeyQuery = { name: 'find-key', text: `${select} where k.id = $1` };

/** The first of these rows that is as the gateway sealed it. */
function sealedKey(ledgerKeys: readonly Buffer[], rows: readonly unknown[]): ApiKey | undefined {
  const sealed = rows.find((row) => {
    const { id, accountId: account, level, hash, seal } = sealedRow.parse(row);
    return isSealed(ledgerKeys, ['key', id, account, level, hash], seal);
  });
  return sealed === undefined ? undefined : keyOf(sealed);
}
