/**
 * Whether the blob store has just what rows name. What looks wrong is looked at once more, by rows and store as they are
 * then: a result may have been fetched, and a file stored, since the page was read.
 */
import { createHash } from 'node:crypto';
import * as z from 'zod';
import { type BlobName, blobNames } from '../../blobs/blob-names.ts';
import { BlobNotFound, type BlobStore } from '../../blobs/blob-store.ts';
import type { Database } from '../../postgres/database.ts';
import { anchorsFolder } from '../anchors.ts';
import { pagesOf } from '../audit.ts';
import type { Check, CheckContext } from '../check-context.ts';
import { inRange, type Ranged } from '../key-ranges.ts';
import { lookedAt } from './task-row-rules.ts';

export interface BlobsCheckTools {
  /** For what is looked at once more. */
  database: Database;
  blobs: Pick<BlobStore, 'size' | 'list' | 'read'>;
  /** Reads every file and compares its SHA-256 too. */
  deep?: boolean;
}

/** The check of a blob store in both directions: what rows name is there, and what is there is named. */
export const blobsCheck = (tools: BlobsCheckTools): Check => ({
  name: 'blobs',
  async run(context) {
    await findMissing(tools, context);
    await findUnnamed(tools, context);
  },
});

/** A store that is asked over the network answers each in some 10 ms. */
const looksAtOnce = 32;
/** Keys of 40 characters: some megabytes a batch. One look-up reads all uploads and answers that rows name. */
const batchListed = 50_000;
/** The sweep comes by once an hour, ten minutes late at times, and takes its time. */
const sweepMsMax = 2 * 3_600_000;
/** Those without a name are swept from a day on. */
const unnamedMsMax = 24 * 3_600_000 + sweepMsMax;
/** Media are removed after their row says so; what a death left over is swept. */
const removalMsMax = sweepMsMax;

interface NamedBlob {
  /** What names it: a task, a file, a batch, or an account of a stored answer. */
  subject: string;
  key: string;
  /** Null where the row doesn't say. */
  bytes: number | null;
  sha256: string | null;
}

/** What was changed by hand may be no list or object any more; its seal reports that. */
const only = (type: 'array' | 'object', column: string) =>
  `case jsonb_typeof(${column}) when '${type}' then ${column} end`;

// Each row of `named` is a blob that has to be there. Uploads and stored answers of a provider are read until their task is
// final.
const named = (tasks: string) => `
  select t.id as subject, f ->> 'blobKey' as key,
    case jsonb_typeof(f -> 'bytes') when 'number' then (f ->> 'bytes')::float8 end as bytes, f ->> 'sha256' as sha256
  from tasks t cross join lateral (
    select jsonb_array_elements(${only('array', 't.files')}) as f where t.state = 'succeeded'
    union all select value from jsonb_each(${only('object', 't.uploads')}) where t.finished_at is null
  ) as parts
  where t.removed_at is null and f ->> 'blobKey' is not null and (t.files is not null or t.uploads is not null) and ${tasks}
  union all
  select t.id, unnest(i.blob_keys), null, null from intents i join tasks t on t.id = i.task_id
  where i.blob_keys is not null and t.finished_at is null and ${tasks}`;
const answers = `select i.account_id, i.answer, null::float8, null from idempotency_keys i
  where i.answer <> '' and i.state = 'done'`;
// Of one that is deleted the bytes go first.
const kept = `select f.id, f.blob, f.bytes::float8, null from files f
  where f.deleted_at is null and (f.expires_at is null or f.expires_at > clock_timestamp())`;

// Of lines that are deleted the bytes go first; they go with the file that was made of them, and answers with the output.
const lineAnswers = `select b.id, l.answer_blob, null::float8, null from batches b join batch_lines l on l.batch_id = b.id
  where l.answer_blob is not null and b.lines_removed_at is null and (b.output_file_id is null or exists (
    select from files f where f.id = b.output_file_id and f.deleted_at is null and f.expires_at > clock_timestamp()))`;

async function findMissing({ database, blobs, deep = false }: BlobsCheckTools, context: CheckContext): Promise<void> {
  const { since, found, looked } = context;
  const pages: readonly [Ranged, string][] = [
    ['tasks', named(`${lookedAt('$3')} and ${inRange('tasks', 't.id')}`)],
    [
      'idempotency_keys',
      `${answers} and ($3::timestamptz is null or i.created_at >= $3) and ${inRange('idempotency_keys', 'i.created_at')}`,
    ],
    ['batches', `${lineAnswers} and ($3::timestamptz is null or b.created_at >= $3) and ${inRange('batches', 'b.id')}`],
    ['files', `${kept} and ($3::timestamptz is null or f.created_at >= $3) and ${inRange('files', 'f.id')}`],
  ];
  for (const [ranged, text] of pages) {
    for await (const rows of pagesOf(context, ranged, text, [since ?? null])) {
      await eachOf(rows, async (row) => {
        const blob = namedBlob(row);
        const says = await wrongWith(blobs, blob, deep);
        if (says === undefined || !(await isStillNamed(database, blob))) return;
        found(blob.subject, `${says}: ${blob.key}`);
      });
      looked('blobs that rows name', rows.length);
    }
  }
}

