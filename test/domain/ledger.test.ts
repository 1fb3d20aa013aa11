/** Money is neither made nor lost by any movement, and no settlement takes what is not there. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  credit,
  hold,
  ledgerAccounts,
  type LedgerAccount,
  legsOf,
  type Movement,
  release,
  settlement,
} from '../../src/domain/billing/postings.ts';
import { micros } from '../../src/domain/money.ts';

const amount = fc.bigInt({ min: 0n, max: 10n ** 15n }).map(micros);
const posting = fc.record({ from: fc.constantFrom(...ledgerAccounts), to: fc.constantFrom(...ledgerAccounts), amount });
const sum = ({ legs }: Pick<Movement, 'legs'>) => ledgerAccounts.reduce((total, name) => total + legs[name], 0n);
const moved = (movements: readonly Movement[], account: LedgerAccount) =>
  movements.reduce((total, { legs }) => total + legs[account], 0n);

describe('a movement', () => {
  test('sums to zero whatever its postings are', () =>
    fc.assert(fc.property(fc.array(posting), (postings) => assert.equal(sum({ legs: legsOf(postings) }), 0n))));

  test('refuses a negative amount', () => {
    assert.throws(() => legsOf([{ from: 'held', to: 'revenue', amount: micros(-1n) }]), RangeError);
  });

  for (const [movement, type, from, to] of [
    [credit, 'credit', 'top_ups', 'available'],
    [hold, 'hold', 'available', 'held'],
    [release, 'release', 'held', 'available'],
  ] as const) {
    test(`${type} moves its amount from ${from} to ${to} and nothing else`, () => {
      const { type: given, legs } = movement(micros(7n));
      assert.equal(given, type);
      for (const name of ledgerAccounts) {
        assert.equal(legs[name], name === from ? -7n : name === to ? 7n : 0n, name);
      }
    });
  }
});

describe('a settlement', () => {
  const cases = [
    { name: 'of exactly the hold', held: 10n, price: 10n, available: 5n, types: ['capture'], charged: 10n, change: 0n },
    {
      name: 'below the hold gives the rest back',
      held: 10n,
      price: 4n,
      available: 0n,
      types: ['capture', 'release'],
      charged: 4n,
      change: 6n,
    },
    {
      name: 'above the hold takes the rest from what is available',
      held: 10n,
      price: 13n,
      available: 5n,
      types: ['capture'],
      charged: 13n,
      change: -3n,
    },
    {
      name: 'above hold and balance writes off what is not there',
      held: 10n,
      price: 20n,
      available: 4n,
      types: ['capture', 'write_off'],
      charged: 14n,
      change: -4n,
    },
    {
      name: 'above the hold with nothing available writes all of it off',
      held: 10n,
      price: 11n,
      available: 0n,
      types: ['capture', 'write_off'],
      charged: 10n,
      change: 0n,
    },
    {
      name: 'of nothing gives everything back',
      held: 10n,
      price: 0n,
      available: 0n,
      types: ['capture', 'release'],
      charged: 0n,
      change: 10n,
    },
    {
      name: 'of nothing over no hold',
      held: 0n,
      price: 0n,
      available: 3n,
      types: ['capture'],
      charged: 0n,
      change: 0n,
    },
  ];
  for (const { name, held, price, available, types, charged, change } of cases) {
    test(name, () => {
      const settled = settlement({ held: micros(held), price: micros(price), available: micros(available) });
      assert.deepEqual(
        settled.movements.map(({ type }) => type),
        types,
      );
      assert.equal(settled.charged, charged);
      assert.equal(settled.writtenOff, price - charged);
      assert.equal(moved(settled.movements, 'available'), change);
      assert.equal(moved(settled.movements, 'revenue'), price);
    });
  }

  test("beyond its bound is the operator's loss, whether or not there is money", () => {
    const bounded = (available: bigint) =>
      settlement({ held: micros(10n), price: micros(1000n), available: micros(available), most: micros(20n) });
    const rich = bounded(5000n);
    assert.deepEqual([rich.charged, rich.writtenOff, rich.isWanting], [20n, 980n, false]);
    assert.equal(rich.reason, 'implausible_usage');
    const poor = bounded(4n);
    assert.deepEqual([poor.charged, poor.writtenOff, poor.isWanting], [14n, 986n, false]);
    assert.equal(poor.reason, 'implausible_usage');
  });

  test('within its bound is written off for want of money alone', () => {
    const amounts = { held: micros(10n), price: micros(20n), available: micros(4n), most: micros(20n) };
    const { charged, isWanting, reason } = settlement(amounts);
    assert.deepEqual([charged, isWanting, reason], [14n, true, undefined]);
  });

  test('empties the hold, earns the price, writes off only the lack and leaves no balance below zero', () =>
    fc.assert(
      fc.property(amount, amount, amount, fc.option(amount, { nil: undefined }), (held, price, available, most) => {
        const { movements, charged, writtenOff, isWanting } = settlement({ held, price, available, most });
        for (const movement of movements) assert.equal(sum(movement), 0n);
        assert.equal(moved(movements, 'held'), 0n - held);
        assert.equal(moved(movements, 'revenue'), price);
        assert.equal(moved(movements, 'write_offs'), 0n - writtenOff);
        assert.equal(charged + writtenOff, price);
        assert.equal(available + moved(movements, 'available'), available + held - charged);
        assert.ok(available + moved(movements, 'available') >= 0n);
        assert.ok(!isWanting || available + moved(movements, 'available') === 0n);
        assert.ok(most === undefined || charged <= most);
        if (most === undefined) assert.equal(isWanting, writtenOff > 0n);
      }),
    ));
});
