/** The slots of a provider for lines of batches, in turns. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { BatchPaces } from '../../src/batches/pace.ts';

const never = new AbortController().signal;
const paceOf = (concurrentMax: number) =>
  new BatchPaces({ limitsOf: () => ({ concurrentMax, share: 0.5 }), isInteractiveBusy: () => false }).of('upstream');

describe('slots for lines of batches', () => {
  test('go to accounts in turns, and of an account to its batches in turns, however many lines one of them has', async () => {
    const pace = paceOf(1);
    await pace.acquire({ account: 'busy', batchId: 'first' }, never);
    const order: string[] = [];
    const ask = (account: string, batchId: string) =>
      pace.acquire({ account, batchId }, never).then(() => order.push(`${account} ${batchId}`));
    const asked = [
      ...[ask('large', 'a'), ask('large', 'a'), ask('large', 'a'), ask('large', 'b'), ask('large', 'b')],
      ...[ask('small', 'c'), ask('small', 'c')],
    ];
    for (let count = 0; count < asked.length; count++) {
      pace.release();
      await new Promise((resolve) => setImmediate(resolve));
    }
    await Promise.all(asked);
    assert.deepEqual(order, ['large a', 'small c', 'large b', 'small c', 'large a', 'large b', 'large a']);
  });

  test('are no more than the pace allows, and a waiter that gives up takes none', async () => {
    const pace = paceOf(2);
    const waiter = { account: 'one', batchId: 'a' };
    assert.ok(await pace.acquire(waiter, never));
    assert.ok(await pace.acquire(waiter, never));
    const leaving = new AbortController();
    const left = pace.acquire(waiter, leaving.signal);
    const stays = pace.acquire(waiter, never);
    leaving.abort();
    assert.equal(await left, false);
    assert.equal(pace.taken, 2);
    pace.release();
    assert.ok(await stays);
    assert.equal(pace.taken, 2);
    assert.equal(await pace.acquire(waiter, leaving.signal), false, 'nor one that had given up before');
  });

  test('are a share of them between interactive calls that follow each other, too', async () => {
    let isInteractiveBusy = true;
    const limits = { concurrentMax: 4, share: 0.5 };
    const pace = new BatchPaces({ limitsOf: () => limits, isInteractiveBusy: () => isInteractiveBusy }).of('upstream');
    const waiter = { account: 'one', batchId: 'a' };
    assert.ok(await pace.acquire(waiter, never));
    isInteractiveBusy = false;
    assert.ok(await pace.acquire(waiter, never));
    const leaving = new AbortController();
    const third = pace.acquire(waiter, leaving.signal);
    assert.equal(pace.taken, 2);
    leaving.abort();
    assert.equal(await third, false);
  });

  test('are given out again when a busy provider may be asked again', async () => {
    const pace = paceOf(1);
    pace.busy(20);
    assert.ok(pace.closedMs > 0);
    assert.ok(await pace.acquire({ account: 'one', batchId: 'a' }, never));
    assert.equal(pace.closedMs, 0);
  });
});