async function wrongWith(
  blobs: BlobsCheckTools['blobs'],
  { key, bytes, sha256 }: NamedBlob,
  deep: boolean,
): Promise<string | undefined> {
  try {
    const size = await blobs.size(key);
    if (bytes !== null && size !== bytes) return `a blob has ${size} bytes where its row says ${bytes}`;
    if (!deep || sha256 === null) return undefined;
    const hash = createHash('sha256');
    for await (const piece of await blobs.read(key)) hash.update(z.instanceof(Uint8Array).parse(piece));
    return hash.digest('hex') === sha256 ? undefined : 'a blob has other bytes than its row says';
  } catch (error) {
    if (error instanceof BlobNotFound) return 'a blob is not in the store';
    throw error;
  }
}

/** As the rows are now; what was removed or fetched meanwhile is no longer missed. */
async function isStillNamed({ pool }: Database, { subject, key }: NamedBlob): Promise<boolean> {
  const text = `select 1 from (${named('t.id = $1')}) as n where key = $2
    union all ${answers.replace(/^select .*? from/, 'select 1 from')} and i.account_id = $1 and i.answer = $2
    union all ${kept.replace(/^select .*? from/, 'select 1 from')} and f.id = $1 and f.blob = $2
    union all ${lineAnswers.replace(/^select .*? from/, 'select 1 from')} and b.id = $1 and l.answer_blob = $2`;
  return (await pool.query(text, [subject, key])).rowCount !== 0;
}

async function findUnnamed(tools: BlobsCheckTools, context: CheckContext): Promise<void> {
  const { now, since } = context;
  let batch: Listed[] = [];
  for await (const blob of tools.blobs.list('')) {
    if (blob.key.startsWith(anchorsFolder)) continue;
    if (since && blob.changedAtMs < since.getTime()) continue;
    // Younger ones may belong to steps under way, which name them last.
    batch.push({ ...blob, isOld: blob.changedAtMs < now.getTime() - unnamedMsMax });
    if (batch.length < batchListed) continue;
    await judge(tools, context, batch);
    batch = [];
  }
  await judge(tools, context, batch);
}

interface Listed {
  key: string;
  isOld: boolean;
}

const keysOf = (blobs: readonly Listed[]): string[] => blobs.map(({ key }) => key);

async function judge({ database, blobs }: BlobsCheckTools, context: CheckContext, batch: Listed[]): Promise<void> {
  const { now, found, looked } = context;
  const removedBefore = new Date(now.getTime() - removalMsMax);
  const before = await blobNames(database.pool, keysOf(batch));
  const suspects = batch.filter(({ key, isOld }) => wrongName(before.get(key), isOld, removedBefore));
  if (suspects.length > 0) {
    const after = await blobNames(database.pool, keysOf(suspects));
    await eachOf(suspects, async ({ key, isOld }) => {
      const wrong = wrongName(after.get(key), isOld, removedBefore);
      if (!wrong || !(await isThere(blobs, key))) return;
      if (wrong.removedFrom === undefined) found(key, 'no row names it');
      else found(wrong.removedFrom, `it was removed, but a blob is still in the store: ${key}`);
    });
  }
  looked('blobs in the store', batch.length);
}

/** What is wrong with a blob of this name, if anything. */
function wrongName(
  name: BlobName | undefined,
  isOld: boolean,
  removedBefore: Date,
): { removedFrom: string | undefined } | undefined {
  if (!name) return isOld ? { removedFrom: undefined } : undefined;
  const { task, removedAt } = name;
  return removedAt && removedAt < removedBefore ? { removedFrom: task ?? undefined } : undefined;
}

async function isThere(blobs: BlobsCheckTools['blobs'], key: string): Promise<boolean> {
  try {
    await blobs.size(key);
    return true;
  } catch (error) {
    if (error instanceof BlobNotFound) return false;
    throw error;
  }
}

/** Does something with each of them, some at a time. */
async function eachOf<T>(all: readonly T[], act: (one: T) => Promise<void>): Promise<void> {
  const rest = all.values();
  const worker = async () => {
    for (const one of rest) await act(one);
  };
  await Promise.all(Array.from({ length: Math.min(looksAtOnce, all.length) }, worker));
}

const namedRow = z.tuple([z.string(), z.string(), z.number().nullable(), z.string().nullable()]);
function namedBlob(row: unknown): NamedBlob {
  const [subject, key, bytes, sha256] = namedRow.parse(row);
  return { subject, key, bytes, sha256 };
}
