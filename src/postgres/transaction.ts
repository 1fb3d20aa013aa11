/** Statements that take effect together or not at all. */
import type pg from 'pg';
import type { Database } from './database.ts';

/** Commits what the work has written once it resolves; where it rejects, nothing of it stays, and its error is thrown. */
export async function inTransaction<T>(
  { pool }: Pick<Database, 'pool'>,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query('begin');
    const outcome = await work(client);
    await client.query('commit');
    return outcome;
  } catch (error) {
    broken = new Error('a transaction broke off', { cause: error }); // closing the connection ends it
    throw error;
  } finally {
    client.release(broken);
  }
}
