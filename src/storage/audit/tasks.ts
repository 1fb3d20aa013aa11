/**
 * Whether task rows are as the gateway wrote them: what a task was admitted with and how it ended by their seals, and its
 * request, while it is there, by its digest. Rows are read in small batches, since a request may be long.
 */
import * as z from 'zod';
import { admissionSeal, endSeal, requestDigest } from '../seals.ts';
import { batchesOf, type Check, type CheckContext } from './audit.ts';
import { logBegunAt } from './acts.ts';
import { looked_at, compareTasks } from './task-rows.ts';

export const tasksCheck: Check = {
  name: 'tasks',
  async run(context) {
    const begunAt = await logBegunAt(context.client);
    await compareSeals(context);
    await compareTasks(context, begunAt);
  },
};

const batch_tasks = 500;

async function compareSeals({ client, ledgerKeys, since, found, looked }: CheckContext): Promise<void> {
  const keys = [...ledgerKeys];
  const isSeal = (seal: Buffer, of: (key: Buffer) => Buffer): boolean => {
    const at = keys.findIndex((key) => of(key).equals(seal));
    if (at > 0) keys.unshift(...keys.splice(at, 1)); // neighbours were mostly sealed with the same one
    return at >= 0;
  };
  for await (const rows of batchesOf(client, sealsText, [since ?? null], batch_tasks)) {
    let unsealedCount = 0;
    for (const row of rows) {
      const [admitted, digest, seal, ended, end, request, uploads] = sealsRow.parse(row);
      if (!seal) unsealedCount++;
      const facts = { ...admitted, request_digest: digest?.toString('hex') ?? '' };
      if (seal && !isSeal(seal, (key) => admissionSeal(key, facts))) {
        found(admitted.id, 'what it was admitted with does not fit its seal');
      }
      if (end && !isSeal(end, (key) => endSeal(key, { id: admitted.id, ...ended }))) {
        found(admitted.id, 'how it ended does not fit its seal');
      }
      if (digest && request !== null && !requestDigest(request, uploads).equals(digest)) {
        found(admitted.id, 'its request and uploads are not those that it was admitted with');
      }
    }
    looked('tasks', rows.length);
    if (unsealedCount > 0) looked('tasks older than their seals', unsealedCount);
  }
}

// `to_char` has no text for infinity, and shows a year before Christ as the same year after.
const iso = (column: string) => `case when not isfinite(${column}) or ${column} < '0001-01-01Z' then ${column}::text
  else to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') end`;
const sealsText = `select
    jsonb_build_object('id', id, 'kind', kind, 'account_id', account_id, 'key_id', key_id, 'request_id', request_id, 'model', model,
      'terms', terms, 'transfer_id', transfer_id, 'hold_amount', hold_amount::text, 'created_at', ${iso('created_at')}),
    request_digest, seal,
    jsonb_build_object('state', state, 'finished_at', ${iso('finished_at')}, 'balance_after', balance_after::text, 'cost', cost::text,
      'duration_ms', duration_ms, 'files', files, 'error_code', error_code, 'error_message', error_message, 'error_param', error_param),
    end_seal, request, uploads
  from tasks t where ${looked_at('$1')}`;

const bytes = z.instanceof(Buffer).nullable();
// What is null and never was so is no reason to break off: it does not fit the seal.
const text = z
  .string()
  .nullable()
  .transform((value) => value ?? '');
const sealsRow = z.tuple([
  z.object({
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
  }),
  bytes,
  bytes,
  z.object({
    state: z.string(),
    finished_at: text,
    balance_after: text,
    cost: z.string().nullable(),
    duration_ms: z.number().nullable(),
    files: z.unknown(),
    error_code: z.string().nullable(),
    error_message: z.string().nullable(),
    error_param: z.string().nullable(),
  }),
  bytes,
  z.unknown(),
  z.unknown(),
]);
