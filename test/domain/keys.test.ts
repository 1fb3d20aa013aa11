/** Levels contain the ones before; windows are the calendar's, in UTC. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  allows,
  callLimitsSchema,
  keyLevels,
  secondsLeft,
  windows,
  windowStart,
} from '../../src/domain/accounts/key-rules.ts';

for (const [at, level] of keyLevels.entries()) {
  for (const [needs, needed] of keyLevels.entries()) {
    test(`level ${level} ${at >= needs ? 'contains' : 'lacks'} ${needed}`, () =>
      assert.equal(allows(level, needed), at >= needs));
  }
}

describe('a window', () => {
  for (const [window, at, start, left] of [
    ['minute', '2026-03-31T23:59:59.001Z', '2026-03-31T23:59:00Z', 1],
    ['minute', '2026-03-31T23:59:00.000Z', '2026-03-31T23:59:00Z', 60],
    ['hour', '2026-03-31T23:00:00.000Z', '2026-03-31T23:00:00Z', 3600],
    ['day', '2026-03-31T23:59:59.999Z', '2026-03-31T00:00:00Z', 1],
    // The zone of the process makes no difference: this is still March in UTC.
    ['day', '2026-04-01T01:30:00+08:00', '2026-03-31T00:00:00Z', 23_400],
    ['month', '2026-04-01T01:30:00+08:00', '2026-03-01T00:00:00Z', 23_400],
    ['month', '2026-01-31T12:00:00Z', '2026-01-01T00:00:00Z', 43_200],
    ['month', '2026-02-28T23:59:59Z', '2026-02-01T00:00:00Z', 1],
    ['month', '2028-02-28T00:00:00Z', '2028-02-01T00:00:00Z', 172_800],
    ['month', '2026-12-31T23:59:00Z', '2026-12-01T00:00:00Z', 60],
    ['month', '2027-01-01T00:00:00Z', '2027-01-01T00:00:00Z', 31 * 86_400],
    ['total', '2026-02-28T23:59:59Z', '1970-01-01T00:00:00Z', 0],
  ] as const) {
    test(`${window} at ${at} began at ${start} and has ${left} s left`, () => {
      assert.equal(windowStart(window, new Date(at)).getTime(), Date.parse(start));
      assert.equal(secondsLeft(window, new Date(at)), left);
    });
  }

  test('has begun, and its end lies in the next one', () =>
    fc.assert(
      fc.property(
        fc.constantFrom(...windows.filter((window) => window !== 'total')),
        fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true }),
        (window, at) => {
          const start = windowStart(window, at);
          assert.ok(start <= at);
          assert.equal(windowStart(window, start).getTime(), start.getTime());
          const after = new Date(at.getTime() + secondsLeft(window, at) * 1000);
          assert.ok(windowStart(window, after) > start);
          const last = new Date(at.getTime() + (secondsLeft(window, at) - 1) * 1000);
          assert.equal(windowStart(window, last).getTime(), start.getTime());
        },
      ),
    ));
});

describe('limits as callers write them', () => {
  for (const [name, limits, fits] of [
    ['none', [], true],
    ['one of each window', windows.map((per) => ({ calls: 1, per })), true],
    ['a window twice', [1, 2].map((calls) => ({ calls, per: 'day' })), false],
    ['no calls at all', [{ calls: 0, per: 'day' }], false],
    ['half a call', [{ calls: 1.5, per: 'day' }], false],
    ['an unknown window', [{ calls: 1, per: 'week' }], false],
  ] as const) {
    test(`call limits: ${name} ${fits ? 'fits' : 'is refused'}`, () =>
      assert.equal(callLimitsSchema.safeParse(limits).success, fits));
  }
});
