/**
 * The secrets that an account's webhooks are signed with (Standard Webhooks). Stored is only a random salt each: the
 * secret is an HMAC of it under a key derived from the operator's secret, so that a copy of the database signs nothing.
 */
import { createHmac, randomBytes } from 'node:crypto';
import type pg from 'pg';
import * as z from 'zod';
import type { AccountId } from '../domain/ids.ts';
import { administer, type Administrator } from '../ledger/audit-log.ts';
import type { Database } from '../postgres/database.ts';

/** The part of the derived keys that webhook secrets need: the first makes new ones, all know those made before. */
export interface WebhookKeys {
  first: WebhookKey;
  all: readonly WebhookKey[];
}
export interface WebhookKey {
  /** Names the operator's secret; may be shown. */
  id: string;
  webhooks: Uint8Array;
  ledger: Buffer;
}

/** How long a secret that was replaced still signs, so that receivers can change over. */
const retiresAfterHours = 24;
/** Each is one more signature in a delivery's header. */
const retiringMax = 5;
const saltBytes = 32;

/**
 * The secrets that a delivery is signed with, each as `whsec_<base64>`: the account's own first, then those that were
 * replaced within the last 24 hours, the newest first. Makes the first if there is none; a request at the same time
 * gets the same. A secret outlives a rotation of TOLLGATE_SECRET as long as the one it was made under is still listed.
 * Once that is gone it can't be derived any more: the next request makes another, and the audit log says so.
 */
export async function webhookSecrets(database: Database, secrets: WebhookKeys, account: AccountId): Promise<string[]> {
  const found = await saltsOf(database, account);
  const current = found.find(({ isRetiring }) => !isRetiring);
  if (current !== undefined && keyOf(secrets, current)) return textsOf(secrets, account, found);
  if (current === undefined)
    await database.pool.query(insertIfNone, [account, randomBytes(saltBytes), secrets.first.id]);
  else await replaceLost(database, secrets, account, current);
  const texts = textsOf(secrets, account, await saltsOf(database, account));
  if (texts.length === 0) throw new Error(`account ${account} has no webhook secret that can be worked out`);
  return texts;
}

/** Makes a new secret, returns it as `whsec_<base64>`, and lets the one before sign for 24 hours more. */
export async function rotateWebhookSecret(
  by: Administrator,
  secrets: WebhookKeys,
  account: AccountId,
): Promise<string> {
  const made = await administer(by, async (client) => {
    // Rotations of an account take turns, or two of them would insert a current secret each.
    await client.query('select 1 from accounts where id = $1 for no key update', [account]);
    await client.query(`${retire} where account_id = $1 and retires_at is null`, [account]);
    const outcome = await insertCurrent(client, secrets, account);
    return { act: { action: 'webhook_secret.rotated', account, subject: null }, outcome };
  });
  if (made === undefined) throw new Error('no webhook secret was made');
  return made;
}

interface Salt {
  salt: Buffer;
  secretId: string;
  isRetiring: boolean;
}

/** Of a secret whose operator's secret is gone. Another process may have replaced it meanwhile. */
async function replaceLost(database: Database, secrets: WebhookKeys, account: AccountId, lost: Salt): Promise<void> {
  const by: Administrator = { database, ledgerKey: secrets.first.ledger, actor: 'tollgate' };
  await administer(by, async (client) => {
    await client.query('select 1 from accounts where id = $1 for no key update', [account]);
    const retired = await client.query(`${retire} where account_id = $1 and retires_at is null and salt = $2`, [
      account,
      lost.salt,
    ]);
    if (retired.rowCount === 0) return undefined;
    const outcome = await insertCurrent(client, secrets, account);
    const reason = `it was made under the operator's secret ${lost.secretId}, which is no longer set`;
    return { act: { action: 'webhook_secret.rotated', account, subject: null, reason }, outcome };
  });
}

/** Writes a new current secret, and deletes those that sign nothing any more. */
async function insertCurrent(client: pg.ClientBase, secrets: WebhookKeys, account: AccountId): Promise<string> {
  const salt = randomBytes(saltBytes);
  await client.query(insert, [account, salt, secrets.first.id]);
  await client.query(
    `delete from webhook_secrets w using (
       select salt, retires_at, row_number() over (order by retires_at desc, created_at desc, salt) as place
       from webhook_secrets where account_id = $1 and retires_at is not null
     ) as old
     where w.account_id = $1 and w.salt = old.salt and (old.place > $2 or old.retires_at <= clock_timestamp())`,
    [account, retiringMax],
  );
  return textOf(secrets.first, account, salt);
}

async function saltsOf(database: Database, account: AccountId): Promise<Salt[]> {
  const { rows } = await database.pool.query({
    name: 'find-webhook-salts',
    text: `select salt, secret_id, retires_at is not null as is_retiring from webhook_secrets
      where account_id = $1 and (retires_at is null or retires_at > clock_timestamp())
      order by retires_at desc nulls first, created_at desc, salt`,
    values: [account],
  });
  return rows.map((row) => saltRow.parse(row));
}

const textsOf = (secrets: WebhookKeys, account: AccountId, salts: readonly Salt[]): string[] =>
  salts.flatMap((row) => {
    const key = keyOf(secrets, row);
    return key ? [textOf(key, account, row.salt)] : [];
  });

const keyOf = (secrets: WebhookKeys, { secretId }: Salt): WebhookKey | undefined =>
  secrets.all.find(({ id }) => id === secretId);

/** The account goes in, or an attacker who can copy a row in the database could ask for another account's secret. */
const textOf = ({ webhooks }: WebhookKey, account: AccountId, salt: Buffer): string =>
  `whsec_${createHmac('sha256', webhooks).update(`tollgate webhook\n${account}\n`).update(salt).digest('base64')}`;

const insert = `insert into webhook_secrets (account_id, salt, secret_id, created_at) values ($1, $2, $3, clock_timestamp())`;
// Waits for a rotation that is under way.
const insertIfNone = `with account as (select id from accounts where id = $1 for no key update)
  insert into webhook_secrets (account_id, salt, secret_id, created_at) select id, $2::bytea, $3, clock_timestamp() from account
  on conflict (account_id) where retires_at is null do nothing`;
const retire = `update webhook_secrets set retires_at = clock_timestamp() + interval '${retiresAfterHours} hours'`;

const saltRow = z
  .object({ salt: z.instanceof(Buffer), secret_id: z.string(), is_retiring: z.boolean() })
  .transform(({ salt, secret_id, is_retiring }): Salt => ({ salt, secretId: secret_id, isRetiring: is_retiring }));
