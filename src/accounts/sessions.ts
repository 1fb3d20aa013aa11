/** Browsers that are signed in: a random token in a cookie, of which only a keyed hash is stored. */
import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import type { PersonId } from '../domain/accounts/person-rules.ts';
import type { Database } from '../postgres/database.ts';
import { bytes, computed, row, type RowOf } from '../postgres/row.ts';
import { newSessionId } from '../postgres/new-ids.ts';
import { isSealed, rightSeal, tokenHash, tokenHashes } from '../ledger/access-seals.ts';
import { type Person, personColumns, personOf } from './people.ts';

/** A session that isn't used for so long ends; one that is used lasts at most as long as the second. */
const idleDays = 7;
const sessionDaysMax = 30;
/** Of one person; the oldest makes room. */
const sessionsMax = 50;

const sessionRow = row({
  id: z.string(),
  userAgent: z.string(),
  address: z.string(),
  createdAt: z.date(),
  seenAt: z.date(),
  expiresAt: z.date(),
});
export type Session = RowOf<typeof sessionRow>;

const begunRow = row({ expiresAt: z.date() });
const foundRow = row({
  sessionId: computed('s.id', z.string()),
  tokenHash: bytes,
  seal: bytes,
  isStale: computed(`s.seen_at < now() - interval '1 minute'`, z.boolean()),
});

/** 256 random bits, for a cookie or a one-time link. */
export const newToken = (): string => randomBytes(32).toString('base64url');

/**
 * Begins a session; its token is what only the browser keeps. Undefined if the password that was checked is not theirs any
 * more, or they may not sign in: a change of it that is under way is waited for, and ends no session that begins after it.
 * Also clears away what has expired.
 */
export async function beginSession(
  database: Database,
  ledgerKey: Buffer,
  person: PersonId,
  { userAgent, address, passwordHash }: Pick<Session, 'userAgent' | 'address'> & { passwordHash: string },
): Promise<{ id: string; token: string; expiresAt: Date } | undefined> {
  const id = newSessionId();
  const token = newToken();
  const hash = tokenHash(ledgerKey, 'sessions', token);
  await database.pool.query(
    `delete from sessions where ${ended} or person_id = $1 and id in
    (select id from sessions where person_id = $1 order by seen_at desc offset ${sessionsMax - 1})`,
    [person],
  );
  const { rows } = await database.pool.query(
    `insert into sessions (id, person_id, token_hash, user_agent, address, seal, expires_at)
     select $1, p.id, $3, $4, $5, $7, now() + interval '${sessionDaysMax} days' from people p
     where p.id = $2 and p.password_hash = $6 and p.disabled_at is null for share returning ${begunRow.columns}`,
    [id, person, hash, userAgent, address, passwordHash, rightSeal(ledgerKey, ['session', id, person, hash])],
  );
  if (rows[0] === undefined) return undefined;
  return { id, token, expiresAt: begunRow.parse(rows[0]).expiresAt };
}

const ended = `(expires_at <= now() or seen_at <= now() - interval '${idleDays} days')`;

/**
 * Who holds this token, as long as the session lasts and the person may sign in. Notes, once a minute, that it was used. A
 * row that was made, or given to another person, by other hands than the gateway's is no session.
 */
export async function findSession(
  database: Database,
  ledgerKeys: readonly Buffer[],
  token: string,
): Promise<{ id: string; person: Person } | undefined> {
  const { rows } = await database.pool.query({
    name: 'find-session',
    text: `select ${foundRow.columnsOf('s')}, ${personColumns}
      from sessions s join people p on p.id = s.person_id
      where s.token_hash = any($1::bytea[]) and not ${ended} and p.disabled_at is null`,
    values: [tokenHashes(ledgerKeys, 'sessions', token)],
  });
  if (rows[0] === undefined) return undefined;
  const { sessionId: id, tokenHash: hash, seal, isStale } = foundRow.parse(rows[0]);
  const person = personOf(ledgerKeys, rows[0]);
  if (!isSealed(ledgerKeys, ['session', id, person.id, hash], seal)) return undefined;
  if (isStale) await database.pool.query('update sessions set seen_at = now() where id = $1', [id]);
  return { id, person };
}

/** A person's sessions, the last used first. */
export async function listSessions(database: Database, person: PersonId): Promise<Session[]> {
  const { rows } = await database.pool.query(
    `select ${sessionRow.columns} from sessions
     where person_id = $1 and not ${ended} order by seen_at desc, id`,
    [person],
  );
  return rows.map((row) => sessionRow.parse(row));
}

/** Ends one session of a person; returns whether there was one. */
export async function endSession(database: Database, person: PersonId, id: string): Promise<boolean> {
  const { rowCount } = await database.pool.query('delete from sessions where person_id = $1 and id = $2', [person, id]);
  return rowCount === 1;
}

/** Ends all sessions of a person but one; returns how many. */
export async function endOtherSessions(database: Database, person: PersonId, keep: string): Promise<number> {
  const { rowCount } = await database.pool.query('delete from sessions where person_id = $1 and id <> $2', [
    person,
    keep,
  ]);
  return rowCount ?? 0;
}
