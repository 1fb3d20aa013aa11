/**
 * The ledger over rows in memory: its own moves decide in its own groups, and what they decide is kept as the database
 * would keep it, with the database's guards. Processes and connections die when a test says so.
 */
import pg from 'pg';
import type { AccountId, KeyId } from '../../src/domain/ids.ts';
import type { KeyLimits } from '../../src/domain/accounts/key-rules.ts';
import { micros } from '../../src/domain/money.ts';
import { noCounts } from '../../src/domain/billing/admission.ts';
import { noLimits } from '../../src/accounts/api-keys.ts';
import { openDatabase } from '../../src/postgres/database.ts';
import { type CallHold, CallLedger } from '../../src/ledger/call-ledger.ts';
import { GroupCommitter } from '../../src/ledger/commit/group-commit.ts';
import { Ledger } from '../../src/ledger/ledger.ts';
import type { Effects, EndedTask, LedgerOperation } from '../../src/ledger/commit/ledger-operation.ts';
import type { EntryRow } from '../../src/ledger/commit/written-rows.ts';
import { decideAll } from '../../src/ledger/commit/transaction.ts';
import {
  type BoundIdempotencyKey,
  idempotencyKeyOf,
  type LockedAccount,
  type LockedKey,
  type LockedTask,
  type View,
} from '../../src/ledger/commit/locked-rows.ts';
import { Writes } from '../../src/ledger/commit/group-writes.ts';
import type { HoldRow } from '../../src/ledger/commit/write-money.ts';
import { newAccountId, newKeyId } from '../../src/postgres/new-ids.ts';
import { callSale } from './calls.ts';
import { type Actor, isKeyedRequest, newestMax } from './ledger-steps.ts';
import { type Customer, ledgerKey } from './money.ts';

export interface MemoryRows {
  accounts: Map<string, LockedAccount>;
  keys: Map<string, LockedKey>;
  tasks: Map<string, LockedTask & { end?: EndedTask }>;
  holds: Map<string, HoldRow & { state: 'held' | 'captured' | 'released'; seq: bigint; createdAt: Date }>;
  /** In the order in which they were written. */
  entries: EntryRow[];
  /** By account and key. */
  bound: Map<string, BoundIdempotencyKey & { createdAt: Date; transferId: string | undefined }>;
}

/**
 * What befalls the next commit. The connection is lost before or after the commit, and the group asks again; or the
 * process dies before or after it, and the caller gets no answer.
 */
export type Accident = 'lost before' | 'lost after' | 'died before' | 'died after';

export class ProcessDied extends Error {}

interface Member {
  move: LedgerOperation<unknown>;
  resolve: (outcome: unknown) => void;
  reject: (reason: unknown) => void;
}

const noDatabase = openDatabase('postgres://none@127.0.0.1:1/none', { onIdleError: () => undefined });

/** What is asked in one turn of the event loop is one group. */
export class MemoryGroups extends GroupCommitter {
  readonly rows: MemoryRows = {
    accounts: new Map(),
    keys: new Map(),
    tasks: new Map(),
    holds: new Map(),
    entries: [],
    bound: new Map(),
  };
  now = new Date('2030-01-31T23:57:30.000Z');
  accident: Accident | undefined;
  #waiting: Member[] = [];

  constructor() {
    super(noDatabase, ledgerKey);
  }

