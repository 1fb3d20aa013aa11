/**
 * Commits whose answer was lost. The database is asked until it is certain whether they happened, about all of them at
 * once, and each request that waits for one learns what is true.
 */
import type pg from 'pg';
import { GatewayError } from '../../domain/errors.ts';
import { type Database, isLockError } from '../../postgres/database.ts';
import type { Uncertain } from './transaction.ts';
import type { LedgerWatch } from './ledger-watch.ts';

/** How long a move in doubt waits for certainty, where it doesn't say otherwise. */
export const doubtMsMax = 10_000;
/** Between two questions: the first pause, and the longest. */
const askMs = { min: 100, max: 1_000 };
/** A database that answers does so within the time that it may wait for locks. */
const answerMsMax = 4_000;

/** A move that may have been carried out. */
export interface DoubtfulMember {
  /** What it would have come to by each of the lost commits, in their order. */
  outcomes: readonly unknown[];
  doubtMs: number;
  resolve: (outcome: unknown) => void;
  reject: (reason: unknown) => void;
}

interface Doubt {
  /** The lost commits, of which one may have happened, oldest first. */
  lost: readonly Uncertain[];
  waiting: Map<DoubtfulMember, NodeJS.Timeout>;
  cause: unknown;
}

export class LostCommits {
  readonly #database: Database;
  readonly #watch: LedgerWatch | undefined;
  readonly #open = new Set<Doubt>();
  #timer: NodeJS.Timeout | undefined;
  #asking: Promise<void> | undefined;
  #pauseMs = askMs.min;
  /** Locks were waited for in vain: what others keep is left out the next time. */
  #skipsLocked = false;
  #isEnding = false;
  #waiting = 0;

  constructor(database: Database, watch: LedgerWatch | undefined) {
    this.#database = database;
    this.#watch = watch;
  }

  /** Moves that wait to learn what became of them. */
  get waiting(): number {
    return this.#waiting;
  }

