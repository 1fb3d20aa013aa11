/**
 * Whether task rows are as the gateway wrote them: what a task was admitted with and how it ended by their seals, and its
 * request, while it is there, by its digest. Rows are read in small batches, since a request may be long.
 */
import * as z from 'zod';
import { admittedFactsRow, admittedFactsSql, sealedMoment } from '../../ledger/admission-seal.ts';
import { admissionSeal, endSeal, errorDigest, requestDigest, sealedMessage } from '../../ledger/seals.ts';
import { pagesOf } from '../audit.ts';
import type { Check, CheckContext } from '../check-context.ts';
import { inRange } from '../key-ranges.ts';
import { lookedAt, compareTasks } from './task-row-rules.ts';

export const tasksCheck: Check = {
  name: 'tasks',
  async run(context) {
    await compareSeals(context);
    await compareTasks(context);
  },
};

async function compareSeals(context: CheckContext): Promise<void> {
  const { ledgerKeys, since, found, looked } = context;
  const keys = [...ledgerKeys];
  const isSeal = (seal: Buffer, of: (key: Buffer) => Buffer): boolean => {
    const at = keys.findIndex((key) => of(key).equals(seal));
    if (at > 0) keys.unshift(...keys.splice(at, 1)); // neighbours were mostly sealed with the same one
    return at >= 0;
  };
  for await (const rows of pagesOf(context, 'tasks', sealsText, [since ?? null])) {
    for (const row of rows) {
      const [admitted, digest, seal, { error_retry_after, ...ended }, end, request, uploads, said] =
        sealsRow.parse(row);
      const facts = { ...admitted, request_digest: digest?.toString('hex') ?? '' };
      if (seal && !isSeal(seal, (key) => admissionSeal(key, facts))) {
        found(admitted.id, 'what it was admitted with does not fit its seal');
      }
      const how = {
        ...{ id: admitted.id, ...ended },
        error_message: said ? sealedMessage(said) : ended.error_message,
        ...(error_retry_after !== null && { error_retry_after }),
      };
      if (said && ended.error_message !== null && !errorDigest(ended.error_message).equals(said)) {
        found(admitted.id, 'its error has another message than it failed with');
      }
      if (end && !isSeal(end, (key) => endSeal(key, how))) {
        found(admitted.id, 'how it ended does not fit its seal');
      }
      if (digest && request !== null && !requestDigest(request, uploads).equals(digest)) {
        found(admitted.id, 'its request and uploads are not those that it was admitted with');
      }
    }
    looked('tasks', rows.length);
  }
}

const sealsText = `select
    ${admittedFactsSql},
    request_digest, seal,
    jsonb_build_object('state', state, 'finished_at', ${sealedMoment('finished_at')}, 'balance_after', balance_after::text, 'cost', cost::text,
      'duration_ms', duration_ms, 'files', files, 'error_code', error_code, 'error_message', error_message, 'error_param', error_param,
      'error_retry_after', error_retry_after),
    end_seal, request, uploads, error_digest
  from tasks t where ${lookedAt('$3')} and ${inRange('tasks', 't.id')}`;

const bytes = z.instanceof(Buffer).nullable();
// What is null and never was so is no reason to break off: it does not fit the seal.
const text = z
  .string()
  .nullable()
  .transform((value) => value ?? '');
const sealsRow = z.tuple([
  admittedFactsRow,
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
    error_retry_after: z.number().nullable(),
  }),
  bytes,
  z.unknown(),
  z.unknown(),
  bytes,
]);
