/** How fast lines of batches go to a provider. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  afterAnswer,
  afterBusy,
  afterSend,
  closedMs,
  concurrentNow,
  firstPace,
  type PaceLimits,
  type PaceState,
} from '../../../src/domain/batches/pace.ts';

const limits: PaceLimits = { concurrentMax: 16, share: 0.5 };
const answered = (pace: PaceState, count: number): PaceState =>
  Array.from({ length: count }).reduce<PaceState>((state) => afterAnswer(state, limits), pace);

describe('the pace of batches', () => {
  test('begins with few lines at once and grows with answers to the most that is configured', () => {
    const first = firstPace(limits);
    assert.equal(concurrentNow(first, limits, false), 4);
    assert.equal(concurrentNow(answered(first, 5), limits, false), 5, 'about one more for each round of answers');
    assert.equal(concurrentNow(answered(first, 1_000), limits, false), 16);
  });

  test('halves once for a burst of busy answers, and grows again', () => {
    const full = answered(firstPace(limits), 1_000);
    const slowed = afterBusy(afterBusy(afterBusy(full, 10_000, 1_000), 10_100, 1_000), 10_900, 1_000);
    assert.equal(concurrentNow(slowed, limits, false), 8);
    assert.equal(concurrentNow(afterBusy(slowed, 11_500, 1_000), limits, false), 4, 'the next burst halves again');
    assert.equal(concurrentNow(answered(slowed, 1_000), limits, false), 16);
  });

  test('never falls below one line, and sends nothing before the time that the provider names', () => {
    let pace = firstPace(limits);
    for (let atMs = 0; atMs < 100_000; atMs += 2_000) pace = afterBusy(pace, atMs, 7_000);
    assert.equal(concurrentNow(pace, limits, false), 1);
    assert.equal(closedMs(pace, 98_000), 7_000);
    assert.equal(closedMs(pace, 105_000), 0);
    assert.equal(closedMs(afterBusy(pace, 200_000, 86_400_000), 200_000), 300_000, 'it is tried again within minutes');
    assert.ok(closedMs(afterBusy(pace, 200_000, undefined), 200_000) > 0, 'and waits where no time is named');
  });

  test('takes its share while interactive calls are under way, of lines at once and of lines a second', () => {
    const full = answered(firstPace(limits), 1_000);
    assert.equal(concurrentNow(full, limits, true), 8);
    assert.equal(concurrentNow(full, { ...limits, share: 0.01 }, true), 1, 'but always goes on');
    const perSecond = { ...limits, perSecondMax: 10 };
    assert.equal(closedMs(afterSend(full, perSecond, { nowMs: 0, isShared: false }), 0), 100);
    assert.equal(closedMs(afterSend(full, perSecond, { nowMs: 0, isShared: true }), 0), 200);
    const unbounded = (isShared: boolean) => closedMs(afterSend(full, limits, { nowMs: 0, isShared }), 0);
    assert.equal(unbounded(false), 0, 'without a bound there is none');
    assert.equal(unbounded(true), 20, 'but 50 a second beside interactive calls');
    const fast = { ...limits, perSecondMax: 10_000 };
    assert.equal(closedMs(afterSend(full, fast, { nowMs: 0, isShared: true }), 0), 20, 'whatever is configured');
  });
});
