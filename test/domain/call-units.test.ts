/** What calls are charged by besides tokens: the lines of their holds and prices, and what their entries sell. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TokenPrice } from '../../src/domain/billing/token-card.ts';
import { countsOf, nothingMeasured, type TokenCounts } from '../../src/domain/billing/token-counts.ts';
import { agreedRate } from '../../src/domain/billing/token-hold.ts';
import { miscountedUnit, type TokenLine, unitsSold } from '../../src/domain/billing/token-lines.ts';
import { micros } from '../../src/domain/money.ts';
import { countsIn, holdOfBounds, priceOfCounts } from '../support/token-prices.ts';

const money = (amount: number) => micros(BigInt(Math.round(amount * 1e6)));
const priceOf = (rates: Omit<TokenPrice, 'unit'>): TokenPrice => ({ unit: 'token', ...rates });
const shortOf = (lines: readonly TokenLine[]) => lines.map(({ unit, units, amount }) => [unit, units, amount]);

const rows: readonly (readonly [string, TokenPrice, Partial<TokenCounts>, unknown[]])[] = [
  [
    'embeddings, by the tokens that were read',
    priceOf({ inputPerMillion: money(0.5) }),
    { fresh: 1000 },
    [['input_token', 1000, 500n]],
  ],
  [
    'speech, by the million characters',
    priceOf({ perMillionCharacters: money(15) }),
    { characters: 11 },
    [['character', 11, 165n]],
  ],
  ['a transcription, by the second', priceOf({ perSecond: money(0.0001) }), { seconds: 61 }, [['second', 61, 6_100n]]],
  ['a ranking, by the search', priceOf({ perSearch: money(0.002) }), { searches: 2 }, [['search', 2, 4_000n]]],
  ['a moderation, by the call', priceOf({ perCall: money(0.001) }), {}, [['call', 1, 1_000n]]],
  ['a call that is free', priceOf({ perCall: money(0) }), {}, [['call', 1, 0n]]],
  [
    'tokens that are no part of the price',
    priceOf({ perSearch: money(0.002) }),
    { searches: 1, fresh: 7 },
    [
      ['search', 1, 2_000n],
      ['input_token', 7, 0n],
    ],
  ],
  [
    'a minimum',
    priceOf({ perSearch: money(0.002), minimum: money(0.01) }),
    { searches: 1 },
    [
      ['search', 1, 2_000n],
      ['minimum_charge', 1, 8_000n],
    ],
  ],
];

describe('the lines of a price are those of', () => {
  for (const [what, price, counts, lines] of rows) {
    test(what, () => {
      const priced = priceOfCounts(price, counts);
      assert.deepEqual(shortOf(priced.lines), lines);
      const { characters, seconds, searches } = { ...nothingMeasured, ...counts };
      const measured = { characters, seconds, searches };
      const held = holdOfBounds(price, { input: counts.fresh ?? 0, measured });
      assert.ok(held.total >= priced.total, 'the hold covers the price');
      for (const line of priced.lines)
        if (line.unit !== 'minimum_charge') assert.ok(line.pricePerMillion <= agreedRate(held.lines, line), line.unit);
      assert.equal(unitsSold(priced.lines).unit, unitsSold(held.lines).unit);
    });
  }
});

test('an entry sells what its call is charged by', () => {
  const soldAt = (price: TokenPrice, counts: Partial<TokenCounts>) => unitsSold(priceOfCounts(price, counts).lines);
  assert.deepEqual(soldAt(priceOf({ inputPerMillion: money(1) }), { fresh: 5, cacheRead: 2 }), {
    unit: 'token',
    units: 7,
  });
  assert.deepEqual(soldAt(priceOf({ perSecond: money(1) }), { seconds: 5, fresh: 9 }), { unit: 'second', units: 5 });
  assert.deepEqual(soldAt(priceOf({ perCall: money(1) }), { fresh: 9 }), { unit: 'call', units: 1 });
});

test('a usage of what was read is read by whichever count it has', () => {
  const read = (usage: object) => {
    const counts = countsIn('input', usage);
    return counts && [counts.fresh, counts.output, counts.searches];
  };
  assert.deepEqual(read({ prompt_tokens: 5, total_tokens: 5 }), [5, 0, 0]);
  assert.deepEqual(read({ total_tokens: 7 }), [7, 0, 0]);
  assert.deepEqual(read({ input_tokens: 3 }), [3, 0, 0]);
  assert.deepEqual(read({ search_units: 2 }), [0, 0, 2]);
  assert.deepEqual(read({ prompt_tokens: 5, completion_tokens: 1, total_tokens: 6 }), [5, 1, 0]);
  assert.equal(read({ prompt_tokens: -1 }), undefined);
  assert.equal(read({}), undefined);
  assert.equal(countsIn('input', { prompt_tokens: 9, prompt_tokens_details: { image_tokens: 4 } })?.imageIn, 4);
});

test('lines are compared with what a usage counts, and not with what it leaves to the gateway', () => {
  const { lines } = priceOfCounts(priceOf({ perSearch: money(1) }), { searches: 2 });
  assert.equal(miscountedUnit(lines, countsOf({ searches: 2 })), undefined);
  assert.equal(miscountedUnit(lines, countsOf({})), undefined);
  assert.equal(miscountedUnit(lines, countsOf({ searches: 3 })), 'search');
});
