/** The room for bodies: bounded in all, by the heap of the process, and for each owner. */
import assert from 'node:assert/strict';
import { getHeapStatistics } from 'node:v8';
import { describe, test } from 'node:test';
import { BodyMemory } from '../../src/api/body/body-room.ts';
import { memoryOfBody } from '../../src/api/body/json-body.ts';
import { createConcurrencyLimits } from '../../src/api/concurrency-limits.ts';

const MiB = 1024 * 1024;

describe('the room for bodies', () => {
  test('is a quarter of the heap, or one of the largest bodies where that is more', () => {
    const quarter = Math.floor(getHeapStatistics().heap_size_limit / 4);
    assert.equal(createConcurrencyLimits().bodyBytes.max, quarter);
    assert.equal(createConcurrencyLimits({}, 2 * quarter).bodyBytes.max, 2 * quarter);
  });

  test('has space for a body of 20 MiB with all the values that it may have in a quarter of what the image gives', () => {
    assert.ok(memoryOfBody(20 * MiB) <= (1024 * MiB) / 4);
  });

  test('gives no owner more than a quarter, and others the rest', () => {
    const { bodyBytes } = createConcurrencyLimits({ bodyBytes: 4_000 });
    assert.equal(bodyBytes.tryAcquireFor('a', 600), undefined);
    assert.equal(bodyBytes.tryAcquireFor('a', 401)?.code, 'overloaded');
    assert.throws(() => bodyBytes.requireFor('a', 401), { code: 'overloaded' });
    assert.equal(bodyBytes.tryAcquireFor('a', 400), undefined);
    for (const owner of ['b', 'c', 'd']) assert.equal(bodyBytes.tryAcquireFor(owner, 1_000), undefined);
    assert.equal(bodyBytes.tryAcquireFor('e', 1)?.code, 'overloaded');
    bodyBytes.releaseFor('a', 1_000);
    assert.equal(bodyBytes.tryAcquireFor('e', 1), undefined);
    assert.equal(bodyBytes.taken, 3_001);
  });

  test('lets an owner have one of the largest bodies, even where that is more than a quarter', () => {
    const { bodyBytes } = createConcurrencyLimits({ bodyBytes: 4_000 }, 3_000);
    assert.equal(bodyBytes.tryAcquireFor('a', 3_000), undefined);
    assert.equal(bodyBytes.tryAcquireFor('a', 1)?.code, 'overloaded');
  });

  test('gets back what a request has not given yet when its answer is over, and nothing is taken after that', () => {
    const { bodyBytes } = createConcurrencyLimits({ bodyBytes: 4_000 });
    const room = new BodyMemory(bodyBytes, 'a');
    room.take(500);
    room.take(300);
    room.give(300);
    assert.equal(bodyBytes.taken, 500);
    room.close();
    room.take(700);
    room.close();
    assert.equal(bodyBytes.taken, 0);
    assert.equal(bodyBytes.tryAcquireFor('a', 1_000), undefined);
  });
});