  override commit<T>(move: LedgerOperation<T>): Promise<T> {
    if (this.#waiting.length === 0) setImmediate(() => this.#commitWaiting());
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ move, resolve: resolve as (outcome: unknown) => void, reject });
    });
  }

  newAccount(): AccountId {
    const id = newAccountId();
    const money = { available: micros(0n), held: micros(0n), inArrears: false, seq: 0n };
    const row = { ...money, status: 'active', webhookUrl: null, lowBalance: null, isLow: false } as const;
    this.rows.accounts.set(id, { ...row, id, chain: Buffer.alloc(32), version: 0 });
    return id;
  }

  newKey(account: AccountId, limits: Partial<KeyLimits> = {}): KeyId {
    const id = newKeyId();
    const counters = {
      countedAt: null,
      calls: noCounts,
      spent: noCounts,
      since: noCounts,
      clockBackAt: null,
      runningTasks: 0,
    };
    const row = { ...noLimits, ...limits, level: 'standard', revoked: false, counters } as const;
    this.rows.keys.set(id, { ...row, id, accountId: account, version: 0 });
    return id;
  }

  #commitWaiting(): void {
    const members = this.#waiting;
    this.#waiting = [];
    const { accident } = this;
    this.accident = undefined;
    this.#commitGroup(members, accident);
  }

  #commitGroup(members: readonly Member[], accident?: Accident): void {
    try {
      const outcomes = this.#transact(
        members.map(({ move }) => move),
        accident,
      );
      for (const [index, member] of members.entries()) member.resolve(outcomes[index]);
    } catch (error) {
      if (members.length === 1 || error instanceof ProcessDied) for (const { reject } of members) reject(error);
      else for (const member of members) this.#commitGroup([member]);
    }
  }

  #transact(moves: readonly LedgerOperation<unknown>[], accident?: Accident): unknown[] {
    const decided = this.#decide(moves);
    if (accident === 'died before') throw new ProcessDied();
    if (accident === 'lost before') return this.#transact(moves);
    keep(this.rows, decided, this.now);
    if (accident === 'died after') throw new ProcessDied();
    if (accident === 'lost after') {
      // Asked again, a group finds its entries there; one without any is decided anew.
      if (decided.writes.decisions.every(({ entries }) => entries.length === 0)) return this.#transact(moves);
    }
    return decided.outcomes;
  }

  #decide(moves: readonly LedgerOperation<unknown>[]): Decided {
    const { accounts, keys, tasks, bound } = this.rows;
    const view: View = {
      now: this.now,
      accounts: copied(accounts),
      keys: copied(keys),
      tasks: copied(tasks),
      idempotencyKeys: new Map([...bound].filter(([, { createdAt }]) => !isOld(createdAt, this.now))),
      requests: new Map(),
    };
    const writes = new KeptWrites(this.now, ledgerKey);
    return { view, writes, outcomes: decideAll(moves, view, writes) };
  }
}

/** A process over these rows. */
export function memoryActor(groups: MemoryGroups): Actor {
  const { rows } = groups;
  const newest = <Row>(all: Iterable<Row>, isIt: (row: Row) => boolean) =>
    [...all].filter(isIt).reverse().slice(0, newestMax);
  return {
    ledger: new Ledger(groups),
    calls: new CallLedger(groups),
    owner: '00000000-0000-4000-8000-000000000000',
    newestTasks: (account) =>
      Promise.resolve(
        newest(rows.tasks.values(), ({ accountId }) => accountId === account).map(({ accountId, keyId, id }) => ({
          account: accountId,
          key: keyId,
          task: id,
        })),
      ),
    newestCalls: (account) =>
      Promise.resolve(
        newest(rows.holds.values(), ({ accountId, owner }) => accountId === account && owner !== undefined).map(callOf),
      ),
  };
}

type HeldRow = HoldRow & { seq: bigint; createdAt: Date };

function callOf({ accountId, transferId, keyId, amount, seq, createdAt, subject }: HeldRow): CallHold {
  const who: Customer = { account: accountId as AccountId, key: keyId };
  const call = { ...who, transferId, amount, seq, admittedAt: createdAt, requestId: subject, model: 'sim-chat' };
  return { ...call, sale: callSale, isKeyed: isKeyedRequest(subject) };
}

interface Decided {
  view: View;
  writes: KeptWrites;
  outcomes: unknown[];
}

/** The writes of a group, with the decisions that they came from. */
class KeptWrites extends Writes {
  readonly decisions: {
    decision: Effects<unknown>;
    account: LockedAccount;
    entries: Omit<EntryRow, 'createdAt'>[];
  }[] = [];

  override add(...given: Parameters<Writes['add']>): void {
    const [decision, account] = given;
    let { available: availableAfter, held: heldAfter, seq } = account as Record<'available' | 'held' | 'seq', bigint>;
    super.add(...given);
    const entries = (decision.entries ?? []).map((entry) => {
      availableAfter += entry.legs.available;
      heldAfter += entry.legs.held;
      seq += 1n;
      return { accountId: account.id, seq, entry, availableAfter, heldAfter };
    });
    this.decisions.push({ decision, account, entries });
  }
}

