/**
 * Fetching a result once. A download claims the task for 30 seconds and renews the claim while it runs; what was
 * fetched, or is past its time, is removed.
 */
import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import type { TaskId } from '../../domain/ids.ts';
import { storedFileSchema, uploadsSchema } from '../../domain/tasks/stored-request.ts';
import { type BlobStore, removeBlobs } from '../../blobs/blob-store.ts';
import type { Database } from '../../postgres/database.ts';

const claimSeconds = 30;
export const claimRenewalMs = 10_000;

/** Claims a finished task for one download; undefined when another has it, or it is removed, expired or not finished. */
export async function claimFetch(database: Database, task: TaskId, windowMs: number): Promise<string | undefined> {
  const owner = randomUUID();
  const { rowCount } = await database.keyed.query({
    name: 'claim-fetch',
    text: `update tasks set fetch_owner = $2, fetch_until = clock_timestamp() + make_interval(secs => $3)
      where id = $1 and state = 'succeeded' and removed_at is null
        and coalesce(fetch_until, '-infinity') < clock_timestamp()
        and finished_at > clock_timestamp() - make_interval(secs => $4)`,
    values: [task, owner, claimSeconds, windowMs / 1000],
  });
  return rowCount === 1 ? owner : undefined;
}

/** Keeps a claim alive. */
export async function renewFetch(database: Database, task: TaskId, owner: string): Promise<void> {
  await database.keyed.query({
    name: 'renew-fetch',
    text: `update tasks set fetch_until = clock_timestamp() + make_interval(secs => $3) where id = $1 and fetch_owner = $2`,
    values: [task, owner, claimSeconds],
  });
}

/** Gives a claim back: the download broke off, and the result stays. */
export async function dropFetch(database: Database, task: TaskId, owner: string): Promise<void> {
  await database.keyed.query({
    name: 'drop-fetch',
    text: 'update tasks set fetch_owner = null, fetch_until = null where id = $1 and fetch_owner = $2',
    values: [task, owner],
  });
}

/** Milliseconds until the running download's claim ends, 0 if none runs. */
export async function claimsUntil(database: Database, task: TaskId): Promise<number> {
  const { rows } = await database.keyed.query({
    name: 'fetch-claimed-until',
    text: `select greatest(0, coalesce(ceil(extract(epoch from fetch_until - clock_timestamp()) * 1000), 0))::bigint as left_ms
     from tasks where id = $1 and removed_at is null`,
    values: [task],
  });
  return rows[0] === undefined ? 0 : Number(z.object({ left_ms: z.bigint() }).parse(rows[0]).left_ms);
}

export async function isRemoved(database: Database, task: TaskId): Promise<boolean> {
  const { rowCount } = await database.keyed.query({
    name: 'task-is-not-removed',
    text: 'select 1 from tasks where id = $1 and removed_at is null',
    values: [task],
  });
  return rowCount === 0;
}

/**
 * Removes a task's media and request for good; the row and its money stay. Of an owner, only while the claim is its own.
 * Repeating it deletes what was left over.
 *
 * Uploads go first: once the row says that they are gone, nothing names them any more, and the media of a task that has
 * ended are of no more use. Results go last, since the row goes on naming them.
 */
export async function removeMedia(
  database: Database,
  blobs: Pick<BlobStore, 'remove'>,
  task: TaskId,
  owner?: string,
): Promise<boolean> {
  const isTheirs = 't.id = $1 and t.finished_at is not null and ($2::uuid is null or t.fetch_owner = $2)';
  const values = [task, owner ?? null];
  const found = await database.keyed.query({
    name: 'uploads-to-remove',
    text: `select t.uploads from tasks t where ${isTheirs}`,
    values,
  });
  if (found.rows[0] === undefined) return false;
  const { uploads } = uploadsRow.parse(found.rows[0]);
  await removeBlobs(
    blobs,
    Object.values(uploads ?? {}).map(({ blobKey }) => blobKey),
  );
  const { rows } = await database.keyed.query({
    name: 'remove-media',
    text: `update tasks t set removed_at = coalesce(t.removed_at, clock_timestamp()), request = null, uploads = null,
        fetch_owner = null, fetch_until = null
      where ${isTheirs} returning t.files`,
    values,
  });
  if (rows[0] === undefined) return false;
  const { files } = filesRow.parse(rows[0]);
  await removeBlobs(blobs, files?.map(({ blobKey }) => blobKey) ?? []);
  return true;
}

const uploadsRow = z.object({ uploads: uploadsSchema.nullable() });
const filesRow = z.object({ files: z.array(storedFileSchema).nullable() });
