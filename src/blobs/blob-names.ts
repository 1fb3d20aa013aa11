/** Which rows name a blob, for deleting those that none names, and for the audit of that. */
import type pg from 'pg';
import * as z from 'zod';

export interface BlobName {
  /** Null: a row names it that is not a task. */
  task: string | null;
  /** When that task's media were removed; the blob then has no right to be there. */
  removedAt: Date | null;
}

/** What was changed by hand may be no object any more. */
const uploads = `case jsonb_typeof(uploads) when 'object' then uploads end`;

// A result lies below its task's id, so it is found by that. Until the task is final all that lies there is spoken for: a
// step may be about to name it, or to read it. Answers are few at a time and all are read; so are the tasks with uploads, by
// an index of their own.
const namesText = `with asked as materialized (select key from unnest($1::text[]) as key)
  select key, t.id, t.removed_at from asked join tasks t on t.id = split_part(key, '/', 2)
  where key like 'results/%'
    and (t.finished_at is null or t.files @> jsonb_build_array(jsonb_build_object('blobKey', key)))
  union all select key, null, null from asked join (
    select value ->> 'blobKey' as key from tasks cross join lateral jsonb_each(${uploads})
    where uploads is not null and exists (select 1 from asked where key like 'uploads/%')
  ) as u using (key)
  union all select asked.key, null, null from asked join idempotency_keys i on i.answer = asked.key
  where asked.key like 'answers/%'
  union all select asked.key, null, null from asked join files f on f.blob = asked.key
  where asked.key like 'files/%'
  union all select asked.key, null, null from asked join batch_lines l on l.answer_blob = asked.key
  where asked.key like 'batch-answers/%'
  union all select asked.key, null, null from asked join recorded_bodies r on r.id = split_part(asked.key, '/', 3)
  where asked.key like 'bodies/%'`;
const namesRow = z.tuple([z.string(), z.string().nullable(), z.date().nullable()]);

/** The names of those of the blobs that have one, by their keys. */
export async function blobNames(
  client: Pick<pg.ClientBase, 'query'>,
  keys: readonly string[],
): Promise<Map<string, BlobName>> {
  const { rows } = await client.query<unknown[]>({
    name: 'blob-names',
    text: namesText,
    values: [keys],
    rowMode: 'array',
  });
  return new Map(
    rows.map((row) => {
      const [key, task, removedAt] = namesRow.parse(row);
      return [key, { task, removedAt }];
    }),
  );
}
