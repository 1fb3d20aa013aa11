/**
 * The group committer. Moves that arrive while a commit is in flight gather and are committed together by the next
 * one, so that the cost of a move falls as load grows. A group is one transaction of two round trips: lock and read,
 * then decide here and write.
 */
import type pg from 'pg';
import { setTimeout as delay } from 'node:timers/promises';
import { GatewayError } from '../../domain/errors.ts';
import { type Database, isConnectionTrouble, sqlState } from '../database.ts';
import type { Decision, Move } from './move.ts';
import { idempotencyKeyOf, lockAndRead, type View, type Wanted } from './view.ts';
import { Writes } from './write.ts';

export const group_members_max = 256;
export const waiting_members_max = 4_096;
const attempts_max = 6;

interface Member {
  move: Move<unknown>;
  resolve: (outcome: unknown) => void;
  reject: (reason: unknown) => void;
}

export class LedgerGroups {
  readonly #database: Database;
  readonly #ledgerKey: Buffer;
  readonly #waiting: Member[] = [];
  #flight: Promise<void> | undefined;

  constructor(database: Database, ledgerKey: Buffer) {
    this.#database = database;
    this.#ledgerKey = ledgerKey;
  }

  /**
   * Carries out a move and answers its outcome once it is durable. Refuses with `overloaded` when too many wait, and
   * with `not_ready` when the database can't be reached.
   */
  commit<T>(move: Move<T>): Promise<T> {
    if (this.#waiting.length >= waiting_members_max) {
      return Promise.reject(
        new GatewayError('overloaded', 'Too many requests are waiting. Try again.', { retryAfterSeconds: 1 }),
      );
    }
    const result = new Promise<T>((resolve, reject) => {
      this.#waiting.push({ move, resolve: resolve as (outcome: unknown) => void, reject });
    });
    this.#flight ??= this.#fly();
    return result;
  }

  /** Resolves once nothing waits and nothing is in flight. */
  async drained(): Promise<void> {
    while (this.#flight) await this.#flight;
  }

  async #fly(): Promise<void> {
    // One turn of the event loop, so that requests that were read together are committed together.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#waiting.length > 0) await this.#commitGroup(this.#waiting.splice(0, group_members_max));
    this.#flight = undefined;
  }

  async #commitGroup(members: Member[]): Promise<void> {
    try {
      const outcomes = await this.#attempt(members);
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
        // A guard or constraint fired for one of them: each runs alone, so that only that one fails.
        for (const member of members) await this.#commitGroup([member]);
      }
    }
  }

  async #attempt(members: readonly Member[]): Promise<unknown[]> {
    let uncertain: Uncertain | undefined;
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#transact(members, uncertain);
      } catch (error) {
        if (error instanceof CommitUnknown) uncertain = error.uncertain;
        if (attempt === attempts_max || !mayWorkNextTime(error)) throw error;
        await delay(2 ** attempt * 10 * (1 + Math.random()));
      }
    }
  }

  async #transact(members: readonly Member[], uncertain: Uncertain | undefined): Promise<unknown[]> {
    const client = await this.#database.pipelined.connect();
    let broken: Error | undefined;
    try {
      const view = await lockAndRead(client, wantedOf(members));
      if (uncertain && (await wasCommitted(client, uncertain))) {
        await client.query('rollback');
        return uncertain.outcomes;
      }
      const writes = new Writes(view.now, this.#ledgerKey);
      const outcomes = members.map(({ move }) => decide(move, view, writes).outcome);
      if (writes.isEmpty) await client.query('rollback');
      else await commit(client, writes, outcomes);
      return outcomes;
    } catch (error) {
      broken = await rolledBack(client, error);
      throw error;
    } finally {
      client.release(broken);
    }
  }
}

/** A commit whose answer was lost: what it would have answered, and an entry that tells whether it happened. */
interface Uncertain {
  witness: { transferId: string; type: string };
  outcomes: unknown[];
}

class CommitUnknown extends Error {
  readonly uncertain: Uncertain;
  constructor(uncertain: Uncertain, cause: unknown) {
    super('the connection was lost during a commit', { cause });
    this.uncertain = uncertain;
  }
}

async function commit(client: pg.PoolClient, writes: Writes, outcomes: unknown[]): Promise<void> {
  try {
    await writes.commit(client);
  } catch (error) {
    if (writes.witness && isConnectionTrouble(error))
      throw new CommitUnknown({ witness: writes.witness, outcomes }, error);
    throw error;
  }
}

/** Asked under the locks, which the lost transaction held until it ended. */
async function wasCommitted(client: pg.PoolClient, { witness }: Uncertain): Promise<boolean> {
  const { rowCount } = await client.query('select 1 from entries where transfer_id = $1 and type = $2', [
    witness.transferId,
    witness.type,
  ]);
  return rowCount === 1;
}

function decide(move: Move<unknown>, view: View, writes: Writes): Decision<unknown> {
  const account = view.accounts.get(move.account);
  if (!account) throw new Error(`no account ${move.account}`);
  const key = move.key === undefined ? undefined : view.keys.get(move.key);
  const task = move.task === undefined ? undefined : view.tasks.get(move.task);
  const bindingKey =
    move.idempotencyKey === undefined ? undefined : idempotencyKeyOf(move.account, move.idempotencyKey);
  const bound = bindingKey === undefined ? undefined : view.idempotencyKeys.get(bindingKey);
  const decision = move.decide({ now: view.now, account, key, task, bound });
  writes.add(decision, account, key, task);
  if (decision.boundKey && bindingKey !== undefined) {
    const { bodyHash } = decision.boundKey;
    const taskId = 'taskId' in decision.boundKey ? decision.boundKey.taskId : null;
    view.idempotencyKeys.set(bindingKey, {
      bodyHash,
      state: taskId === null ? 'running' : 'done',
      taskId,
      answer: null,
    });
  }
  return decision;
}

function wantedOf(members: readonly Member[]): Wanted {
  const unique = (ids: (string | undefined)[]) => [...new Set(ids.filter((id) => id !== undefined))];
  return {
    accounts: unique(members.map(({ move }) => move.account)),
    keys: unique(members.map(({ move }) => move.key)),
    tasks: unique(members.map(({ move }) => move.task)),
    idempotencyKeys: members.flatMap(({ move }) =>
      move.idempotencyKey === undefined ? [] : [{ account: move.account, key: move.idempotencyKey }],
    ),
  };
}

/** Deadlock, serialisation failure, or a database that just restarts. */
function mayWorkNextTime(error: unknown): boolean {
  const state = sqlState(error);
  return state === '40P01' || state === '40001' || isConnectionTrouble(error);
}

/** Ends the transaction after an error; answers an error if the connection is of no more use. */
async function rolledBack(client: pg.PoolClient, error: unknown): Promise<Error | undefined> {
  if (isConnectionTrouble(error)) return new Error('connection lost', { cause: error });
  try {
    await client.query('rollback');
    return undefined;
  } catch (failure) {
    return new Error('rollback failed', { cause: failure });
  }
}
