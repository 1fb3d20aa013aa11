/** The most that an upstream's claim can cost. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { micros } from '../../src/domain/money.ts';
import { mostOfHold, mostOfTask, plausibleOf } from '../../src/domain/billing/overrun.ts';
import type { TaskPrice } from '../../src/domain/tasks/terms.ts';

const perSecond: TaskPrice = {
  unit: 'second',
  perSecond: micros(100n),
  byResolution: { '480p': micros(10n) },
  minimum: micros(0n),
};

for (const [held, factor, most] of [
  [100n, 2, 200n],
  [100n, 1, 100n],
  [3n, 1.5, 4n],
  [0n, 2, 0n],
  [2n ** 60n, 1.001, 2n ** 60n + 2n ** 60n / 1000n],
] as const) {
  test(`${held} held may cost ${most} at the factor ${factor}`, () => {
    assert.equal(mostOfHold(micros(held), factor), most);
  });
}

test('a video may be longer than it was asked for by 10 %, at the price of its own resolution', () => {
  const terms = { price: perSecond, askedSeconds: 5, overrunFactor: 2 };
  const most = (durationMs: number, height: number) =>
    mostOfTask(terms, micros(500n), { durationMs, pixels: { width: 640, height } });
  assert.equal(most(90_000, 2160), 550n);
  assert.equal(most(90_000, 480), 55n);
  assert.equal(most(5_400, 2160), 540n);
});

test("a video's minimum charge is within its bound", () => {
  const price = { ...perSecond, minimum: micros(9_000n) };
  assert.equal(mostOfTask({ price, askedSeconds: 5 }, micros(9_000n), { durationMs: 90_000 }), 9_000n);
});

test('a task without an asked length may cost its hold times the factor', () => {
  assert.equal(mostOfTask({ price: perSecond, overrunFactor: 3 }, micros(500n), { durationMs: 90_000 }), 1_500n);
});

test('a task whose terms say nothing of it has no bound', () => {
  assert.equal(mostOfTask({ price: perSecond }, micros(500n), { durationMs: 90_000 }), undefined);
});

test('a price is cut at its bound, and only there', () => {
  assert.deepEqual(plausibleOf(micros(10n), micros(10n)), { due: 10n, implausible: 0n });
  assert.deepEqual(plausibleOf(micros(11n), micros(10n)), { due: 10n, implausible: 1n });
  assert.deepEqual(plausibleOf(micros(11n), undefined), { due: 11n, implausible: 0n });
});
