/** What must hold of the ledger's rows after every step, recomputed from the entries and holds alone. */
import assert from 'node:assert/strict';
import { windows } from '../../src/domain/accounts/key-rules.ts';
import { ledgerAccounts, type Legs } from '../../src/domain/billing/postings.ts';
import { isFinal } from '../../src/domain/tasks/task-states.ts';
import type { EntryRow } from '../../src/ledger/commit/written-rows.ts';
import type { MemoryRows } from './ledger-memory.ts';

/** Fails with what is wrong, if anything is. */
export function assertRowsAddUp(rows: MemoryRows, now: Date): void {
  for (const { entry, seq } of rows.entries) assert.equal(sumOf(entry.legs), 0n, `entry ${seq} sums to zero`);
  const transfers: Transfers = new Map();
  for (const row of rows.entries) {
    const { transferId } = row.entry.subject;
    transfers.set(transferId, [...(transfers.get(transferId) ?? []), row]);
  }
  assertAccounts(rows);
  assertHolds(rows, transfers);
  assertTasks(rows, transfers);
  assertKeys(rows, transfers);
  assertBindings(rows, now);
}

/** How the rows stand, to be compared with how they stood. */
export function standOf({ accounts, keys, tasks, holds, entries, bound }: MemoryRows): unknown {
  const counters = [...keys.values()].map((key) => key.counters);
  const balances = [...accounts.values()].map(({ available, held, inArrears, seq }) => [
    available,
    held,
    inArrears,
    seq,
  ]);
  const states = [...holds.values(), ...tasks.values(), ...bound.values()].map(({ state }) => state);
  return { counters, balances, states, entries: entries.length };
}

function assertAccounts({ accounts, entries, holds }: MemoryRows): void {
  for (const account of accounts.values()) {
    let [available, held, inArrears] = [0n, 0n, false];
    const own = entries.filter(({ accountId }) => accountId === account.id);
    for (const [index, row] of own.entries()) {
      const { legs, type, reason } = row.entry;
      if (type === 'capture') {
        const capturable = available + (holds.get(row.entry.subject.transferId)?.amount ?? 0n);
        assert.ok(legs.revenue <= capturable, 'no capture takes more than its hold and what is available');
      }
      available += legs.available;
      held += legs.held;
      assert.ok(available >= 0n && held >= 0n, `no balance is below zero: ${available} available, ${held} held`);
      assert.deepEqual(
        [row.seq, row.availableAfter, row.heldAfter],
        [BigInt(index + 1), available, held],
        'numbers and running balances',
      );
      if (type === 'credit' || (type === 'adjustment' && legs.available > 0n)) inArrears = false;
      if (type === 'write_off' && reason === undefined) inArrears = true;
    }
    assert.deepEqual([account.available, account.held], [available, held], 'balances are the sums of entries');
    assert.equal(account.seq, BigInt(own.length), 'the count of entries');
    assert.equal(account.inArrears, inArrears, 'in arrears from a charge that was not covered to the next credit');
    const open = [...holds.values()].filter(({ accountId, state }) => accountId === account.id && state === 'held');
    assert.equal(
      open.reduce((sum, { amount }) => sum + amount, 0n),
      held,
      'open holds make up what is held',
    );
  }
}

type Transfers = Map<string, EntryRow[]>;

function assertHolds({ holds }: MemoryRows, transfers: Transfers): void {
  for (const [transferId, rows] of transfers) {
    if (holds.has(transferId)) continue;
    const [type = 'none', ...others] = typesOf(rows);
    assert.ok(
      ['credit', 'adjustment'].includes(type) && others.length === 0,
      'what has no hold is a credit or a correction',
    );
  }
  for (const hold of holds.values()) {
    const rows = transfers.get(hold.transferId) ?? [];
    const left = rows.reduce((sum, { entry }) => sum + entry.legs.held, 0n);
    const types = typesOf(rows).filter((type) => type !== 'write_off');
    const released = of(rows, 'release')?.entry.legs.available ?? 0n;
    assert.equal(left, hold.state === 'held' ? hold.amount : 0n, `what a ${hold.state} hold still holds`);
    assert.equal(of(rows, 'hold')?.entry.legs.held, hold.amount, 'a hold begins with its entry');
    if (hold.state === 'held') assert.deepEqual(types, ['hold']);
    if (hold.state === 'released') {
      assert.deepEqual([types, released], [['hold', 'release'], hold.amount], 'one release gives all back');
    }
    if (hold.state === 'captured') {
      const expected = released > 0n ? ['hold', 'capture', 'release'] : ['hold', 'capture'];
      assert.deepEqual(types, expected, 'one capture, with what was too much released');
    }
  }
}

