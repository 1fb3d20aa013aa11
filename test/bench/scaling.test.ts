/** What the scaling model rests on: its simulation commits as the ledger does, and its arithmetic adds up. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { needsOf } from '../../bench/scaling/cluster.ts';
import { EventQueue } from '../../bench/scaling/event-queue.ts';
import { figureNames, valuesOf } from '../../bench/scaling/figures.ts';
import { simulateFleet } from '../../bench/scaling/hot-account.ts';
import { assumptions, bounds } from '../../bench/scaling/loads.ts';
import { runModel } from '../../bench/scaling/model.ts';
import { groupCostsFrom } from '../../bench/scaling/play.ts';
import { tablesIn, withTables } from '../../bench/scaling/page.ts';
import { weightsOf } from '../../bench/scaling/sensitivity.ts';
import { SimulatedDatabase } from '../../bench/scaling/simulated-database.ts';
import { SimulatedGroups } from '../../bench/scaling/simulated-groups.ts';

const costs = { knownMs: 2, knownMsPerMove: 0.1, lockedMs: 4, lockedMsPerMove: 0.1, roundTripMs: 0.5, flushMs: 1 };
const near = (value: number, expected: number) =>
  assert.ok(Math.abs(value - expected) < 1e-6, `${value} is not ${expected}`);

test('what is planned happens in the order of its time, and of its planning at one time', () => {
  const queue = new EventQueue();
  const seen: string[] = [];
  const planned = [5, 1, 3, 1, 4, 2, 9, 1].map((ms, at) => ({ ms, name: `${ms}.${at}` }));
  for (const { ms, name } of planned) queue.in(ms, () => seen.push(`${name}@${queue.nowMs}`));
  queue.runUntil(5);
  assert.deepEqual(seen, ['1.1@1', '1.3@1', '1.7@1', '2.5@2', '3.2@3', '4.4@4', '5.0@5']);
});

test('a first group locks its rows, the next is proved by their versions, and one after a stranger fails and locks', () => {
  const queue = new EventQueue();
  const database = new SimulatedDatabase(queue, costs.flushMs);
  const [ours, theirs] = [new SimulatedGroups(queue, database, costs), new SimulatedGroups(queue, database, costs)];
  const took = (groups: SimulatedGroups) => {
    const startedAtMs = queue.nowMs;
    let endedAtMs = NaN;
    groups.commit({ row: 7, done: () => (endedAtMs = queue.nowMs) }, { isPatient: false });
    queue.runUntil(startedAtMs + 50);
    return endedAtMs - startedAtMs;
  };
  near(took(ours), 4.1);
  near(took(ours), 2.1);
  near(took(theirs), 4.1);
  near(took(ours), 4.1 + costs.roundTripMs); // the proof that failed costs a round trip
  near(took(ours), 4.1); // for a fifth of a second nothing is proved
  queue.runUntil(queue.nowMs + 200);
  near(took(ours), 2.1);
});

test('groups of several processes on one row come one after the other; on rows of their own they share the next flush', () => {
  const together = (rows: readonly number[]) => {
    const queue = new EventQueue();
    const database = new SimulatedDatabase(queue, costs.flushMs);
    const ends: number[] = [];
    for (const row of rows) {
      const done = () => ends.push(queue.nowMs);
      new SimulatedGroups(queue, database, costs).commit({ row, done }, { isPatient: false });
    }
    queue.runUntil(100);
    return ends;
  };
  const [first, ...others] = together([1, 2, 3]);
  near(first ?? NaN, 4.1);
  for (const end of others) near(end, 4.1 + costs.flushMs);
  together([1, 1, 1]).forEach((end, at) => near(end, 4.1 + at * (4.1 - costs.roundTripMs)));
});

test('a fleet admits what it is asked, the same for a seed, and a hold waits the longer the more processes there are', () => {
  const fleet = { way: 'any', hotPerSecond: 300, seconds: 1, seed: 3 } as const;
  const [one, four] = [1, 4].map((processes) => simulateFleet({ ...fleet, processes }, costs));
  assert.deepEqual(simulateFleet({ ...fleet, processes: 4 }, costs), four);
  assert.ok(one && four);
  assert.ok(Math.abs(one.hot.admittedPerSecond - 300) < 60, String(one.hot.admittedPerSecond));
  assert.ok(four.hot.p50Ms > 2 * one.hot.p50Ms, `${four.hot.p50Ms} over 4, ${one.hot.p50Ms} over 1`);
  assert.equal(one.underLocks, 0);
});

test("a group's costs are the straight line through its measured times", () => {
  const line = (size: number) => 1.5 + 0.25 * size;
  const sizes = [1, 4, 16];
  const measured = {
    known: sizes.map(line),
    locked: sizes.map((size) => 2 * line(size)),
    roundTripMs: 0.1,
    flushMs: 1,
  };
  const { knownMs, knownMsPerMove, lockedMs, lockedMsPerMove } = groupCostsFrom(measured, sizes);
  for (const [value, expected] of [
    [knownMs, 1.5],
    [knownMsPerMove, 0.25],
    [lockedMs, 3],
    [lockedMsPerMove, 0.5],
  ] as const)
    near(value, expected);
});

test('a hundred times the tasks need a hundred times the databases, and processes keep their bounds', () => {
  const figures = valuesOf();
  const [few, many] = [100, 10_000].map((tasksPerSecond) => needsOf({ name: '', tasksPerSecond, streams: 0 }, figures));
  assert.ok(few && many);
  near(many.engine.cores / few.engine.cores, 100);
  near(many.books.entriesPerMonth / few.books.entriesPerMonth, 100);
  const callers = (10_000 * assumptions.task_s) / many.apis;
  assert.ok(callers <= bounds.connections * assumptions.utilisation, `${callers} callers at an API`);
});

test('every figure has a weight, and is named alike everywhere', () => {
  const weights = weightsOf(valuesOf());
  assert.deepEqual(weights.map(({ figure }) => figure.name).sort(), [...figureNames].sort());
  assert.equal(valuesOf({ flushMs: 7 }).flushMs, 7);
});

test('a table is put into its place of a page, and found there again', () => {
  const page = 'before\n\n<!-- model: one -->\n<!-- end -->\n\nbetween\n\n<!-- model: two -->\nold\n<!-- end -->\n';
  const written = withTables(page, { one: '| a |\n', two: '| b |\n' });
  assert.deepEqual(Object.fromEntries(tablesIn(written)), { one: '| a |\n', two: '| b |\n' });
  assert.equal(withTables(written, { one: '| a |\n', two: '| b |\n' }), written);
  assert.match(written, /^before\n.*between\n/s);
});

test('a figure that there is none of is refused by name', async () => {
  await assert.rejects(runModel(['--set', 'taskMs=1']), /not 'taskMs=1'; names: taskApiMs, /);
  await assert.rejects(runModel(['--set', 'flushMs=']), /not 'flushMs='/);
});
