import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Busy, pauseBeforeRetry } from '../../src/domain/tasks/patience.ts';

const busy: Busy = {
  ...{ busyCount: 0, sinceFirstMs: 0, retryAfterMs: undefined },
  ...{ patienceMs: 600_000, deadlineMs: 3_600_000, chance: 0 },
};
const pause = (more: Partial<Busy>) => pauseBeforeRetry({ ...busy, ...more });

describe('a provider that is too busy is asked again', () => {
  test('after a second, and after twice as long each time, up to a minute', () => {
    const pauses = Array.from({ length: 9 }, (_, busyCount) => pause({ busyCount }));
    assert.deepEqual(pauses, [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
    assert.equal(pause({ busyCount: 100_000 }), 60_000);
  });

  test('up to a fifth sooner, by chance, so that not all come back at once', () => {
    assert.deepEqual([pause({ chance: 0.5 }), pause({ chance: 1 })], [900, 800]);
  });

  test('not before it asked to be', () => {
    assert.equal(pause({ retryAfterMs: 7_000, chance: 1 }), 7_000);
    assert.equal(pause({ retryAfterMs: 500 }), 1_000);
  });

  test('a last time at the end of the patience, and then no more', () => {
    assert.equal(pause({ busyCount: 6, sinceFirstMs: 590_000 }), 10_000);
    assert.equal(pause({ busyCount: 7, sinceFirstMs: 600_000 }), undefined);
    assert.equal(pause({ patienceMs: 0 }), undefined);
  });

  test('not if it will be busy for longer than the patience lasts, by its own word', () => {
    assert.equal(pause({ retryAfterMs: 600_000 }), 600_000);
    assert.equal(pause({ retryAfterMs: 600_001 }), undefined);
  });

  test('never when the deadline of the task has passed by then', () => {
    assert.equal(pause({ deadlineMs: 1_001 }), 1_000);
    assert.equal(pause({ deadlineMs: 1_000 }), undefined);
  });
});