  /**
   * Resolves the members with their outcome if one of the lost commits happened, rejects them with `not_ready` once it is
   * certain that none did nor ever will, and with `outcome_unknown` when their time is up.
   */
  add(lost: readonly Uncertain[], members: readonly DoubtfulMember[], cause: unknown): void {
    const doubt: Doubt = { lost, waiting: new Map(), cause };
    for (const member of members) {
      const timer = setTimeout(() => this.#giveUp(doubt, member), this.#isEnding ? 0 : member.doubtMs);
      doubt.waiting.set(member, timer);
    }
    this.#waiting += members.length;
    this.#open.add(doubt);
    this.#pauseMs = askMs.min;
    this.#schedule();
  }

  /** The process stops: asks a last time, and gives up what is still in doubt then, and what comes to be. */
  async end(): Promise<void> {
    this.#isEnding = true;
    clearTimeout(this.#timer);
    await this.#asking;
    if (this.#open.size > 0) await this.#ask();
    for (const doubt of [...this.#open]) {
      for (const member of [...doubt.waiting.keys()]) this.#giveUp(doubt, member);
    }
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    if (this.#open.size === 0 || this.#asking || this.#isEnding) return;
    this.#timer = setTimeout(() => {
      this.#asking ??= this.#ask().finally(() => {
        this.#asking = undefined;
        this.#pauseMs = Math.min(askMs.max, this.#pauseMs * 1.5);
        this.#schedule();
      });
    }, this.#pauseMs);
  }

  /** Never fails: what can't be asked now is asked again. */
  async #ask(): Promise<void> {
    const doubts = [...this.#open];
    if (doubts.length === 0) return;
    try {
      const { happened, never } = await whatHappened(
        this.#database,
        doubts.map(({ lost }) => lost),
        { skipsLocked: this.#skipsLocked },
      );
      this.#skipsLocked = false;
      for (const doubt of doubts) {
        const committed = doubt.lost.findIndex((one) => happened.has(one));
        if (committed >= 0) this.#committed(doubt, committed);
        else if (never.has(doubt.lost)) this.#neverCommitted(doubt);
      }
    } catch (error) {
      this.#watch?.failed();
      this.#skipsLocked = isLockError(error);
    }
  }

  #committed(doubt: Doubt, at: number): void {
    const writes = doubt.lost[at]?.writes;
    if (writes && !writes.isReported) {
      writes.isReported = true;
      this.#watch?.committed(writes.group);
    }
    for (const member of this.#taken(doubt)) member.resolve(member.outcomes[at]);
  }

  #neverCommitted(doubt: Doubt): void {
    for (const member of this.#taken(doubt)) member.reject(nothingMade(doubt.cause));
  }

  #taken(doubt: Doubt): DoubtfulMember[] {
    this.#open.delete(doubt);
    this.#waiting -= doubt.waiting.size;
    for (const timer of doubt.waiting.values()) clearTimeout(timer);
    const members = [...doubt.waiting.keys()];
    doubt.waiting.clear();
    return members;
  }

  #giveUp(doubt: Doubt, member: DoubtfulMember): void {
    clearTimeout(doubt.waiting.get(member));
    if (!doubt.waiting.delete(member)) return;
    this.#waiting -= 1;
    if (doubt.waiting.size === 0) this.#open.delete(doubt);
    member.reject(outcomeUnknown(doubt.cause));
  }
}

/** Nothing was carried out, nor will be: it may be sent again. */
export const nothingMade = (cause: unknown): GatewayError =>
  new GatewayError('not_ready', 'The database was briefly unreachable; nothing was changed. Try again.', {
    retryAfterSeconds: 1,
    cause,
  });

/** It may have been carried out, so that sending it again may do it twice. */
export const outcomeUnknown = (cause: unknown): GatewayError =>
  new GatewayError(
    'outcome_unknown',
    'The connection to the database was lost before it confirmed the change. Check whether it was made before you retry.',
    { cause },
  );

/**
 * Which of the lost commits happened, and which lists of them can't happen any more. A commit that was not carried out yet
 * may still be: a server that was frozen goes on with what it was sent. So an account that each of them writes is locked
 * first: a transaction that had begun held its lock until it ended. And where nothing is found, these accounts are written
 * as they are: a statement that begins later proves the version of its rows, and fails.
 */
async function whatHappened(
  { pipelined }: Database,
  lists: readonly (readonly Uncertain[])[],
  { skipsLocked }: { skipsLocked: boolean },
): Promise<{ happened: Set<Uncertain>; never: Set<readonly Uncertain[]> }> {
  const client = await pipelined.connect();
  let broken: Error | undefined = new Error('a question was broken off');
  const ask = <Row extends pg.QueryResultRow>(text: string, values: unknown[]) => {
    const bounded = { text, values, query_timeout: answerMsMax };
    return client.query<Row>(bounded);
  };
  try {
    await ask('begin', []);
    const accounts = [...new Set(lists.flatMap(accountsOf))];
    const locked = await ask<{ id: string }>(
      `select id from accounts where id = any($1::text[]) order by id for no key update ${skipsLocked ? 'skip locked' : ''}`,
      [accounts],
    );
    const all = lists.flat();
    // A statement of its own, whose snapshot is younger than the locks.
    const found = await ask<{ place: bigint }>(
      `select w.place from unnest($1::uuid[], $2::text[], $3::bytea[]) with ordinality as w(transfer_id, type, link, place)
       join entries e on e.transfer_id = w.transfer_id and e.type = w.type and e.link = w.link`,
      [
        all.map(({ witness }) => witness.transferId),
        all.map(({ witness }) => witness.type),
        all.map(({ witness }) => witness.link),
      ],
    );
    const happened = new Set(found.rows.flatMap(({ place }) => all[Number(place) - 1] ?? []));
    const held = new Set(locked.rows.map(({ id }) => id));
    const never = lists.filter(
      (lost) => accountsOf(lost).every((id) => held.has(id)) && !lost.some((one) => happened.has(one)),
    );
    if (never.length > 0)
      await ask('update accounts set seq = seq where id = any($1::text[])', [never.flatMap(accountsOf)]);
    await ask('commit', []);
    broken = undefined;
    return { happened, never: new Set(never) };
  } finally {
    client.release(broken);
  }
}

const accountsOf = (lost: readonly Uncertain[]): string[] => lost.map(({ witness }) => witness.account);
