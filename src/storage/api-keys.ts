/** API keys: only their SHA-256, first ten and last four characters are stored; the key itself is shown once. */
import { createHash, randomBytes } from 'node:crypto';
import * as z from 'zod';
import type { KeyCounters } from '../domain/admission.ts';
import type { AccountId, KeyId } from '../domain/ids.ts';
import type { KeyLevel, KeyLimits } from '../domain/keys.ts';
import type { Database } from './database.ts';
import { keyRow } from './ledger/view.ts';
import { newKeyId } from './new-ids.ts';

export interface ApiKey extends KeyLimits {
  id: KeyId;
  accountId: AccountId;
  accountStatus: 'active' | 'suspended';
  name: string;
  level: KeyLevel;
  revoked: boolean;
  counters: KeyCounters;
  createdAt: Date;
  lastUsedAt: Date | null;
  start: string;
  last4: string;
}

export interface NewApiKey extends KeyLimits {
  name: string;
  level: KeyLevel;
}

export const noLimits: KeyLimits = {
  callLimits: [],
  spendLimit: null,
  maxRunningTasks: null,
  models: null,
  expiresAt: null,
};

/** Of a short key, which only an operator can choose, the prefix alone is kept in the clear. */
const short_key_characters = 24;
const prefix_characters = 'sk-tg-'.length;

export const hashOfKey = (secret: string): Buffer => createHash('sha256').update(secret).digest();

/** Makes a key of 256 random bits, or takes the one given. The answer holds it, this once. */
export async function createApiKey(
  database: Database,
  account: AccountId,
  wanted: NewApiKey,
  secret = `sk-tg-${randomBytes(32).toString('base64url')}`,
): Promise<{ key: ApiKey; secret: string }> {
  const id = newKeyId();
  await database.pool.query(
    `insert into api_keys (id, account_id, name, level, hash, start, last4, models, call_limits, spend_limit, max_running_tasks, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
    [
      id,
      account,
      wanted.name,
      wanted.level,
      hashOfKey(secret),
      secret.slice(0, secret.length < short_key_characters ? prefix_characters : 10),
      secret.slice(-4),
      wanted.models,
      JSON.stringify(wanted.callLimits),
      wanted.spendLimit && JSON.stringify({ amount: wanted.spendLimit.amount.toString(), per: wanted.spendLimit.per }),
      wanted.maxRunningTasks,
      wanted.expiresAt,
    ],
  );
  const key = await findKey(database, id);
  if (!key) throw new Error(`key ${id} is gone`);
  return { key, secret };
}

/** The key whose secret has this hash. */
export async function findKeyByHash(database: Database, hash: Buffer): Promise<ApiKey | undefined> {
  return one(database, { name: 'find-key-by-hash', text: `${select} where k.hash = $1`, values: [hash] });
}

export async function findKey(database: Database, id: string): Promise<ApiKey | undefined> {
  return one(database, { name: 'find-key', text: `${select} where k.id = $1`, values: [id] });
}

/** An account's keys, oldest first, revoked ones too. */
export async function listKeys(database: Database, account: AccountId): Promise<ApiKey[]> {
  const { rows } = await database.pool.query(`${select} where k.account_id = $1 order by k.created_at, k.id`, [
    account,
  ]);
  return rows.map((row) => apiKeyRow.parse(row));
}

/** Revokes a key for good; answers it, or undefined when there is none (of this account, if one is named). */
export async function revokeKey(database: Database, id: string, account?: AccountId): Promise<ApiKey | undefined> {
  const { rowCount } = await database.pool.query(
    `update api_keys set revoked_at = coalesce(revoked_at, clock_timestamp()) where id = $1 and account_id = coalesce($2, account_id)`,
    [id, account ?? null],
  );
  return rowCount === 1 ? findKey(database, id) : undefined;
}

/** Notes that keys were used; at most once a minute each is enough for people. */
export async function noteKeyUse(database: Database, ids: readonly KeyId[]): Promise<void> {
  await database.pool.query(
    `update api_keys set last_used_at = clock_timestamp() where id in (
       select id from api_keys where id = any($1::text[]) order by id for no key update skip locked)`,
    [ids],
  );
}

const select = `select k.*, a.status as account_status from api_keys k join accounts a on a.id = k.account_id`;

async function one(
  database: Database,
  query: { name: string; text: string; values: unknown[] },
): Promise<ApiKey | undefined> {
  const { rows } = await database.pool.query(query);
  return rows[0] === undefined ? undefined : apiKeyRow.parse(rows[0]);
}

const shownRow = z.object({
  account_status: z.enum(['active', 'suspended']),
  name: z.string(),
  created_at: z.date(),
  last_used_at: z.date().nullable(),
  start: z.string(),
  last4: z.string(),
});

const apiKeyRow = z.unknown().transform((row): ApiKey => {
  const shown = shownRow.parse(row);
  return {
    ...keyRow.parse(row),
    accountStatus: shown.account_status,
    name: shown.name,
    createdAt: shown.created_at,
    lastUsedAt: shown.last_used_at,
    start: shown.start,
    last4: shown.last4,
  };
});