/** Keeps what a group decided, or refuses all of it as the database does. */
function keep(rows: MemoryRows, { writes, view }: Decided, now: Date): void {
  const next: MemoryRows = {
    ...{ accounts: view.accounts, keys: view.keys, tasks: new Map(rows.tasks), holds: new Map(rows.holds) },
    ...{ entries: [...rows.entries], bound: new Map(rows.bound) },
  };
  // As the database's statement does, holds first: its guard says more than a constraint.
  for (const { decision, account, entries } of writes.decisions) {
    keepHolds(next, decision, { account, seq: entries[0]?.seq ?? 0n, now });
  }
  const written = new Set(rows.entries.map(({ entry: { subject, type } }) => `${subject.transferId} ${type}`));
  for (const { decision, account, entries } of writes.decisions) {
    for (const row of entries) {
      const place = `${row.entry.subject.transferId} ${row.entry.type}`;
      if (written.has(place)) throw refusal('23505', `there is an entry ${place} already`);
      written.add(place);
      next.entries.push({ ...row, createdAt: now });
    }
    keepTasks(next, decision, { account, seq: entries[0]?.seq ?? 0n, now });
    keepBinding(next, decision, account, now);
  }
  Object.assign(rows, next);
}

/** Of a decision: whose it is, the number of its first entry, and when. */
interface Where {
  account: LockedAccount;
  seq: bigint;
  now: Date;
}

function keepHolds(next: MemoryRows, { newHold, closedHold }: Effects<unknown>, { account, seq, now }: Where) {
  if (newHold) {
    next.holds.set(newHold.transferId, { ...newHold, accountId: account.id, state: 'held', seq, createdAt: now });
  }
  if (!closedHold) return;
  const hold = next.holds.get(closedHold.transferId);
  if (hold?.state !== 'held') throw failedGuard('hold_closed');
  next.holds.set(closedHold.transferId, { ...hold, state: closedHold.state });
}

function keepTasks(next: MemoryRows, { newTask, endedTask }: Effects<unknown>, { account, seq, now }: Where) {
  if (newTask) {
    const { id, kind, keyId, transferId, holdAmount } = newTask;
    if (next.tasks.has(id)) throw refusal('23505', `there is a task ${id} already`);
    const whose = { accountId: account.id, keyId, webhookUrl: null };
    const row = { id, kind, state: 'accepted', ...whose, transferId, holdAmount, holdSeq: seq } as const;
    const sale = { units: '1.000', unit: 'image', unitPrice: holdAmount, priceVersion: 'v1' } as const;
    next.tasks.set(id, { ...row, sale, createdAt: now });
  }
  if (!endedTask) return;
  const task = next.tasks.get(endedTask.id);
  if (!task || task.end) throw failedGuard('task_ended');
  next.tasks.set(task.id, { ...task, state: endedTask.state, end: endedTask });
}

function keepBinding(next: MemoryRows, { boundKey, closedKey }: Effects<unknown>, account: LockedAccount, now: Date) {
  if (boundKey) {
    const place = idempotencyKeyOf(account.id, boundKey.key);
    const before = next.bound.get(place);
    if (before && !isOld(before.createdAt, now)) throw failedGuard('idempotency_key_bound');
    const { bodyHash } = boundKey;
    const transferId = 'transferId' in boundKey ? boundKey.transferId : undefined;
    const taskId = 'taskId' in boundKey ? boundKey.taskId : null;
    const state = taskId === null ? 'running' : 'done';
    next.bound.set(place, { bodyHash, state, taskId, answer: null, createdAt: now, transferId });
  }
  if (!closedKey) return;
  for (const [place, bound] of next.bound) {
    if (bound.transferId !== closedKey.transferId) continue;
    if (closedKey.answer === null) next.bound.delete(place);
    else next.bound.set(place, { ...bound, state: 'done', answer: closedKey.answer });
  }
}

function failedGuard(guard: string): pg.DatabaseError {
  const error = refusal('TG001', `guard ${guard}`);
  error.constraint = guard;
  return error;
}

function refusal(code: string, message: string): pg.DatabaseError {
  const error = new pg.DatabaseError(message, message.length, 'error');
  error.code = code;
  return error;
}

const dayMs = 86_400_000;
const isOld = (createdAt: Date, now: Date) => createdAt.getTime() <= now.getTime() - dayMs;
const copied = <Row extends object>(rows: Map<string, Row>) =>
  new Map([...rows].map(([id, row]) => [id, { ...row }] as const));