function assertTasks({ tasks, holds }: MemoryRows, transfers: Transfers): void {
  const states = {
    succeeded: 'captured',
    failed: 'released',
    cancelled: 'released',
    accepted: 'held',
    running: 'held',
  };
  for (const { state, transferId, holdAmount, end } of tasks.values()) {
    const hold = holds.get(transferId);
    assert.deepEqual([hold?.state, hold?.amount], [states[state], holdAmount], `the hold of a task that is ${state}`);
    const rows = transfers.get(transferId) ?? [];
    if (end?.state === 'succeeded') assert.equal(end.cost, of(rows, 'capture')?.entry.legs.revenue, 'cost is revenue');
    if (end) assert.equal(end.balanceAfter, rows.at(-1)?.availableAfter, 'the balance after the end');
    if (state !== 'succeeded') assert.equal(of(rows, 'write_off'), undefined, 'only what succeeded is written off');
  }
}

function assertKeys({ keys, holds, tasks }: MemoryRows, transfers: Transfers): void {
  for (const { id, counters, callLimits, maxRunningTasks } of keys.values()) {
    const running = [...tasks.values()].filter(({ keyId, state }) => keyId === id && !isFinal(state)).length;
    assert.equal(counters.runningTasks, running, 'running tasks are those that are not final');
    assert.ok(running <= (maxRunningTasks ?? Infinity), 'no more tasks run than may');
    const own = [...holds.values()].filter(({ keyId }) => keyId === id);
    for (const window of windows) {
      const inWindow = own.filter(({ createdAt }) => countersPlace(window, createdAt, counters.countedAt));
      const spent = inWindow.reduce((sum, { transferId, amount, state }) => {
        const charged = of(transfers.get(transferId) ?? [], 'capture')?.entry.legs.revenue ?? 0n;
        return sum + (state === 'held' ? amount : charged);
      }, 0n);
      assert.equal(counters.calls[window], BigInt(inWindow.length), `calls of the ${window}`);
      assert.equal(counters.spent[window], spent, `spent in the ${window}`);
      const limit = callLimits.find(({ per }) => per === window)?.calls ?? Infinity;
      assert.ok(inWindow.length <= limit, `no more calls than may be in a ${window}`);
    }
  }
}

/** A key names one task or call; each keyed task and open call of a day is the one: so a key has one at the most. */
function assertBindings({ bound, holds, entries }: MemoryRows, now: Date): void {
  for (const { state, transferId, answer } of bound.values()) {
    const hold = transferId === undefined ? undefined : holds.get(transferId);
    if (state === 'running') assert.equal(hold?.state, 'held', 'a key that waits for an answer has a hold');
    if (answer !== null) assert.equal(hold?.state, 'captured', 'a stored answer was paid for');
  }
  for (const { entry, accountId, createdAt } of entries) {
    const { transferId, taskId, requestId = '' } = entry.subject;
    const [, key] = requestId.split('/');
    if (entry.type !== 'hold' || !key || now.getTime() - createdAt.getTime() >= dayMs) continue;
    const named = bound.get(`${accountId}\n${key}`);
    if (taskId !== undefined) assert.equal(named?.taskId, taskId, 'a key names its task');
    else if (holds.get(transferId)?.state === 'held') assert.equal(named?.transferId, transferId, 'and its open call');
  }
}

const dayMs = 86_400_000;

/** By the digits of the moment (UTC), so that this is another way than the ledger's own. */
const digits = { minute: 16, hour: 13, day: 10, month: 7, total: 0 };
const countersPlace = (window: keyof typeof digits, at: Date, countedAt: Date | null) =>
  at.toISOString().slice(0, digits[window]) === countedAt?.toISOString().slice(0, digits[window]);

const of = (rows: readonly EntryRow[], type: string) => rows.find(({ entry }) => entry.type === type);
const typesOf = (rows: readonly EntryRow[]) => rows.map(({ entry }) => entry.type);
const sumOf = (legs: Legs) => ledgerAccounts.reduce((sum, name) => sum + legs[name], 0n);
