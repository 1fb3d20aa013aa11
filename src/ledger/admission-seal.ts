/** A task's row as it was admitted, as its seal has it, made by the database; and whether the seal fits. */
import * as z from 'zod';
import { type AdmittedFacts, admissionSeal } from './seals.ts';

/** SQL of a moment as seals have it. `to_char` has no text for infinity, and shows a year before Christ as the same year after. */
export const sealedMoment = (column: string): string =>
  `case when not isfinite(${column}) or ${column} < '0001-01-01Z' then ${column}::text
  else to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') end`;

/** SQL of the admitted facts of a row of `tasks`, but for the digest, as `jsonb`. */
export const admittedFactsSql = `jsonb_build_object('id', id, 'kind', kind, 'account_id', account_id, 'key_id', key_id,
  'request_id', request_id, 'model', model, 'terms', terms, 'transfer_id', transfer_id, 'hold_amount', hold_amount::text,
  'created_at', ${sealedMoment('created_at')})`;

export const admittedFactsRow = z.object({
  id: z.string(),
  kind: z.string(),
  account_id: z.string(),
  key_id: z.string(),
  request_id: z.string(),
  model: z.string(),
  terms: z.unknown(),
  transfer_id: z.string(),
  hold_amount: z.string(),
  created_at: z.string(),
});

/** A row's admission with its seal. */
export interface SealedAdmission {
  admitted: Omit<AdmittedFacts, 'request_digest'>;
  digest: Buffer;
  seal: Buffer;
}

/** Whether what the row says it was admitted with is what the gateway sealed. */
export function isAdmissionSealed(ledgerKeys: readonly Buffer[], { admitted, digest, seal }: SealedAdmission): boolean {
  const facts = { ...admitted, request_digest: digest.toString('hex') };
  return ledgerKeys.some((key) => admissionSeal(key, facts).equals(seal));
}
