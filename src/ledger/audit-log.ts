/**
 * The log of administrative acts: who did what, when, to which account or key. An act is written by the transaction that
 * does it, with all that is set of its subject from then on, and chained by keyed hash as the ledger's entries are, so
 * that a row of `accounts`, `api_keys` or `people` that was changed, added or removed by hand no longer agrees with it.
 */
import type pg from 'pg';
import * as z from 'zod';
import { canonicalJson } from '../domain/json/canonical-json.ts';
import type { AccountId } from '../domain/ids.ts';
import type { Database } from '../postgres/database.ts';
import { bytes, computed, row, type RowOf } from '../postgres/row.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { chainLink } from './chain.ts';

/** Who acts: a user of the machine at the command line, a key through the API, a person in the console, or Tollgate itself. */
export type Actor = `cli:${string}` | `key:${string}` | `person:${string}` | 'tollgate';

export type ActName =
  | 'log.begun'
  | 'account.created'
  | 'account.changed'
  | 'account.suspended'
  | 'account.resumed'
  | 'account.credited'
  | 'account.adjusted'
  | 'webhook_secret.rotated'
  | 'body_recording.changed'
  | 'bodies.deleted'
  | 'body.read'
  | 'event.replayed'
  | 'task.cancelled'
  | 'batch.cancelled'
  | 'key.created'
  | 'key.changed'
  | 'key.revoked'
  | 'person.created'
  | 'person.invited'
  | 'person.joined'
  | 'person.changed'
  | 'person.removed'
  | 'person.disabled'
  | 'person.enabled'
  | 'invitation.revoked'
  | 'password.changed'
  | 'model.switched'
  | 'outcome.reviewed'
  | 'outcome.reopened';

/** An act before it has its place. */
export interface NewAct {
  actor: Actor;
  action: ActName;
  account: AccountId | null;
  /** The account, key or person whose row was changed; what is set of it is read from there. Null if none was. */
  subject: string | null;
  details?: Record<string, string>;
  reason?: string;
}

export const actRow = row({
  seq: z.bigint(),
  at: z.date(),
  actor: z.string(),
  action: z.string(),
  accountId: z.string().nullable(),
  subject: z.string().nullable(),
  /** All that is set of the subject, as it is from then on; a key's hashes only where the audit reads them. */
  facts: computed(
    `case jsonb_typeof(facts) when 'object' then facts - 'hash' - 'password_digest' else facts end`,
    z.unknown(),
  ),
  details: z.unknown(),
  reason: z.string().nullable(),
});
export type Act = RowOf<typeof actRow>;

/** Who administers which installation. */
export interface Administrator {
  database: Database;
  ledgerKey: Buffer;
  actor: Actor;
}

/** The head of the log among the chains. */
export const actsChain = 'acts';

/** The link before the first act. */
export const actsGenesis = (ledgerKey: Buffer): Buffer => chainLink(ledgerKey, Buffer.alloc(32), ['acts']);

/** What the chain signs of an act: its columns in a fixed order as canonical JSON. */
export const canonicalAct = ({ seq, at, actor, action, accountId, subject, facts, details, reason }: Act): string =>
  canonicalJson([String(seq), at.toISOString(), actor, action, accountId, subject, facts, details, reason]);

/**
 * Does an administrative act and logs it, in one transaction. `work` returns what it did, or undefined if there was
 * nothing to do; then nothing is changed or logged.
 */
export async function administer<T>(
  by: Administrator,
  work: (client: pg.PoolClient) => Promise<{ act: Omit<NewAct, 'actor'>; outcome: T } | undefined>,
): Promise<T | undefined> {
  await beginLog(by.database, by.ledgerKey);
  return inTransaction(by.database, async (client) => {
    const done = await work(client);
    if (!done) return undefined;
    await writeActs(client, by.ledgerKey, [{ ...done.act, actor: by.actor }]);
    return done.outcome;
  });
}

/**
 * Logs acts in the transaction that does them, which must hold the locks of what they change already: the log's head is
 * locked last, everywhere.
 */
export async function writeActs(client: pg.ClientBase, ledgerKey: Buffer, acts: readonly NewAct[]): Promise<void> {
  const locked = await client.query(
    `select seq, head, date_trunc('milliseconds', clock_timestamp()) as now from chains where name = $1 for no key update`,
    [actsChain],
  );
  if (locked.rows[0] === undefined) throw new Error('the log of administrative acts has lost its head');
  const { now, ...last } = headRow.parse(locked.rows[0]);
  let { seq, head } = last;
  for (const { actor, action, account, subject, details = null, reason = null } of acts) {
    const facts = await factsOf(client, subject);
    const act: Act = { seq: ++seq, at: now, actor, action, accountId: account, subject, facts, details, reason };
    head = chainLink(ledgerKey, head, [canonicalAct(act)]);
    await client.query(
      `insert into acts (seq, at, actor, action, account_id, subject, facts, details, reason, link)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
      [seq, now, actor, action, account, subject, json(facts), json(details), reason, head],
    );
  }
  await client.query('update chains set seq = $2, head = $3 where name = $1', [actsChain, seq, head]);
}

export interface ActFilter {
  account?: string;
  subject?: string;
  since?: Date;
  /** At most so many. */
  limit: number;
}

/** The newest acts, as people may see them: what was set of a key or person, but not its hashes. */
export async function listActs(database: Database, { account, subject, since, limit }: ActFilter): Promise<Act[]> {
  const { rows } = await database.pool.query(
    `select ${actRow.columns} from acts where ($1::text is null or account_id = $1) and ($2::text is null or subject = $2)
       and ($3::timestamptz is null or at >= $3)
     order by seq desc limit $4`,
    [account ?? null, subject ?? null, since ?? null, limit],
  );
  return rows.map((row) => actRow.parse(row));
}

const begun = new WeakSet<Database>();

/** Begins the log, if there is none. Several processes may do so at once. A log whose head is gone is not begun again. */
export async function beginLog(database: Database, ledgerKey: Buffer): Promise<void> {
  if (begun.has(database)) return;
  const { rowCount } = await database.pool.query('select 1 from chains where name = $1', [actsChain]);
  if (rowCount === 0) {
    await inTransaction(database, async (client) => {
      const made = await client.query(
        `insert into chains (name, seq, head) select $1, 0, $2 where not exists (select 1 from acts)
         on conflict do nothing`,
        [actsChain, actsGenesis(ledgerKey)],
      );
      if (made.rowCount === 1) await writeActs(client, ledgerKey, [begin]);
    });
  }
  begun.add(database);
}

const begin: NewAct = { actor: 'tollgate', action: 'log.begun', account: null, subject: null };

async function factsOf(client: pg.ClientBase, subject: string | null): Promise<unknown> {
  if (subject === null) return null;
  const { rows } = await client.query(textOfFacts(subject), [subject]);
  if (rows[0] === undefined) throw new Error(`an act on ${subject}, which is not there`);
  return factsRow.parse(rows[0]).facts;
}

function textOfFacts(subject: string): string {
  if (subject.startsWith('key_')) return 'select tollgate_key_facts(k) as facts from api_keys k where id = $1';
  if (subject.startsWith('usr_')) return 'select tollgate_person_facts(p) as facts from people p where id = $1';
  return 'select tollgate_account_facts(a) as facts from accounts a where id = $1';
}

const json = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));
const headRow = z.object({ seq: z.bigint(), head: bytes, now: z.date() });
const factsRow = z.object({ facts: z.record(z.string(), z.unknown()) });
