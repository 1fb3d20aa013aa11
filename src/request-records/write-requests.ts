/** The rows of requests, written many at once, and the days that they lie in. */
import { copyRows } from '../postgres/copy-rows.ts';
import type { Database } from '../postgres/database.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { addCounts } from './outcome-counts.ts';
import { requestColumns, type RequestGroup } from './request-group.ts';

const intoRequests = `requests (${requestColumns.join(', ')})`;

/** Writes all of them, and counts what came of them, or does neither. */
export async function writeRequests(database: Pick<Database, 'pool'>, { rows, counts }: RequestGroup): Promise<void> {
  await inTransaction(database, async (client) => {
    await copyRows(client, intoRequests, rows);
    await addCounts(client, counts); // last: other processes wait for the rows that are added to
  });
}

/** Makes the days to come and drops those that are older than what is kept, and the counts that are not read any more. */
export async function supplyRequestDays({ pool }: Pick<Database, 'pool'>, keepDays: number): Promise<void> {
  await pool.query('select tollgate_supply_request_days($1, $2)', [daysAhead, keepDays]);
  await pool.query(`delete from outcome_counts where slot < now() - interval '2 days'`);
}

/** A week without any process that serves the API costs nothing: the next one makes its days when it starts. */
const daysAhead = 7;
