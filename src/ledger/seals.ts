/**
 * Seals of task rows: keyed hashes over what a task was admitted with and over how it ended, so that a row that was
 * changed by hand no longer fits them. What only shows the engine's course (when it was started, last seen, who downloads
 * it) is not sealed: no money hangs on it, and it changes often.
 */
import { createHash, createHmac } from 'node:crypto';
import { canonicalJson } from '../domain/json/canonical-json.ts';
import { hmacKey } from './hmac-key.ts';

/** A task as it was admitted, by its columns; amounts as decimal digits, moments in ISO 8601 to the millisecond. */
export interface AdmittedFacts {
  id: string;
  kind: string;
  account_id: string;
  key_id: string;
  request_id: string;
  model: string;
  terms: unknown;
  transfer_id: string;
  hold_amount: string;
  created_at: string;
  /** `requestDigest` in hex, since request and uploads are deleted with the result. */
  request_digest: string;
}

/** How a task ended, likewise. */
export interface EndFacts {
  id: string;
  state: string;
  finished_at: string;
  balance_after: string;
  cost: string | null;
  duration_ms: number | null;
  files: unknown;
  error_code: string | null;
  /** `sha256:` and its digest in hex, since the message is deleted with the request; of rows without a digest the message. */
  error_message: string | null;
  error_param: string | null;
  /** Left out where there is none. */
  error_retry_after?: number;
}

/** SHA-256 over what the caller sent. */
export const requestDigest = (request: unknown, uploads: unknown): Buffer =>
  createHash('sha256')
    .update(canonicalJson([request, uploads]))
    .digest();

/** SHA-256 over the message of an error. */
export const errorDigest = (message: string): Buffer => createHash('sha256').update(message).digest();

/** What the seal of an end has in the place of the message. */
export const sealedMessage = (digest: Buffer): string => `sha256:${digest.toString('hex')}`;

/** HMAC-SHA256 over the canonical JSON of the admission. */
export const admissionSeal = (ledgerKey: Buffer, facts: AdmittedFacts): Buffer => seal(ledgerKey, 'admitted', facts);

/** HMAC-SHA256 over the canonical JSON of the end. */
export const endSeal = (ledgerKey: Buffer, facts: EndFacts): Buffer => seal(ledgerKey, 'ended', facts);

const seal = (ledgerKey: Buffer, what: string, facts: AdmittedFacts | EndFacts): Buffer =>
  createHmac('sha256', hmacKey(ledgerKey))
    .update(`task ${what}\n${canonicalJson(facts)}`)
    .digest();
