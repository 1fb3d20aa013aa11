/** How moves wait for others to be committed with. */
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

const commit = (patience?: 'pause' | 'long') =>
  groups.commit({ account: who.account, decide: () => ({ outcome: 'done' }) }, { patience });

/** Stops the clock by which they wait. */
const stopClock = (t: TestContext) => t.mock.timers.enable({ apis: ['setTimeout'] });

async function goOn(t: TestContext, waiting: Promise<unknown>): Promise<void> {
  const ticks = setInterval(() => {
    t.mock.timers.tick(1);
  }, 1);
  await waiting.finally(() => {
    clearInterval(ticks);
  });
}

const crowd = () => Promise.all(Array.from({ length: 8 }, () => commit()));

test('one that makes a pause goes at once where nothing was committed just before, or little', async (t) => {
  stopClock(t);
  await commit('pause');
  await commit('pause');
  assert.deepEqual(sizes, [1, 1]);
});

test('those that come in the pause after many go together', async (t) => {
  stopClock(t);
  await crowd();
  const first = commit('pause');
  for (let turns = 0; turns < 10; turns++) await turn();
  const second = commit('pause');
  await goOn(t, Promise.all([first, second]));
  assert.deepEqual(sizes, [8, 2]);
});

test('one that can’t wait takes along those that can', async (t) => {
  stopClock(t);
  await crowd();
  const patient = [commit('long'), commit('pause')];
  await turn();
  await commit();
  await Promise.all(patient);
  assert.deepEqual(sizes, [8, 3]);
});

test('while many are committed, those that can wait come and are not committed right behind them', async (t) => {
  stopClock(t);
  const many = crowd();
  await turn(); // it has begun
  const patient = Promise.all([commit('long'), commit('pause')]);
  await many;
  for (let turns = 0; turns < 10; turns++) await turn();
  assert.deepEqual(sizes, [8]);
  await goOn(t, patient);
  assert.deepEqual(sizes, [8, 2]);
});

test('a gateway that ends leaves none waiting', async (t) => {
  stopClock(t);
  await crowd();
  const patient = [commit('long'), commit('pause')];
  await groups.drained();
  assert.deepEqual(await Promise.all(patient), ['done', 'done']);
});
