/**
 * What gives a right is of no use without the operator's secret: tokens (API keys, sessions, one-time links) are kept as
 * keyed hashes, and the rows that say whose a token is, and who may what, carry a keyed seal over that. So a right can't be
 * written into the database, nor moved from one row to another. A row whose seal doesn't fit gives no right.
 */
import { createHash, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { hmacKey } from './hmac-key.ts';

/** Each purpose has a key of its own, derived from the ledger's. */
type Purpose = 'api-keys' | 'sessions' | 'invitations' | 'rights';
export type TokenKind = Exclude<Purpose, 'rights'>;

/** What is kept of a token: HMAC-SHA256 of its SHA-256. */
export const tokenHash = (ledgerKey: Buffer, kind: TokenKind, token: string): Buffer =>
  digestHash(ledgerKey, kind, createHash('sha256').update(token).digest());

/** The same of a token of which only the SHA-256 is known. */
export const digestHash = (ledgerKey: Buffer, kind: TokenKind, digest: Buffer): Buffer =>
  createHmac('sha256', hmacKey(derived(ledgerKey, kind)))
    .update(digest)
    .digest();

/** What a token may be kept as, under each of the keys; the newest first. */
export function tokenHashes(ledgerKeys: readonly Buffer[], kind: TokenKind, token: string): Buffer[] {
  const digest = createHash('sha256').update(token).digest();
  return ledgerKeys.map((key) => digestHash(key, kind, digest));
}

/** A right, by what of its row gives it. */
export type Right =
  | readonly ['key', id: string, account: string, level: string, hash: Buffer]
  | readonly ['session', id: string, person: string, hash: Buffer]
  | readonly [
      'invitation',
      id: string,
      hash: Buffer,
      email: string,
      account: string | null,
      role: string | null,
      makesOperator: boolean,
    ]
  | readonly ['password', person: string, passwordHash: string]
  | readonly ['operator', person: string, email: string]
  | readonly ['member', person: string, account: string, role: string];

/** HMAC-SHA256 over a right. */
export const rightSeal = (ledgerKey: Buffer, right: Right): Buffer =>
  createHmac('sha256', hmacKey(derived(ledgerKey, 'rights')))
    .update(JSON.stringify(right.map((part) => (Buffer.isBuffer(part) ? part.toString('hex') : part))))
    .digest();

/** Whether a row's seal was made over this right, under any of the keys. */
export const isSealed = (ledgerKeys: readonly Buffer[], right: Right, seal: Buffer | null): boolean =>
  seal?.length === 32 && ledgerKeys.some((key) => timingSafeEqual(rightSeal(key, right), seal));

const known = new WeakMap<Buffer, Map<Purpose, Buffer>>();

function derived(ledgerKey: Buffer, purpose: Purpose): Buffer {
  const keys = known.get(ledgerKey) ?? new Map<Purpose, Buffer>();
  const key = keys.get(purpose) ?? Buffer.from(hkdfSync('sha256', ledgerKey, '', `tollgate/v1/${purpose}`, 32));
  known.set(ledgerKey, keys.set(purpose, key));
  return key;
}
