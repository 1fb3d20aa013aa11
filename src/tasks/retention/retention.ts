/**
 * Retention: results, requests, uploads and the messages of errors are deleted when their time is up. Rows and money stay.
 */
import * as z from 'zod';
import { finalTaskStates, type FinalTaskState, type TaskKind } from '../../domain/tasks/task-states.ts';
import { type BlobStore, removeBlobs } from '../../blobs/blob-store.ts';
import type { Database } from '../../postgres/database.ts';

const batchTasks = 100;
/** Past the time to fetch it; by then the workflow that deletes a result has done so, unless it was terminated. */
const unfetchableMs = 3_600_000;
/** Their workflow withdraws them within minutes; this leaves an hourly sweep half a day to keep the day that is promised. */
const deadMs = 12 * 3_600_000;

export interface RetentionTools {
  database: Database;
  blobs: Pick<BlobStore, 'remove'>;
  /** How long the results of images and videos are kept after their end, by the database's clock. */
  retentionMs: number;
  /** How long those of avatar-talk can be fetched. */
  fetchWindowMs: number;
  /** Ends it, with its reason, between two batches. */
  signal?: AbortSignal;
}

interface Rule {
  kind: TaskKind;
  states: readonly FinalTaskState[];
  ageMs: number;
}

/**
 * Removes the media and requests of all final tasks whose time is up, and the messages of their errors, but for those that are being fetched. Several
 * processes may do so at once, and one that died is gone on for. Returns how many tasks it removed them of.
 */
export async function removeOldResults(tools: RetentionTools): Promise<number> {
  const { retentionMs, fetchWindowMs } = tools;
  const rules: Rule[] = [
    { kind: 'image', states: finalTaskStates, ageMs: retentionMs },
    { kind: 'video', states: finalTaskStates, ageMs: retentionMs },
    { kind: 'avatar_talk', states: ['succeeded'], ageMs: fetchWindowMs + unfetchableMs },
    { kind: 'avatar_talk', states: ['failed', 'cancelled'], ageMs: deadMs },
  ];
  let removed = 0;
  for (const rule of rules) removed += await removeByRule(tools, rule);
  for (const statement of [dropTaskMessages, dropIntentMessages]) await repeatInBatches(tools, statement);
  return removed;
}

// What an upstream said may quote the request. The seal of a task's end has the digest of the message.
const dropTaskMessages = {
  name: 'drop-task-error-messages',
  text: `update tasks set error_message = null where id in (
      select id from tasks where error_message is not null
        and finished_at < now() - make_interval(secs => $1)
      order by finished_at limit ${batchTasks} for no key update skip locked)`,
};
const dropIntentMessages = {
  name: 'drop-intent-error-messages',
  text: `update intents i set error = i.error - 'message' from (
      select i.task_id, i.route from intents i join tasks t on t.id = i.task_id
      where i.error ? 'message' and i.closed_at < now() - make_interval(secs => $1) and t.finished_at is not null
      order by i.closed_at limit ${batchTasks} for no key update of i skip locked) old
    where i.task_id = old.task_id and i.route = old.route`,
};

async function repeatInBatches(
  { database, retentionMs, signal }: RetentionTools,
  statement: { name: string; text: string },
): Promise<void> {
  for (;;) {
    signal?.throwIfAborted();
    const { rowCount } = await database.keyed.query({ ...statement, values: [retentionMs / 1000] });
    if ((rowCount ?? 0) < batchTasks) return;
  }
}

/**
 * Uploads go before their row says so: once it does, nothing names them any more. Results go after it, since the row goes
 * on naming them, and the sweep deletes what a death left over.
 */
async function removeByRule({ database, blobs, signal }: RetentionTools, rule: Rule): Promise<number> {
  for (let removed = 0; ;) {
    signal?.throwIfAborted();
    const due = await dueTasks(database, rule);
    await removeBlobs(
      blobs,
      due.flatMap(({ keys }) => keys),
    );
    const marked = await markRemoved(
      database,
      due.map(({ id }) => id),
      rule,
    );
    await removeBlobs(
      blobs,
      marked.flatMap(({ keys }) => keys),
    );
    removed += marked.length;
    // Where another process marks the same ones, the rest is its.
    if (due.length < batchTasks || marked.length === 0) return removed;
  }
}

// An index is read up to a time that is the same for the whole statement; a claim is judged by the very moment.
const isDue = `t.removed_at is null and t.finished_at < now() - make_interval(secs => $1)
  and t.kind = $2 and t.state = any($3::text[]) and coalesce(t.fetch_until, '-infinity') < clock_timestamp()`;
const valuesOf = ({ ageMs, kind, states }: Rule) => [ageMs / 1000, kind, states];
const keysBelow = (column: string, path: string) =>
  `jsonb_path_query_array(${column}, 'lax ${path}.blobKey ? (@.type() == "string")')`;

/** The next tasks whose time is up, with their uploads. */
async function dueTasks(database: Database, rule: Rule): Promise<KeysOfTask[]> {
  const { rows } = await database.keyed.query({
    name: 'results-to-remove',
    text: `select t.id, coalesce(${keysBelow('t.uploads', '$.*')}, '[]') as keys from tasks t where ${isDue}
     order by t.finished_at limit ${batchTasks}`,
    values: valuesOf(rule),
  });
  return rows.map((row) => keysOfTask.parse(row));
}

/** Marks those that are still due, and that no other process is marking; returns their results. */
async function markRemoved(database: Database, ids: readonly string[], rule: Rule): Promise<KeysOfTask[]> {
  if (ids.length === 0) return [];
  const { rows } = await database.keyed.query({
    name: 'mark-removed',
    text: `update tasks set removed_at = clock_timestamp(), request = null, uploads = null, fetch_owner = null, fetch_until = null
     where id in (select t.id from tasks t where t.id = any($4::text[]) and ${isDue} order by t.id for no key update skip locked)
     returning id, coalesce(${keysBelow('files', '$[*]')}, '[]') as keys`,
    values: [...valuesOf(rule), ids],
  });
  return rows.map((row) => keysOfTask.parse(row));
}

const keysOfTask = z.object({ id: z.string(), keys: z.array(z.string()) });
type KeysOfTask = z.output<typeof keysOfTask>;
