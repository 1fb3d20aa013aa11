/** What the gateway's rows say of the tasks that were created. */
import pg from 'pg';
import { z } from 'zod';
import type { EndedTask } from './figures.ts';

const rowSchema = z.object({
  id: z.string(),
  account: z.string(),
  state: z.string(),
  finished_at: z.number().nullable(),
});

/** Those of the tasks, by their ids in the order of their prompts' numbers. */
export async function tasksOf(databaseUrl: string, word: string, ids: readonly string[]): Promise<EndedTask[]> {
  const prompts = new Map(ids.map((id, number) => [id, `${word} ${number}`]));
  const rows = await ask(
    databaseUrl,
    `select id, account_id as account, state, (extract(epoch from finished_at) * 1000)::float8 as finished_at
      from tasks where id = any($1::text[])`,
    [ids],
  );
  return rows.map((row) => {
    const { id, account, state, finished_at: finishedAt } = rowSchema.parse(row);
    return { prompt: prompts.get(id) ?? '', account, state, finishedAt };
  });
}

/** How many tasks have not ended. */
export async function countUnfinished(databaseUrl: string): Promise<number> {
  const rows = await ask(databaseUrl, 'select count(*)::integer as count from tasks where finished_at is null', []);
  return z.tuple([z.object({ count: z.int() })]).parse(rows)[0].count;
}

async function ask(databaseUrl: string, text: string, values: unknown[]): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return (await client.query<object>(text, values)).rows;
  } finally {
    await client.end();
  }
}
