/**
 * One group's transaction. Where all its rows are known from this process's last commits it is one statement that also
 * proves that they are still so: one round trip. Otherwise, and whenever that proof fails, it is two: lock and read,
 * then decide and write.
 */
import type pg from 'pg';
import { type Database, isConnectionError, isLockError } from '../../postgres/database.ts';
import type { RowCache } from './row-cache.ts';
import type { Effects, LedgerOperation } from './ledger-operation.ts';
import { idempotencyKeyOf, lockAndRead, requestOf, type View, type Wanted } from './locked-rows.ts';
import type { Committed, LedgerWatch } from './ledger-watch.ts';
import { type Witness, Writes } from './group-writes.ts';

export interface TransactionTools {
  database: Database;
  ledgerKey: Buffer;
  known: RowCache;
  watch?: LedgerWatch | undefined;
}

/** A commit whose answer was lost: what it would have answered, and an entry that shows whether it happened. */
export interface Uncertain {
  witness: Witness;
  outcomes: unknown[];
  /** What it wrote; reported to the watch once, though several parts of the group may ask about it. */
  writes: { group: Committed; isReported: boolean };
}

/** The connection was lost during a commit, so that it isn't known yet whether it happened. */
export class CommitUnknown extends Error {
  readonly uncertain: Uncertain;
  constructor(uncertain: Uncertain, cause: unknown) {
    super('the connection was lost during a commit', { cause });
    this.uncertain = uncertain;
  }
}

/**
 * Decides and writes the moves, all or nothing; returns their outcomes in the same order. `lost` are attempts before this
 * one, of the same moves: if one of them turns out to have been committed, its outcomes are the answer. Throws
 * `CommitUnknown`, or what the database said.
 */
export async function transact(
  tools: TransactionTools,
  moves: readonly LedgerOperation<unknown>[],
  lost: readonly Uncertain[],
): Promise<unknown[]> {
  const wanted = wantedOf(moves);
  const client = await tools.database.pipelined.connect();
  let broken: Error | undefined;
  try {
    return (
      (lost.length === 0 ? await overKnownRows(tools, client, moves, wanted) : undefined) ??
      (await underLocks(tools, client, moves, wanted, lost))
    );
  } catch (error) {
    tools.known.forget();
    broken = await rolledBack(client, error);
    throw error;
  } finally {
    client.release(broken);
  }
}

/** Returns nothing, with nothing written, if the rows are not all known or not what they seemed. */
async function overKnownRows(
  { known, ledgerKey, watch }: TransactionTools,
  client: pg.PoolClient,
  moves: readonly LedgerOperation<unknown>[],
  wanted: Wanted,
): Promise<unknown[] | undefined> {
  const view = known.view(wanted);
  if (!view) return undefined;
  const writes = new Writes(view.now, ledgerKey);
  const outcomes = decideAll(moves, view, writes);
  // Only refusals: nothing would be written, and so nothing proved.
  if (writes.isEmpty) return undefined;
  writes.prove(view.accounts.values(), view.keys.values());
  try {
    known.learn(view, await commit(client, writes, outcomes, { isOpen: false }));
  } catch (error) {
    if (isConnectionError(error) || isLockError(error)) throw error;
    known.contended();
    return undefined;
  }
  watch?.committed(writes); // out of the catch: what is committed is never tried again
  return outcomes;
}

async function underLocks(
  { known, ledgerKey, watch }: TransactionTools,
  client: pg.PoolClient,
  moves: readonly LedgerOperation<unknown>[],
  wanted: Wanted,
  lost: readonly Uncertain[],
): Promise<unknown[]> {
  const view = await lockAndRead(client, wanted);
  for (const uncertain of lost) {
    if (!(await wasCommitted(client, uncertain))) continue;
    await client.query('rollback');
    if (!uncertain.writes.isReported) watch?.committed(uncertain.writes.group);
    uncertain.writes.isReported = true;
    return uncertain.outcomes;
  }
  const writes = new Writes(view.now, ledgerKey);
  const outcomes = decideAll(moves, view, writes);
  // After a lost attempt the rows are written as they are: it may still be under way, and must find them changed.
  if (writes.isEmpty && lost.length === 0) {
    await client.query('rollback');
    return outcomes;
  }
  writes.prove(view.accounts.values(), view.keys.values());
  known.learn(view, await commit(client, writes, outcomes, { isOpen: true }));
  watch?.committed(writes);
  return outcomes;
}

