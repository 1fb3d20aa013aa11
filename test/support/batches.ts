/** Batches as they are once they were validated, and slices of them as a worker runs them. */
import { Readable } from 'node:stream';
import * as z from 'zod';
import { batchTermsJson, batchTermsOf } from '../../src/domain/batches/terms.ts';
import type { AccountId } from '../../src/domain/ids.ts';
import { priceVersionOf } from '../../src/api/price-version.ts';
import type { BatchSlice } from '../../src/batches/run-slice.ts';
import { newBlobKey, newRequestId } from '../../src/postgres/new-ids.ts';
import { type BatchLines, type BatchLinesOptions, openBatchLines } from '../../src/runtime/batch-lines.ts';
import type { TestGateway } from './gateway.ts';

export interface Line {
  n: number;
  state: string;
  sends: number;
  status: number | null;
  code: string | null;
  cost: number | null;
  answer: Record<string, any>; // oxlint-disable-line typescript/no-explicit-any -- tests look into answers by name
  blob: string | null;
  taskId: string | null;
  transferId: string | null;
}

export interface TestBatch {
  id: string;
  lines(): Promise<Line[]>;
  row(): Promise<{ completed: number; failed: number; cost: number; paused: string | null; usage: unknown }>;
  set(columns: string, values?: unknown[]): Promise<void>;
}

const namedModel = z.object({ model: z.string() });
let batches = 0;

/** A batch in progress whose lines have these bodies. */
export async function batchOf(
  { core }: TestGateway,
  { account, keyId }: { account: AccountId; keyId: string },
  endpoint: string,
  bodies: readonly unknown[],
): Promise<TestBatch> {
  const { pool } = core.database;
  const id = `batch_test${String(++batches).padStart(8, '0')}${newRequestId().slice(4)}`;
  const lines = bodies.map((body, at) =>
    Buffer.from(
      `${JSON.stringify({ custom_id: `line-${at + 1}`, method: 'POST', url: `/v1/${endpoint}` }).slice(0, -1)}, "body" : ${JSON.stringify(body)}}\n`,
    ),
  );
  const blob = newBlobKey('files');
  const input = Buffer.concat(lines);
  await core.blobs.write(blob, Readable.from([input]), { bytesMax: input.length });
  const file = `file-${id}`;
  await pool.query(
    `insert into files (id, account_id, key_id, purpose, filename, bytes, blob, created_at)
     values ($1, $2, $3, 'batch', 'lines.jsonl', $4, $5, now())`,
    [file, account, keyId, input.length, blob],
  );
  // Of the models that its lines name, as validation leaves them.
  const named = new Set(bodies.map((body) => namedModel.safeParse(body).data?.model));
  const models = [...core.live.now.configuration.models.values()].filter(({ id: model }) => named.has(model));
  const terms = batchTermsOf(models, priceVersionOf);
  await pool.query(
    `insert into batches (id, account_id, key_id, request_id, endpoint, input_file_id, window_seconds,
       output_expires_seconds, state, terms, total, created_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, 86400, 86400, 'in_progress', $7, $8, now(), now() + interval '1 day')`,
    [id, account, keyId, newRequestId(), `/v1/${endpoint}`, file, JSON.stringify(batchTermsJson(terms)), lines.length],
  );
  let offset = 0;
  for (const [at, line] of lines.entries()) {
    const body: unknown = bodies[at];
    const model = namedModel.safeParse(body).data?.model ?? '';
    await pool.query(
      `insert into batch_lines (batch_id, n, custom_id, model, byte_offset, byte_length) values ($1, $2, $3, $4, $5, $6)`,
      [id, at + 1, `line-${at + 1}`, model, offset, line.length],
    );
    offset += line.length;
  }
  return {
    id,
    lines: async () => {
      const { rows } = await pool.query(`select * from batch_lines where batch_id = $1 order by n`, [id]);
      return rows.map((row) => lineRow.parse(row));
    },
    row: async () => {
      const { rows } = await pool.query(`select completed, failed, cost, paused, usage from batches where id = $1`, [
        id,
      ]);
      return batchRow.parse(rows[0]);
    },
    set: async (columns, values = []) => {
      await pool.query(`update batches set ${columns} where id = $1`, [id, ...values]);
    },
  };
}

const amount = z.bigint().transform((micros) => Number(micros) / 1_000_000);
const lineRow = z
  .object({
    n: z.int(),
    state: z.string(),
    sends: z.int(),
    status_code: z.int().nullable(),
    error_code: z.string().nullable(),
    cost: amount.nullable(),
    answer: z.instanceof(Buffer).nullable(),
    answer_blob: z.string().nullable(),
    task_id: z.string().nullable(),
    transfer_id: z.string().nullable(),
  })
  .transform(({ status_code, error_code, answer, answer_blob, task_id, transfer_id, ...line }): Line => ({
    ...line,
    status: status_code,
    code: error_code,
    answer: answer === null ? {} : (JSON.parse(answer.toString()) as Line['answer']),
    blob: answer_blob,
    taskId: task_id,
    transferId: transfer_id,
  }));
const batchRow = z.object({
  completed: z.int(),
  failed: z.int(),
  cost: amount,
  paused: z.string().nullable(),
  usage: z.unknown(),
});

export interface TestLines {
  slice(batch: TestBatch, signal?: AbortSignal): Promise<BatchSlice>;
  close: BatchLines['close'];
}

/** What a worker runs lines with. Tasks are left to the workers' scan to be started. */
export async function openTestLines({ core }: TestGateway, options: BatchLinesOptions = {}): Promise<TestLines> {
  const starter = { start: () => Promise.reject(new Error('left to the scan')) };
  const lines = await openBatchLines(core, starter, { sliceMs: 20_000, graceMs: 0, ...options });
  return {
    slice: (batch, signal = new AbortController().signal) =>
      lines.runSlice({ batchId: batch.id }, { signal, heartbeat: () => undefined }),
    close: () => lines.close(),
  };
}
