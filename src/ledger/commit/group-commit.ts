/**
 * The group committer. Moves that arrive while a commit is in flight gather and are committed together by the next
 * one, so that the cost of a move falls as load grows.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { GatewayError } from '../../domain/errors.ts';
import type { AccountId, KeyId } from '../../domain/ids.ts';
import { beginLog } from '../audit-log.ts';
import { type Database, databaseFailure, isConnectionError, isLockError, sqlState } from '../../postgres/database.ts';
import { doubtMsMax, LostCommits, outcomeUnknown } from './lost-commits.ts';
import { RowCache, type RecentRows, trustedMsMax } from './row-cache.ts';
import type { LedgerOperation } from './ledger-operation.ts';
import { CommitUnknown, transact, type TransactionTools, type Uncertain } from './transaction.ts';
import type { LedgerWatch } from './ledger-watch.ts';

export const groupMembersMax = 256;
export const waitingMembersMax = 4_096;
const attemptsMax = 6;
/** For what no request waits for: how long it waits for a group of others to go with. */
const patientMs = 25;
/** Since the last commit: a move that comes later than this goes at once. */
const busyMs = 3;
/** A connection that breaks, or a server that restarts, is not reported to callers within this time. */
const outageMsMax = 2_000;
/** How often the database is tried again while lasting moves wait for it. */
const againMs = 1_000;

/** Of lost commits, one after the other; more would be a database that does nothing but lose them. */
const lostMax = 16;

export interface CommitOptions<T = unknown> {
  /** Waits a little for others to go with. */
  mayBatch?: boolean;
  /**
   * It has happened and has to be booked: it is never refused for want of room, and while the database is away or locked
   * it waits and is tried again. As many as there are calls under way.
   */
  mustCommit?: boolean;
  /** How long it waits, if it is in doubt whether it was carried out, for that to be certain. */
  doubtMs?: number;
  /** Called when that begins, with what it came to if it was carried out: one outcome for each attempt that was lost. */
  onDoubt?: (outcomes: readonly T[]) => void;
}

interface Member {
  move: LedgerOperation<unknown>;
  isLasting: boolean;
  doubtMs: number;
  onDoubt: ((outcomes: readonly unknown[]) => void) | undefined;
  resolve: (outcome: unknown) => void;
  reject: (reason: unknown) => void;
}

/** Members that were tried before, and what became of it. */
interface Group {
  members: readonly Member[];
  trail: Trail;
}

export class GroupCommitter {
  readonly #tools: TransactionTools;
  readonly #doubts: LostCommits;
  readonly #waiting: Member[] = [];
  /** Lasting moves that could not be booked: to be tried now, and at the next time. */
  #due: Group[] = [];
  #postponed: (Group & { reason: unknown })[] = [];
  #retryTimer: NodeJS.Timeout | undefined;
  /** The last group found no database. */
  #isAway = false;
  #committing: Promise<void> | undefined;
  #lastCommitAtMs = -Infinity;
  #batchTimer: NodeJS.Timeout | undefined;

  constructor(database: Database, ledgerKey: Buffer, trustedMs = trustedMsMax, watch?: LedgerWatch) {
    this.#tools = { database, ledgerKey, known: new RowCache(trustedMs), watch };
    this.#doubts = new LostCommits(database, watch);
  }

  /** Moves that wait for a commit. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Moves that must be booked, and wait for a database that is away. */
  get postponed(): number {
    return this.#postponed.reduce((sum, { members }) => sum + members.length, 0);
  }

  /** Moves of which it is not known whether they were carried out, and whose callers wait to learn it. */
  get inDoubt(): number {
    return this.#doubts.waiting;
  }

