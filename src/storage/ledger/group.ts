/**
 * The group committer. Moves that arrive while a commit is in flight gather and are committed together by the next
 * one, so that the cost of a move falls as load grows.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { GatewayError } from '../../domain/errors.ts';
import type { AccountId, KeyId } from '../../domain/ids.ts';
import { beginLog } from '../acts.ts';
import { type Database, isConnectionTrouble, sqlState } from '../database.ts';
import { KnownRows, type RecentRows, trusted_ms_max } from './known-rows.ts';
import type { Move } from './move.ts';
import { CommitUnknown, transact, type TransactionTools, type Uncertain } from './transaction.ts';

export const group_members_max = 256;
export const waiting_members_max = 4_096;
const attempts_max = 6;
/** For what nobody waits for: how long it waits for a group of others to go with. */
const patient_ms = 25;
/** Since the last commit: a move that comes later than this goes at once. */
const busy_ms = 3;

interface Member {
  move: Move<unknown>;
  resolve: (outcome: unknown) => void;
  reject: (reason: unknown) => void;
}

export class LedgerGroups {
  readonly #tools: TransactionTools;
  readonly #waiting: Member[] = [];
  #flight: Promise<void> | undefined;
  #landedAtMs = -Infinity;
  #patience: NodeJS.Timeout | undefined;

  constructor(database: Database, ledgerKey: Buffer, trustedMs = trusted_ms_max) {
    this.#tools = { database, ledgerKey, known: new KnownRows(trustedMs) };
  }

  /**
   * Carries out a move and answers its outcome once it is durable. A patient move waits a little for others to go with.
   * Refuses with `overloaded` when too many wait, and with `not_ready` when the database can't be reached.
   */
  commit<T>(move: Move<T>, { patient = false } = {}): Promise<T> {
    if (this.#waiting.length >= waiting_members_max) {
      return Promise.reject(
        new GatewayError('overloaded', 'Too many requests are waiting. Try again.', { retryAfterSeconds: 1 }),
      );
    }
    const result = new Promise<T>((resolve, reject) => {
      this.#waiting.push({ move, resolve: resolve as (outcome: unknown) => void, reject });
    });
    if (!patient) this.#depart();
    else if (!this.#flight) this.#patience ??= setTimeout(() => this.#depart(), patient_ms);
    return result;
  }

  /** An account and its key as a commit of this process left them just now. */
  recent(account: AccountId, key: KeyId): RecentRows | undefined {
    return this.#tools.known.recent(account, key);
  }

  /** Resolves once everything that the account was given before is durable. */
  async settled(account: AccountId): Promise<void> {
    if (!this.#flight && this.#waiting.length === 0) return;
    await this.commit({ account, decide: () => ({ outcome: undefined }) });
  }

  /** Resolves once nothing waits and nothing is in flight. */
  async drained(): Promise<void> {
    if (this.#waiting.length > 0) this.#depart();
    while (this.#flight) await this.#flight;
  }

  #depart(): void {
    clearTimeout(this.#patience);
    this.#patience = undefined;
    this.#flight ??= this.#fly();
  }

  async #fly(): Promise<void> {
    // While much goes on, a turn of the event loop first, so that requests that were read together are committed together.
    if (performance.now() - this.#landedAtMs < busy_ms) await new Promise((resolve) => setImmediate(resolve));
    else await Promise.resolve();
    while (this.#waiting.length > 0) await this.#commitGroup(this.#waiting.splice(0, group_members_max));
    this.#landedAtMs = performance.now();
    this.#flight = undefined;
  }

  /** `trail` is what an attempt before left uncertain, of the same members. */
  async #commitGroup(members: Member[], trail: Trail = {}): Promise<void> {
    try {
      const outcomes = await this.#attempt(
        members.map(({ move }) => move),
        trail,
      );
      members.forEach((member, index) => member.resolve(outcomes[index]));
    } catch (error) {
      if (isConnectionTrouble(error)) {
        const unreachable = new GatewayError('not_ready', "The database can't be reached.", {
          retryAfterSeconds: 5,
          cause: error,
        });
        for (const member of members) member.reject(unreachable);
      } else if (members.length === 1) {
        members[0]?.reject(error);
      } else {
        // A guard or constraint fired for one of them: each runs alone, so that only that one fails. Each still has to
        // learn whether they were all committed before.
        const { uncertain } = trail;
        for (const [index, member] of members.entries()) {
          await this.#commitGroup(
            [member],
            uncertain && { uncertain: { ...uncertain, outcomes: [uncertain.outcomes[index]] } },
          );
        }
      }
    }
  }

  async #attempt(moves: readonly Move<unknown>[], trail: Trail): Promise<unknown[]> {
    for (let attempt = 1; ; attempt++) {
      try {
        if (moves.some(({ isAct }) => isAct)) await beginLog(this.#tools.database, this.#tools.ledgerKey);
        return await transact(this.#tools, moves, trail.uncertain);
      } catch (error) {
        if (error instanceof CommitUnknown) trail.uncertain = error.uncertain;
        if (attempt === attempts_max || !mayWorkNextTime(error)) throw error;
        await delay(2 ** attempt * 10 * (1 + Math.random()));
      }
    }
  }
}

/** The last commit of a group whose answer was lost, if any. */
interface Trail {
  uncertain?: Uncertain;
}

/** Deadlock, serialisation failure, or a database that just restarts. */
function mayWorkNextTime(error: unknown): boolean {
  const state = sqlState(error);
  return state === '40P01' || state === '40001' || isConnectionTrouble(error);
}
