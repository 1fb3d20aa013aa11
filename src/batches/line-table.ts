/** The lines of batches as they are written before the first is sent, read when the last has ended, and deleted. */
import * as z from 'zod';
import type { EndedLine } from '../domain/batches/output-line.ts';
import { type BlobStore, removeBlobs } from '../blobs/blob-store.ts';
import type { Database } from '../postgres/database.ts';
import { bytes, row, type RowOf } from '../postgres/row.ts';

type Pool = Pick<Database, 'pool'>;

export interface NewLine {
  n: number;
  customId: string;
  model: string;
  byteOffset: number;
  byteLength: number;
}

/** Writes lines that are not there yet, while their batch is being validated. */
export async function insertLines({ pool }: Pool, batchId: string, lines: readonly NewLine[]): Promise<void> {
  if (lines.length === 0) return;
  await pool.query({
    name: 'insert-batch-lines',
    text: `insert into batch_lines (batch_id, n, custom_id, model, byte_offset, byte_length)
      select $1, l.* from unnest($2::integer[], $3::text[], $4::text[], $5::bigint[], $6::integer[]) as l
      where exists (select from batches where id = $1 and state = 'validating')
      on conflict (batch_id, n) do nothing`,
    values: [
      batchId,
      lines.map(({ n }) => n),
      lines.map(({ customId }) => customId),
      lines.map(({ model }) => model),
      lines.map(({ byteOffset }) => byteOffset),
      lines.map(({ byteLength }) => byteLength),
    ],
  });
}

const endedRow = row({
  n: z.int(),
  customId: z.string(),
  state: z.enum(['completed', 'failed', 'expired', 'cancelled', 'unknown']),
  requestId: z.string().nullable(),
  statusCode: z.int().nullable(),
  errorCode: z.string().nullable(),
  answer: bytes.nullable(),
  answerBlob: z.string().nullable(),
});
export type StoredLine = RowOf<typeof endedRow> & EndedLine;

/** An answer that is in its row has at most 64 KiB. */
const pageLines = 200;

/** The lines of a batch that are output, or those that are not, in their order; a page at a time is in memory. */
export async function* endedLines({ pool }: Pool, batchId: string, isOutput: boolean): AsyncGenerator<StoredLine> {
  for (let after = 0; ;) {
    const { rows } = await pool.query({
      name: 'ended-batch-lines',
      text: `select ${endedRow.columns} from batch_lines
        where batch_id = $1 and n > $2 and (state = 'completed') = $3 order by n limit ${pageLines}`,
      values: [batchId, after, isOutput],
    });
    const page = rows.map((read) => endedRow.parse(read));
    yield* page;
    const last = page.at(-1);
    if (!last || page.length < pageLines) return;
    after = last.n;
  }
}

const whole = z.bigint().transform(Number);
const sums = z.object({
  output: whole,
  others: whole,
  open: whole,
  expired: whole,
});

/** How many lines of a batch became what. */
export async function countLines({ pool }: Pool, batchId: string): Promise<z.output<typeof sums>> {
  const { rows } = await pool.query(
    `select count(*) filter (where state = 'completed') as output,
       count(*) filter (where state in ('failed', 'expired', 'cancelled', 'unknown')) as others,
       count(*) filter (where state in ('pending', 'sent')) as open, count(*) filter (where state = 'expired') as expired
     from batch_lines where batch_id = $1`,
    [batchId],
  );
  return sums.parse(rows[0]);
}

export interface RemovalTools {
  database: Pool;
  blobs: Pick<BlobStore, 'remove'>;
}

/** What one statement deletes. */
const removedLines = 2_000;
const doomedRow = z.object({ n: z.int(), answerBlob: z.string().nullable() });

/** Deletes the lines of a batch, or those that are output or not, with their answers: first the blobs, then the rows. */
export async function removeLines(
  { database, blobs }: RemovalTools,
  batchId: string,
  isOutput?: boolean,
): Promise<void> {
  for (;;) {
    const { rows } = await database.pool.query(
      `select n, answer_blob as "answerBlob" from batch_lines
       where batch_id = $1 and ($2::boolean is null or (state = 'completed') = $2) order by n limit ${removedLines}`,
      [batchId, isOutput ?? null],
    );
    const doomed = z.array(doomedRow).parse(rows);
    if (doomed.length === 0) return;
    await removeBlobs(
      blobs,
      doomed.flatMap(({ answerBlob }) => answerBlob ?? []),
    );
    await database.pool.query('delete from batch_lines where batch_id = $1 and n = any($2::integer[])', [
      batchId,
      doomed.map(({ n }) => n),
    ]);
  }
}
