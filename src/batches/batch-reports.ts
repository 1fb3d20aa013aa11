/** Batches as people look at them: of one account or of all, by how they stand, with the names that go with them. */
import type pg from 'pg';
import * as z from 'zod';
import type { BatchState } from '../domain/batches/batch-states.ts';
import type { AccountId } from '../domain/ids.ts';
import { computed, row, type RowOf } from '../postgres/row.ts';
import { shownColumns } from './stored-batches.ts';

interface Tools {
  pool: Pick<pg.Pool, 'query'>;
}

// Until its lines were checked, the terms have every model that a line may name.
const models = `case when b.in_progress_at is null then '{}' else array(select jsonb_object_keys(b.terms) order by 1) end`;

const factsRow = row({
  ...shownColumns,
  models: computed(models, z.array(z.string())),
  keyName: computed('k.name', z.string()),
  accountName: computed('a.name', z.string()),
  startedAt: z.date().nullable(),
  /** The last sign of life of its workflow. */
  seenAt: z.date().nullable(),
});
export type BatchFacts = RowOf<typeof factsRow>;

const from = 'from batches b join api_keys k on k.id = b.key_id join accounts a on a.id = b.account_id';

interface BatchFilter {
  account?: AccountId | undefined;
  states?: readonly BatchState[] | undefined;
  /** At most so many. */
  limit: number;
  /** A batch's id: those that are older. */
  after?: string | undefined;
}

/** Batches that pass the filter, the newest first. */
export async function listBatchFacts(
  { pool }: Tools,
  { account, states, limit, after }: BatchFilter,
): Promise<BatchFacts[]> {
  const { rows } = await pool.query(
    `select ${factsRow.columnsOf('b')} ${from}
     where ($1::text is null or b.account_id = $1) and ($2::text[] is null or b.state = any($2)) and ($3::text is null or b.id < $3)
     order by b.id desc limit $4`,
    [account ?? null, states ?? null, after ?? null, limit],
  );
  return rows.map((read) => factsRow.parse(read));
}

/** The batch of this id, of this account if one is named. */
export async function findBatchFacts(
  { pool }: Tools,
  batchId: string,
  account?: AccountId,
): Promise<BatchFacts | undefined> {
  const { rows } = await pool.query(
    `select ${factsRow.columnsOf('b')} ${from} where b.id = $1 and ($2::text is null or b.account_id = $2)`,
    [batchId, account ?? null],
  );
  return rows[0] === undefined ? undefined : factsRow.parse(rows[0]);
}

const toGoRow = row({
  batches: computed('count(*)::int', z.int()),
  /** As of their last slices. */
  lines: computed('coalesce(sum(total - completed - failed), 0)::float8', z.number()),
});

/** How many batches are under way, and how many of their lines have not ended. */
export async function batchesUnderWay({ pool }: Tools): Promise<RowOf<typeof toGoRow>> {
  const { rows } = await pool.query({
    name: 'batches-under-way',
    text: `select ${toGoRow.columns} from batches
      where state in ('validating', 'in_progress', 'finalizing', 'cancelling')`,
  });
  return toGoRow.parse(rows[0]);
}

const lineErrorRow = row({
  code: computed('error_code', z.string()),
  lines: computed('count(*)::int', z.int()),
  /** From 1, as in the input file. */
  first: computed('min(n)', z.int()),
});
export type LineErrors = RowOf<typeof lineErrorRow>;

/** How many lines ended with which error, the most frequent first; none once the lines were deleted. */
export async function lineErrorsOf({ pool }: Tools, batchId: string): Promise<LineErrors[]> {
  const { rows } = await pool.query(
    `select ${lineErrorRow.columns} from batch_lines where batch_id = $1 and error_code is not null
     group by error_code order by count(*) desc, error_code limit 100`,
    [batchId],
  );
  return rows.map((read) => lineErrorRow.parse(read));
}
