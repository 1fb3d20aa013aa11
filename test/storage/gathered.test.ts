/** Writes that are gathered: none waits without need, none is lost, and who failed hears of it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Gathered } from '../../src/postgres/batched-writes.ts';

/** A write that ends when the test ends it. */
function heldWrite() {
  const calls: { items: readonly number[]; end: (error?: Error) => void }[] = [];
  const gathered = new Gathered<number>(
    (items) =>
      new Promise((resolve, reject) => {
        calls.push({ items, end: (error) => (error ? reject(error) : resolve()) });
      }),
  );
  return { calls, gathered };
}

test('an item alone is written at once, and those that come meanwhile go together after it', async () => {
  const { calls, gathered } = heldWrite();
  const first = gathered.add(1);
  const others = [2, 3, 4].map((item) => gathered.add(item));
  assert.deepEqual(
    calls.map(({ items }) => items),
    [[1]],
  );
  calls[0]?.end();
  await first;
  assert.deepEqual(
    calls.map(({ items }) => items),
    [[1], [2, 3, 4]],
  );
  calls[1]?.end();
  await Promise.all(others);
});

test('a failed write rejects the items of its group only, and the next ones are written', async () => {
  const { calls, gathered } = heldWrite();
  const [first, second, third] = [gathered.add(1), gathered.add(2), gathered.add(3)];
  calls[0]?.end();
  await first;
  calls[1]?.end(new Error('the database is away'));
  await assert.rejects(second, /away/);
  await assert.rejects(third, /away/);
  const later = gathered.add(4);
  assert.deepEqual(calls.at(2)?.items, [4]);
  calls.at(2)?.end();
  await later;
});

test('a call that is slow does not hold up those that come after it, and no more than one goes beside it', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { calls, gathered } = heldWrite();
  const [slow, second, third] = [gathered.add(1), gathered.add(2), gathered.add(3)];
  assert.equal(calls.length, 1);
  t.mock.timers.tick(50);
  assert.deepEqual(calls.at(1)?.items, [2, 3]);
  const fourth = gathered.add(4);
  t.mock.timers.tick(50);
  assert.equal(calls.length, 2, 'each call has a connection of few');
  calls[1]?.end();
  await Promise.all([second, third]);
  assert.deepEqual(calls.at(2)?.items, [4]);
  calls[2]?.end();
  await fourth;
  calls[0]?.end();
  await slow;
  const alone = gathered.add(5);
  const after = gathered.add(6);
  assert.equal(calls.length, 4, 'then one at a time again');
  calls[3]?.end();
  await alone;
  calls[4]?.end();
  await after;
});

test('a group has a bound', async () => {
  const { calls, gathered } = heldWrite();
  const all = Array.from({ length: 1_202 }, (_, item) => gathered.add(item));
  for (let ended = 0; ended < calls.length; ended++) {
    calls.at(ended)?.end();
    await new Promise(setImmediate);
  }
  await Promise.all(all);
  assert.deepEqual(
    calls.map(({ items }) => items.length),
    [1, 500, 500, 201],
  );
});
