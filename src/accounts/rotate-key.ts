/** Replacing a key by a new one, while both work for a time, so that programs can be moved over without a gap. */
import { setTimeout as pause } from 'node:timers/promises';
import type { AccountId, KeyId } from '../domain/ids.ts';
import { trustedMsMax } from '../ledger/commit/row-cache.ts';
import { administer, type Administrator, writeActs } from '../ledger/audit-log.ts';
import { type ApiKey, findKey, insertKey, newSecret } from './api-keys.ts';

/**
 * Makes a key with the name, level and limits of `old`, whose counts begin at zero, and has `old` expire in so many seconds,
 * unless it does so earlier anyway; 0: at once. Both happen, or neither. The secret is returned this once. Refuses as
 * `createApiKey` does; returns undefined where `old` was revoked meanwhile.
 */
export async function rotateKey(
  by: Administrator,
  old: ApiKey,
  overlapSeconds: number,
): Promise<{ key: ApiKey; secret: string } | undefined> {
  const { id, accountId: account } = old;
  const secret = newSecret();
  const made = await administer(by, async (client) => {
    // Locked, or keys that are made at once would pass the bound on them together.
    await client.query('select 1 from accounts where id = $1 for no key update', [account]);
    const { rowCount } = await client.query(expireText, [id, account, overlapSeconds]);
    if (rowCount === 0) return undefined;
    const newId = await insertKey(client, by, account, old, secret);
    await writeActs(client, by.ledgerKey, [created(by, account, newId)]);
    return { act: { action: 'key.changed', account, subject: id }, outcome: newId };
  });
  if (made === undefined) return undefined;
  if (overlapSeconds === 0) await pause(trustedMsMax);
  const key = await findKey(by.database, made);
  if (!key) throw new Error(`key ${made} is gone`);
  return { key, secret };
}

const expireText = `update api_keys
  set expires_at = least(expires_at, date_trunc('milliseconds', clock_timestamp()) + make_interval(secs => $3::integer))
  where id = $1 and account_id = $2 and revoked_at is null`;

const created = ({ actor }: Administrator, account: AccountId, subject: KeyId) =>
  ({ actor, action: 'key.created', account, subject }) as const;
