/** Which bodies are recorded: a row each, written before its blob and deleted behind it, so that no blob is forgotten. */
import { buffer } from 'node:stream/consumers';
import * as z from 'zod';
import type { AccountId } from '../domain/ids.ts';
import { BlobNotFound, type BlobStore, removeBlobs } from '../blobs/blob-store.ts';
import { moments, texts } from '../postgres/binary-arrays.ts';
import type { Database } from '../postgres/database.ts';
import { id, row, type RowOf } from '../postgres/row.ts';
import { type Bodies, type BodyKeys, openBodies } from './seal-body.ts';

const bodyRow = row({
  ...{ id: id<string>(), accountId: id<AccountId>(), requestId: id<string>() },
  ...{ createdAt: z.date(), expiresAt: z.date() },
});
export type BodyRow = RowOf<typeof bodyRow>;

/** Where the blob of a body is. */
export const bodyKeyOf = ({ accountId, id }: Pick<BodyRow, 'accountId' | 'id'>): string => `bodies/${accountId}/${id}`;

/** Writes all rows or none. */
export async function insertBodyRows({ pool }: Database, rows: readonly BodyRow[]): Promise<void> {
  await pool.query({
    name: 'insert-recorded-bodies',
    text: `insert into recorded_bodies (id, account_id, request_id, created_at, expires_at)
      select * from unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[], $5::timestamptz[])`,
    values: [
      texts(rows, (body) => body.id),
      texts(rows, ({ accountId }) => accountId),
      texts(rows, ({ requestId }) => requestId),
      moments(rows, ({ createdAt }) => createdAt),
      moments(rows, ({ expiresAt }) => expiresAt),
    ],
  });
}

export interface FoundBodies extends Bodies {
  createdAt: Date;
  expiresAt: Date;
}

/** Where bodies are read from. */
export interface BodyTools {
  database: Database;
  blobs: Pick<BlobStore, 'read'>;
  keys: BodyKeys;
}

/**
 * The bodies of the account's newest request of that id, or of the one that came in that second (Unix time). Undefined
 * where none were recorded, or their time is up. Throws `BodySecretGone`.
 */
export async function findBodies(
  { database, blobs, keys }: BodyTools,
  account: AccountId,
  requestId: string,
  created?: number,
): Promise<FoundBodies | undefined> {
  const { rows } = await database.pool.query({
    name: 'find-recorded-body',
    text: `select ${bodyRow.columns} from recorded_bodies
      where account_id = $1 and request_id = $2 and expires_at > clock_timestamp()
        and ($3::float8 is null or floor(extract(epoch from created_at)) = $3)
      order by created_at desc limit 1`,
    values: [account, requestId, created ?? null],
  });
  if (rows[0] === undefined) return undefined;
  const { createdAt, expiresAt, ...found } = bodyRow.parse(rows[0]);
  try {
    const blob = await buffer(await blobs.read(bodyKeyOf(found)));
    return { ...(await openBodies(keys, { account, requestId, id: found.id }, blob)), createdAt, expiresAt };
  } catch (error) {
    if (error instanceof BlobNotFound) return undefined; // its process died, or its store failed, before it was written
    throw error;
  }
}

/** Those of these requests that bodies are recorded of: each as `bodyMark` has it. */
export async function recordedAmong(
  database: Database,
  requests: readonly Pick<BodyRow, 'accountId' | 'requestId'>[],
): Promise<ReadonlySet<string>> {
  if (requests.length === 0) return new Set();
  const { rows } = await database.pool.query({
    name: 'recorded-bodies-among',
    text: `select ${bodyRow.columns} from recorded_bodies
      where account_id = any($1::text[]) and request_id = any($2::text[]) and expires_at > clock_timestamp() limit 1000`,
    values: [[...new Set(requests.map(({ accountId }) => accountId))], requests.map(({ requestId }) => requestId)],
  });
  return new Set(rows.map((each) => bodyMark(bodyRow.parse(each))));
}

/** A request among others of the same id. */
export const bodyMark = ({ accountId, requestId, createdAt }: Pick<BodyRow, 'accountId' | 'requestId' | 'createdAt'>) =>
  `${accountId} ${requestId} ${Math.floor(createdAt.getTime() / 1000)}`;

const batchBodies = 500;

/**
 * Deletes the bodies whose time is up, blob before row. Several processes may do so at once. Returns how many there were.
 */
export async function deleteExpiredBodies({
  database,
  blobs,
  signal,
}: {
  database: Database;
  blobs: Pick<BlobStore, 'remove'>;
  /** Ends it, with its reason, between two batches. */
  signal?: AbortSignal | undefined;
}): Promise<number> {
  for (let deleted = 0; ;) {
    signal?.throwIfAborted();
    const { rows } = await database.pool.query({
      name: 'expired-bodies',
      text: `select ${bodyRow.columns} from recorded_bodies where expires_at <= clock_timestamp()
        order by expires_at limit ${batchBodies}`,
    });
    const due = rows.map((each) => bodyRow.parse(each));
    await removeBlobs(blobs, due.map(bodyKeyOf));
    await deleteBodyRows(database, due);
    deleted += due.length;
    if (due.length < batchBodies) return deleted;
  }
}

/** Forgets rows whose blobs are gone, or were never written. */
export async function deleteBodyRows({ pool }: Database, rows: readonly Pick<BodyRow, 'id'>[]): Promise<void> {
  if (rows.length === 0) return;
  await pool.query({
    name: 'delete-recorded-bodies',
    text: 'delete from recorded_bodies where id = any($1::text[])',
    values: [rows.map((body) => body.id)],
  });
}
