/** The rows of files. A file that was deleted, or whose time is up, is not there for its account. */
import type pg from 'pg';
import * as z from 'zod';
import { type FilePurpose, filePurposes } from '../domain/requests/file-request.ts';
import type { AccountId, FileId, KeyId } from '../domain/ids.ts';
import type { Database } from '../postgres/database.ts';
import { id, row, type RowOf } from '../postgres/row.ts';

const fileRow = row({
  id: id<FileId>(),
  accountId: id<AccountId>(),
  purpose: z.enum(filePurposes),
  filename: z.string(),
  bytes: z.bigint().transform(Number),
  blob: z.string(),
  createdAt: z.date(),
  expiresAt: z.date().nullable(),
});
export type AccountFile = RowOf<typeof fileRow>;

export interface NewFile {
  id: FileId;
  accountId: AccountId;
  keyId: KeyId;
  purpose: FilePurpose;
  filename: string;
  bytes: number;
  /** The key of what is stored already, below `files/`. */
  blob: string;
  /** From now on; null: until it is deleted. */
  keptSeconds: number | null;
}

const isThere = 'deleted_at is null and (expires_at is null or expires_at > clock_timestamp())';
type Client = Pick<pg.ClientBase, 'query'>;

/** Notes a file whose bytes are stored, within the client's transaction if it has one. */
export async function insertFile(client: Client, file: NewFile): Promise<AccountFile> {
  const { rows } = await client.query({
    name: 'insert-file',
    text: `insert into files (id, account_id, key_id, purpose, filename, bytes, blob, created_at, expires_at)
      values ($1, $2, $3, $4, $5, $6, $7, statement_timestamp(), statement_timestamp() + make_interval(secs => $8))
      returning ${fileRow.columns}`,
    values: [
      ...[file.id, file.accountId, file.keyId, file.purpose, file.filename],
      ...[file.bytes, file.blob, file.keptSeconds],
    ],
  });
  return fileRow.parse(rows[0]);
}

/** The account's file of this id. */
export async function findFile(
  { pool }: Pick<Database, 'pool'>,
  account: AccountId,
  fileId: string,
): Promise<AccountFile | undefined> {
  const text = `select ${fileRow.columns} from files where id = $1 and account_id = $2 and ${isThere}`;
  return found(await pool.query({ name: 'find-file', text, values: [fileId, account] }));
}

/**
 * The same for a transaction that makes a batch which reads the file: until the transaction ends, the file can't be
 * deleted, and then the batch keeps its bytes.
 */
export async function lockFile(client: Client, account: AccountId, fileId: string): Promise<AccountFile | undefined> {
  const text = `select ${fileRow.columns} from files where id = $1 and account_id = $2 and ${isThere} for share`;
  return found(await client.query({ name: 'lock-file', text, values: [fileId, account] }));
}

/** The file that a batch under way reads, also where it was deleted since or its time is up. */
export async function findInputFile(
  { pool }: Pick<Database, 'pool'>,
  fileId: string,
): Promise<AccountFile | undefined> {
  const text = `select ${fileRow.columns} from files where id = $1`;
  return found(await pool.query({ name: 'find-input-file', text, values: [fileId] }));
}

export interface FilesAsked {
  purpose: FilePurpose | undefined;
  limit: number;
  order: 'asc' | 'desc';
  /** A file's id: those behind it, whether or not it is still there. */
  after: string | undefined;
}

/** Up to `limit` files of the account: from the newest on (`desc`) or from the oldest. */
export async function listFiles(
  { pool }: Pick<Database, 'pool'>,
  account: AccountId,
  { purpose, limit, order, after }: FilesAsked,
): Promise<AccountFile[]> {
  const { rows } = await pool.query(
    `select ${fileRow.columns} from files where account_id = $1 and ${isThere} and purpose = coalesce($3, purpose)
       ${after === undefined ? '' : `and id ${order === 'desc' ? '<' : '>'} $4`}
     order by id ${order} limit $2`,
    [account, limit, purpose, ...(after === undefined ? [] : [after])],
  );
  return rows.map((read) => fileRow.parse(read));
}

/** Has the account's file gone from now on; `removeDeletedFiles` does the rest. Returns whether it was there. */
export async function markDeleted(
  { pool }: Pick<Database, 'pool'>,
  account: AccountId,
  fileId: string,
): Promise<boolean> {
  const text = `update files set deleted_at = clock_timestamp() where id = $1 and account_id = $2 and ${isThere}`;
  const { rowCount } = await pool.query({ name: 'mark-file-deleted', text, values: [fileId, account] });
  return rowCount === 1;
}

/** How many files the account keeps, and how many bytes they have in all. */
export async function countFiles(
  { pool }: Pick<Database, 'pool'>,
  account: AccountId,
): Promise<{ files: number; bytes: number }> {
  const text = `select count(*) as files, coalesce(sum(bytes), 0)::bigint as bytes from files
    where account_id = $1 and ${isThere}`;
  const { rows } = await pool.query({ name: 'count-files', text, values: [account] });
  return counts.parse(rows[0]);
}

const whole = z.bigint().transform(Number);
const counts = z.object({ files: whole, bytes: whole });

const found = ({ rows }: pg.QueryResult): AccountFile | undefined =>
  rows[0] === undefined ? undefined : fileRow.parse(rows[0]);