  /**
   * Carries out a move and returns its outcome once it is durable. Refuses with `overloaded` when too many wait or its
   * account is locked for long, and with `not_ready` when the database can't be reached; a lasting move only by `drained`.
   * With these nothing was carried out, nor will be. A move whose commit was not answered waits until that is certain, and is
   * refused with `outcome_unknown` if it isn't within `doubtMs`.
   */
  commit<T>(
    move: LedgerOperation<T>,
    { mayBatch = false, mustCommit = false, doubtMs = doubtMsMax, onDoubt }: CommitOptions<T> = {},
  ): Promise<T> {
    if (this.#waiting.length + this.#doubts.waiting >= waitingMembersMax && !mustCommit) {
      return Promise.reject(
        new GatewayError('overloaded', 'Too many requests are waiting. Retry in a few seconds.', {
          retryAfterSeconds: 1,
        }),
      );
    }
    const result = new Promise<T>((resolve, reject) => {
      this.#waiting.push({
        move,
        isLasting: mustCommit,
        doubtMs,
        onDoubt: onDoubt as ((outcomes: readonly unknown[]) => void) | undefined,
        resolve: resolve as (outcome: unknown) => void,
        reject,
      });
    });
    if (!mayBatch) this.#flush();
    else if (!this.#committing) this.#batchTimer ??= setTimeout(() => this.#flush(), patientMs);
    return result;
  }

  /** An account and its key as a commit of this process left them just now. */
  recent(account: AccountId, key: KeyId): RecentRows | undefined {
    return this.#tools.known.recent(account, key);
  }

  /** Resolves once everything that the account was given before is durable. */
  async settled(account: AccountId): Promise<void> {
    if (!this.#committing && this.#waiting.length === 0) return;
    await this.commit({ account, decide: () => ({ outcome: undefined }) });
  }

  /** Resolves once nothing waits and nothing is in flight. What is postponed, or in doubt, is tried a last time, and then refused. */
  async drained(): Promise<void> {
    this.#retryPostponed();
    if (this.#waiting.length > 0) this.#flush();
    while (this.#committing) await this.#committing;
    clearTimeout(this.#retryTimer);
    for (const { members, reason } of this.#postponed.splice(0)) refuse(members, reason);
    await this.#doubts.end();
  }

  #flush(): void {
    clearTimeout(this.#batchTimer);
    this.#batchTimer = undefined;
    this.#committing ??= this.#commitWaiting();
  }

  async #commitWaiting(): Promise<void> {
    // While much goes on, a turn of the event loop first, so that requests that were read together are committed together.
    if (performance.now() - this.#lastCommitAtMs < busyMs) await new Promise((resolve) => setImmediate(resolve));
    else await Promise.resolve();
    for (;;) {
      const due = this.#due.shift();
      if (due) await this.#commitGroup(due);
      else if (this.#waiting.length > 0) await this.#commitGroup(this.#nextGroup());
      else break;
    }
    this.#lastCommitAtMs = performance.now();
    this.#committing = undefined;
  }

  #nextGroup(): Group {
    return { members: this.#waiting.splice(0, groupMembersMax), trail: { lost: [] } };
  }

  /** `trail` is what an attempt before left uncertain, of the same members. */
  async #commitGroup({ members, trail }: Group): Promise<void> {
    try {
      const outcomes = await this.#attempt(
        members.map(({ move }) => move),
        trail,
      );
      this.#isAway = false;
      members.forEach((member, index) => member.resolve(outcomes[index]));
    } catch (error) {
      if (isConnectionError(error)) {
        this.#isAway = true;
        this.#refuseOrPostpone({ members, trail }, error);
        // They all wait for the same database, and would find it away one group after the other.
        for (const group of this.#due.splice(0)) this.#refuseOrPostpone(group, error);
        while (this.#waiting.length > 0) this.#refuseOrPostpone(this.#nextGroup(), error);
      } else if (isLockError(error) && trail.lost.length > 0 && trail.isAskedAgain !== true) {
        await this.#commitGroup({ members, trail: { ...trail, isAskedAgain: true } });
      } else if (isLockError(error) && !hasSeveral(accountsOf(members))) {
        this.#refuseOrPostpone({ members, trail }, error);
      } else if (members.length === 1) {
        // Where an attempt before was lost, that one may still be carried out.
        if (trail.lost.length > 0 && members[0]?.isLasting !== true) this.#doubt({ members, trail }, error);
        else refuse(members, error);
      } else {
        // A guard or constraint fired for one of them: each runs alone, so that only that one fails. Where it was a lock
        // that another transaction keeps, each account by itself. Each still has to learn whether they were all committed before.
        const nameOf = isLockError(error) ? ({ move }: Member) => move.account : (member: Member) => member;
        for (const part of partsOf({ members, trail }, nameOf)) await this.#commitGroup(part);
      }
    }
  }

  #refuseOrPostpone(group: Group, error: unknown): void {
    const isInDoubt = group.trail.lost.length > 0;
    const reason = isInDoubt ? outcomeUnknown(error) : refusalOf(error);
    for (const part of partsOf(group, ({ isLasting }) => isLasting)) {
      if (part.members[0]?.isLasting) this.#postponed.push({ ...part, reason });
      else if (isInDoubt) this.#doubt(part, error);
      else refuse(part.members, reason);
    }
    if (this.#postponed.length > 0) this.#retryTimer ??= setTimeout(() => this.#retryPostponed(), againMs).unref();
  }

  #doubt({ members, trail: { lost } }: Group, cause: unknown): void {
    const doubtful = members.map(({ doubtMs, onDoubt, resolve, reject }, at) => {
      const outcomes = lost.map((uncertain) => uncertain.outcomes[at]);
      onDoubt?.(outcomes);
      return { outcomes, doubtMs, resolve, reject };
    });
    this.#doubts.add(lost, doubtful, cause);
  }

  /** Tries again what was postponed. */
  #retryPostponed(): void {
    clearTimeout(this.#retryTimer);
    this.#retryTimer = undefined;
    this.#due.push(...this.#postponed.splice(0));
    if (this.#due.length > 0) this.#flush();
  }

  async #attempt(moves: readonly LedgerOperation<unknown>[], trail: Trail): Promise<unknown[]> {
    const { watch } = this.#tools;
    const startedAtMs = performance.now();
    for (let attempt = 1; ; attempt++) {
      const triedAtMs = attempt === 1 ? startedAtMs : performance.now();
      try {
        if (moves.some(({ isAct }) => isAct)) await beginLog(this.#tools.database, this.#tools.ledgerKey);
        const outcomes = await transact(this.#tools, moves, trail.lost);
        watch?.took(moves.length, performance.now() - triedAtMs);
        return outcomes;
      } catch (error) {
        watch?.failed();
        if (error instanceof CommitUnknown) trail.lost = [...trail.lost, error.uncertain].slice(-lostMax);
        const isLate = performance.now() - startedAtMs > outageMsMax;
        if (attempt === attemptsMax || isLate || !mayWorkNextTime(error)) throw error;
        // Known to be away: one try is enough to see whether it is back.
        if (this.#isAway && isConnectionError(error)) throw error;
        await delay(2 ** attempt * 10 * (1 + Math.random()));
      }
    }
  }
}

interface Trail {
  /** The commits of a group whose answers were lost, one after the other, oldest first. */
  lost: readonly Uncertain[];
  /** Whether it happened could not be read for a lock, and was asked once more. */
  isAskedAgain?: boolean;
}

/** The members that have the same name together, in their order, each part with what it needs of the trail. */
function partsOf({ members, trail }: Group, nameOf: (member: Member) => unknown): Group[] {
  const places = new Map<unknown, number[]>();
  for (const [at, member] of members.entries()) {
    const name = nameOf(member);
    places.set(name, [...(places.get(name) ?? []), at]);
  }
  return [...places.values()].map((all) => ({
    members: all.flatMap((at) => members[at] ?? []),
    trail: {
      ...trail,
      lost: trail.lost.map((uncertain) => ({ ...uncertain, outcomes: all.map((at) => uncertain.outcomes[at]) })),
    },
  }));
}

const accountsOf = (members: readonly Member[]): Set<AccountId> => new Set(members.map(({ move }) => move.account));
const hasSeveral = (set: ReadonlySet<unknown>): boolean => set.size > 1;

function refuse(members: readonly Member[], reason: unknown): void {
  for (const member of members) member.reject(reason);
}

function refusalOf(cause: unknown): GatewayError {
  return databaseFailure(cause) === 'busy'
    ? new GatewayError('overloaded', 'The database is overloaded. Retry in a few seconds.', {
        retryAfterSeconds: 2,
        cause,
      })
    : new GatewayError('not_ready', 'The database is unreachable. Retry in a few seconds.', {
        retryAfterSeconds: 5,
        cause,
      });
}

/** Whether a refusal left it unknown whether its move was carried out. */
export const isOutcomeUnknown = (error: unknown): error is GatewayError =>
  error instanceof GatewayError && error.code === 'outcome_unknown';

/** Deadlock, serialisation failure, or a database that just restarts. */
function mayWorkNextTime(error: unknown): boolean {
  const state = sqlState(error);
  return state === '40P01' || state === '40001' || isConnectionError(error);
}