async function commit(
  client: pg.PoolClient,
  writes: Writes,
  outcomes: unknown[],
  { isOpen }: { isOpen: boolean },
): ReturnType<Writes['commit']> {
  try {
    return await writes.commit(client, { isOpen });
  } catch (error) {
    if (writes.witness && isConnectionError(error)) {
      const uncertain = { witness: writes.witness, outcomes, writes: { group: writes, isReported: false } };
      throw new CommitUnknown(uncertain, error);
    }
    throw error;
  }
}

/** Asked under the locks, which the lost transaction held until it ended. */
async function wasCommitted(client: pg.PoolClient, { witness }: Uncertain): Promise<boolean> {
  const { rowCount } = await client.query('select 1 from entries where transfer_id = $1 and type = $2 and link = $3', [
    witness.transferId,
    witness.type,
    witness.link,
  ]);
  return rowCount === 1;
}

/** Decides the moves one after the other, each over what those before it left. */
export const decideAll = (moves: readonly LedgerOperation<unknown>[], view: View, writes: Writes): unknown[] =>
  moves.map((move) => decide(move, view, writes).outcome);

function decide(move: LedgerOperation<unknown>, view: View, writes: Writes): Effects<unknown> {
  const account = view.accounts.get(move.account);
  if (!account) throw new Error(`no account ${move.account}`);
  const key = move.key === undefined ? undefined : view.keys.get(move.key);
  const task = move.task === undefined ? undefined : view.tasks.get(move.task);
  const bindingKey =
    move.idempotencyKey === undefined ? undefined : idempotencyKeyOf(move.account, move.idempotencyKey);
  const bound = bindingKey === undefined ? undefined : view.idempotencyKeys.get(bindingKey);
  const request = move.request === undefined ? undefined : requestOf(move.account, move.request);
  const booked = request === undefined ? undefined : view.requests.get(request);
  const decision = move.decide({ now: view.now, account, key, task, bound, booked });
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
  if (request !== undefined && decision.act) {
    const { action, details, reason = null } = decision.act;
    view.requests.set(request, { action, amount: details?.['amount'] ?? '', reason });
  }
  return decision;
}

function wantedOf(moves: readonly LedgerOperation<unknown>[]): Wanted {
  const accounts = new Set<string>();
  const keys = new Set<string>();
  const tasks = new Set<string>();
  const idempotencyKeys: { account: string; key: string }[] = [];
  const requests: { account: string; request: string }[] = [];
  let withActs = false;
  for (const { account, key, task, idempotencyKey, isAct, request } of moves) {
    accounts.add(account);
    if (key !== undefined) keys.add(key);
    if (task !== undefined) tasks.add(task);
    if (idempotencyKey !== undefined) idempotencyKeys.push({ account, key: idempotencyKey });
    if (request !== undefined) requests.push({ account, request });
    withActs ||= isAct === true;
  }
  // By id, as locks are taken in that order everywhere.
  return {
    accounts: [...accounts].sort(),
    keys: [...keys].sort(),
    tasks: [...tasks],
    idempotencyKeys,
    requests,
    withActs,
  };
}

/** Ends the transaction after an error; returns an error if the connection is of no more use. */
async function rolledBack(client: pg.PoolClient, error: unknown): Promise<Error | undefined> {
  if (isConnectionError(error)) return new Error('connection lost', { cause: error });
  try {
    await client.query('rollback');
    return undefined;
  } catch (failure) {
    return new Error('rollback failed', { cause: failure });
  }
}
