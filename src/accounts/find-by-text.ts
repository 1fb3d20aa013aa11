/** What a pasted id or a part of a name means: tasks, batches, requests, ledger entries, keys and accounts. */
import * as z from 'zod';
import { type AccountId, taskIdPrefixes } from '../domain/ids.ts';
import type { Database } from '../postgres/database.ts';
import { requestsById } from '../postgres/requests-by-id.ts';
import { computed, id, row, type RowOf } from '../postgres/row.ts';

const foundRow = row({
  kind: z.enum(['task', 'batch', 'request', 'entries', 'key', 'account']),
  /** Of entries: of the task or request whose entries they are; null for a credit or a correction. */
  id: z.string().nullable(),
  /** Of keys and accounts. */
  name: z.string().nullable(),
  accountId: id<AccountId>(),
  accountName: computed('(select a.name from accounts a where a.id = f.account_id)', z.string()),
});
export type Found = RowOf<typeof foundRow>;

/** Of each kind. */
const foundMax = 6;

/**
 * What the text names in these accounts, or in all: by its whole id, keys and accounts also by a part of the name. What the
 * text can't be the id of isn't looked for.
 */
export async function findByText(
  database: Database,
  text: string,
  accounts: readonly AccountId[] | undefined,
): Promise<Found[]> {
  const { transferId, type } = entryForm.exec(text)?.groups ?? {};
  const values: unknown[] = [text, accounts ?? null, foundMax];
  const parameter = (value: unknown) => `$${values.push(value)}`;
  const parts = [
    namedKeys,
    namedAccounts,
    ...(taskForm.test(text) ? [tasks] : []),
    ...(batchForm.test(text) ? [batches] : []),
    ...(requestForm.test(text) ? [...requestsById(text, parameter).map(requests), entriesOfRequest] : []),
    ...(transferId === undefined ? [] : [entry(parameter(transferId), parameter(type))]),
  ];
  const { rows } = await database.pool.query(
    `select ${foundRow.columnsOf('f')} from (${parts.map((part) => `(${part} limit $3)`).join(' union all ')}) f`,
    values,
  );
  return rows.map((each) => foundRow.parse(each));
}

const taskForm = new RegExp(`^(${Object.values(taskIdPrefixes).join('|')})[0-9a-f]{32}$`);
const batchForm = /^batch_\w{1,64}$/;
/** Shorter ones may be callers' own, but a word that is being typed is none. */
const requestForm = /^[\w.-]{6,128}$/;
const entryForm = /^(?<transferId>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.(?<type>[a-z_]{1,20})$/;

const own = '($2::text[] is null or account_id = any($2))';
const tasks = `select 'task' as kind, id, null as name, account_id from tasks where id = $1 and ${own}`;
const batches = `select 'batch', id, null, account_id from batches where id = $1 and ${own}`;
const requests = (isNamed: string) =>
  `select distinct 'request', request_id, null, account_id from requests where ${isNamed} and ${own}`;
/** They are kept longer than the record of their request. */
const entriesOfRequest = `select distinct 'entries', request_id, null, account_id from entries
  where request_id = $1 and type = 'hold' and ${own}`;
const entry = (
  transferId: string,
  type: string,
) => `select 'entries', (select coalesce(h.task_id, h.request_id) from entries h
    where h.transfer_id = e.transfer_id and h.type = 'hold'), null, account_id
  from entries e where transfer_id = ${transferId}::uuid and type = ${type} and ${own}`;
const namedKeys = `select 'key' as kind, id, name, account_id from api_keys
  where (id = $1 or strpos(lower(name), lower($1)) > 0) and ${own} order by revoked_at is not null, id desc`;
const namedAccounts = `select 'account', id, name, id from accounts
  where (id = $1 or strpos(lower(name), lower($1)) > 0) and ($2::text[] is null or id = any($2)) order by name`;
