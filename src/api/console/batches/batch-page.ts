/** One batch with everything that its page shows: progress, mistakes, files, times, and more for operators. */
import * as z from 'zod';
import { linesPerMinute } from '../../../domain/batches/batch-pace.ts';
import type { AccountId } from '../../../domain/ids.ts';
import { toAmount } from '../../../domain/money.ts';
import { unixSeconds } from '../../../domain/unix-seconds.ts';
import { type BatchFacts, lineErrorsOf } from '../../../batches/batch-reports.ts';
import { type AccountFile, findFile } from '../../../files/file-rows.ts';
import type { ApiDependencies } from '../../dependencies.ts';
import { batchRecordOf } from '../../presenters/batches.ts';
import { batchFields, endOf, presentBatch } from './batch-line.ts';

export const fileRoles = ['input', 'output', 'error'] as const;
type FileRole = (typeof fileRoles)[number];

const batchFile = z.strictObject({
  role: z.enum(fileRoles),
  id: z.string(),
  /** null once it was deleted. */
  stored: z
    .strictObject({
      /** A path of this origin. */
      url: z.string(),
      name: z.string(),
      bytes: z.int(),
      expires: z.int().nullable(),
    })
    .nullable(),
});

const time = z.int().nullable();

export const batchPage = z.strictObject({
  ...batchFields,
  /** Of the account, what can be spent. */
  balance: z.number(),
  /** On the average since its first line could be sent; null: none has ended yet. */
  lines_per_minute: z.number().nullable(),
  window_hours: z.number(),
  metadata: z.record(z.string(), z.string()).nullable(),
  /** Of the batch's own webhook: host and port; the rest of the address is a secret. null: the account's webhook, if it has one. */
  webhook_host: z.string().nullable(),
  tokens: z.strictObject({ input: z.int(), cached: z.int(), output: z.int() }).nullable(),
  /** What was found wrong with its file; `line` from 1, null of the file as a whole. */
  mistakes: z.array(
    z.strictObject({ code: z.string(), line: z.int().nullable(), message: z.string(), param: z.string().nullable() }),
  ),
  /** Of lines that were not answered well, the most frequent first; `first` is a line of the input file. */
  line_errors: z.array(z.strictObject({ code: z.string(), lines: z.int(), first: z.int() })),
  files: z.array(batchFile),
  times: z.strictObject({ in_progress: time, finalizing: time, cancelling: time }),
  /** Of the creation. */
  request_id: z.string(),
  /** As the public API shows it. */
  record: z.record(z.string(), z.unknown()),
  operator: z
    .strictObject({
      account_name: z.string(),
      /** Of its workflow in Temporal's own interface, if that has an address. */
      workflow_url: z.string().nullable(),
      /** When Temporal took it, and when it was last heard of. */
      started: time,
      seen: time,
    })
    .nullable(),
});

export async function presentBatchPage(
  { database, workflowUrl }: ApiDependencies,
  batch: BatchFacts,
  { isOperator }: { isOperator: boolean },
): Promise<z.input<typeof batchPage>> {
  const [lineErrors, files] = await Promise.all([lineErrorsOf(database, batch.id), filesOf(database, batch)]);
  const { usage, webhookUrl } = batch;
  return {
    ...presentBatch(batch),
    balance: toAmount(batch.balance),
    lines_per_minute: linesPerMinute(batch, endOf(batch), new Date()),
    window_hours: batch.windowSeconds / 3600,
    metadata: batch.metadata,
    webhook_host: webhookUrl !== null && URL.canParse(webhookUrl) ? new URL(webhookUrl).host : null,
    tokens: usage && {
      input: usage.input_tokens,
      cached: usage.input_tokens_details.cached_tokens,
      output: usage.output_tokens,
    },
    mistakes: (batch.errors ?? []).map(({ code, line, message, param }) => ({ code, line, message, param })),
    line_errors: lineErrors,
    files,
    times: {
      in_progress: secondsOf(batch.inProgressAt),
      finalizing: secondsOf(batch.finalizingAt),
      cancelling: secondsOf(batch.cancellingAt),
    },
    request_id: batch.requestId,
    record: batchRecordOf(batch),
    operator: isOperator
      ? {
          account_name: batch.accountName,
          workflow_url: workflowUrl(batch.id) ?? null,
          started: secondsOf(batch.startedAt),
          seen: secondsOf(batch.seenAt),
        }
      : null,
  };
}

/** The id of a batch's file; null: it has none. */
export const fileIdOf = ({ inputFileId, outputFileId, errorFileId }: BatchFacts, role: FileRole): string | null =>
  ({ input: inputFileId, output: outputFileId, error: errorFileId })[role];

async function filesOf(database: ApiDependencies['database'], batch: BatchFacts) {
  const named = fileRoles.flatMap((role) => {
    const id = fileIdOf(batch, role);
    return id === null ? [] : [{ role, id }];
  });
  return Promise.all(
    named.map(async ({ role, id }) => {
      const file = await findFile(database, batch.accountId, id);
      return { role, id, stored: file ? storedFile(file, `${pathOf(batch.accountId, batch.id)}/files/${role}`) : null };
    }),
  );
}

const storedFile = ({ filename, bytes, expiresAt }: AccountFile, url: string) => ({
  ...{ url, name: filename, bytes },
  expires: secondsOf(expiresAt),
});

const pathOf = (account: AccountId, batchId: string) => `/console/api/accounts/${account}/batches/${batchId}`;

const secondsOf = (moment: Date | null): number | null => moment && unixSeconds(moment);
