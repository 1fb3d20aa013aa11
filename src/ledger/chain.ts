/** The keyed hash chain over an account's entries. */
import { createHmac } from 'node:crypto';
import { hmacKey } from './hmac-key.ts';

/**
 * The next link of an account's chain: HMAC-SHA256 over the link before and the canonical rows of one commit, in the
 * order of their numbers. A row changed, removed, slipped in or cut off no longer gives the head on the account's row.
 */
export function chainLink(ledgerKey: Buffer, previous: Buffer, rows: readonly string[]): Buffer {
  return createHmac('sha256', hmacKey(ledgerKey))
    .update(previous)
    .update(rows.map((row) => `${row}\n`).join(''))
    .digest();
}
