/** How moves that no caller waits for wait for others to be committed with. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, test, type TestContext } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { GroupCommitter } from '../../src/ledger/commit/group-commit.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';
import { type Customer, ledgerKey, newCustomer, newLedger } from '../support/money.ts';

let made: TestDatabase;
let who: Customer;
let groups: GroupCommitter;
/** How many moves each commit had. */
let sizes: number[];
before(async () => {
  made = await freshDatabase();
  who = await newCustomer(made.database, newLedger(made.database), 0n);
});
after(() => made.drop());
beforeEach(() => {
  sizes = [];
  const watch = {
    committed: () => undefined,
    took: (moves: number) => void sizes.push(moves),
    failed: () => undefined,
  };
  groups = new GroupCommitter(made.database, ledgerKey, undefined, watch);
});

const commit = (mayBatch = false) =>
  groups.commit({ account: who.account, decide: () => ({ outcome: 'done' }) }, { mayBatch });

/** Stops the clock by which they wait. */
const stopClock = (t: TestContext) => t.mock.timers.enable({ apis: ['setTimeout'] });

test('those that may wait go together once the time is over', async (t) => {
  stopClock(t);
  const patient = [commit(true), commit(true)];
  for (let turns = 0; turns < 10; turns++) await turn();
  assert.deepEqual(sizes, []);
  t.mock.timers.tick(25);
  await Promise.all(patient);
  assert.deepEqual(sizes, [2]);
});

test('one that can’t wait takes along those that can', async (t) => {
  stopClock(t);
  const patient = commit(true);
  await turn();
  await commit();
  await patient;
  assert.deepEqual(sizes, [2]);
});

test('what comes while others are committed goes right behind them', async (t) => {
  stopClock(t);
  const first = commit();
  await turn(); // it has begun
  await Promise.all([first, commit(), commit(true)]);
  assert.deepEqual(sizes, [1, 2]);
});

test('a gateway that ends leaves none waiting', async (t) => {
  stopClock(t);
  const patient = [commit(true), commit(true)];
  await groups.drained();
  assert.deepEqual(await Promise.all(patient), ['done', 'done']);
});
