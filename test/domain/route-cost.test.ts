/** What calls and tasks cost the operator: by the route's card, by what the provider states, and in another currency. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { TokenPrice } from '../../src/domain/billing/token-card.ts';
import { countsOf } from '../../src/domain/billing/token-counts.ts';
import type { RouteCost } from '../../src/domain/catalogue.ts';
import { costOfCall, costOfTask } from '../../src/domain/billing/route-cost.ts';
import { statedDollars } from '../../src/domain/billing/stated-cost.ts';
import { micros, parseAmount, roundedHalfUp, amountText, zero } from '../../src/domain/money.ts';
import { noon } from '../support/token-prices.ts';

const money = (text: string) => parseAmount(text) ?? assert.fail(text);
const card: TokenPrice = {
  unit: 'token',
  inputPerMillion: money('2'),
  outputPerMillion: money('8'),
  cachedInputPerMillion: money('0.5'),
  above: [{ inputTokens: 200_000, inputPerMillion: money('4') }],
  serviceTiers: { flex: { inputPerMillion: money('1'), outputPerMillion: money('4') } },
  hours: [{ from: 0, to: 8 * 60, timeZone: 'UTC', outputPerMillion: money('2') }],
};
const night = new Date('2026-11-24T03:00:00Z');
const counts = countsOf({ fresh: 1_000, cacheRead: 2_000, output: 500 });
const ofCall = (
  route: RouteCost | undefined,
  more: { usage?: object; tier?: string; at?: Date; counts?: typeof counts } = {},
) => costOfCall(route, { counts, tier: undefined, at: noon, usage: undefined, ...more });

describe('a call costs', () => {
  test("what its route's card says of its counts", () => {
    const vendor = { amount: '0.007', currency: 'CNY', source: 'route' };
    assert.deepEqual(ofCall({ currency: 'CNY', card }), { cost: 7_000n, vendor });
  });

  for (const [what, more, amount] of [
    ['the tier of the answer', { tier: 'flex' }, '0.004'],
    ['the hour of its admission', { at: night }, '0.004'],
    ['the length of its prompt', { counts: countsOf({ fresh: 200_000 }) }, '0.8'],
  ] as const) {
    test(`what the card says for ${what}`, () => {
      assert.equal(ofCall({ currency: 'CNY', card }, more)?.vendor.amount, amount);
    });
  }

  test('the amount times the rate, rounded once', () => {
    const vendor = { amount: '0.007', currency: 'USD', rate: '7.123456789', source: 'route' };
    assert.deepEqual(ofCall({ currency: 'USD', rate: '7.123456789', card }), { cost: 49_864n, vendor });
  });

  test('what the provider states, whatever the card says', () => {
    const vendor = { amount: '0.0037756', currency: 'USD', rate: '7.1', source: 'vendor' };
    const usage = { cost_in_usd_ticks: 37_756_000 };
    assert.deepEqual(ofCall({ currency: 'USD', rate: '7.1', card }, { usage }), { cost: 26_807n, vendor });
    assert.deepEqual(ofCall({ currency: 'USD', rate: '7.1' }, { usage }), { cost: 26_807n, vendor });
  });

  test('what the card says, where dollars that are stated can not be converted', () => {
    assert.equal(ofCall({ currency: 'EUR', rate: '8', card }, { usage: { cost: 1 } })?.vendor.source, 'route');
  });

  test('what is not known without a cost of its route, or with one that is only stated and is not', () => {
    assert.equal(ofCall(undefined, { usage: { cost: 1 } }), undefined);
    assert.equal(ofCall({ currency: 'USD', rate: '7' }, { usage: { cost: '1' } }), undefined);
    assert.equal(ofCall({ currency: 'USD', rate: '7' }), undefined);
  });

  test('amount times rate to half a micro-unit, whatever both are', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 10n ** 14n), fc.bigInt(1n, 10n ** 12n), (amount, rate) => {
        const cost = costOfTask(
          {
            price: { unit: 'image', perImage: micros(amount), minimum: zero },
            ...{ currency: 'USD', rate: amountText(micros(rate)) },
          },
          { images: 1 },
        );
        assert.equal(cost?.cost, roundedHalfUp(amount * rate, 1_000_000n));
      }),
    );
  });
});

describe('a task costs', () => {
  test('what the card of its route says of what was made', () => {
    const price = {
      unit: 'second',
      perSecond: money('0.3'),
      byResolution: { '1080p': money('0.5') },
      minimum: zero,
    } as const;
    const output = { durationMs: 5_000, pixels: { width: 1920, height: 1080 } };
    assert.deepEqual(costOfTask({ price, currency: 'CNY' }, output), {
      cost: 2_500_000n,
      vendor: { amount: '2.5', currency: 'CNY', source: 'route' },
    });
  });

  test('what is not known without one', () => {
    assert.equal(costOfTask(undefined, { images: 2 }), undefined);
  });
});

describe('a usage states in dollars', () => {
  for (const [usage, dollars] of [
    [{ cost: 0.95, prompt_tokens: 194 }, '0.95'],
    [{ cost: 0 }, '0'],
    [{ cost: 0.00014 }, '0.00014'],
    [{ cost: 1.4e-7 }, '0.00000014'],
    [{ cost: 12_345.678901 }, '12345.678901'],
    // The operator's own key: the fee, and what the provider behind takes.
    [{ cost: 0.95, is_byok: true, cost_details: { upstream_inference_cost: 19 } }, '19.95'],
    [{ cost: 0.95, is_byok: false, cost_details: { upstream_inference_cost: 0.9 } }, '0.95'],
    [{ cost_in_usd_ticks: 200_000_000 }, '0.02'],
    [{ cost_in_usd_ticks: 1 }, '0.0000000001'],
    [{ cost_in_usd_ticks: 123_456_789_012_345, cost: 1 }, '12345.6789012345'],
    [{ cost: { total_cost: 1 } }, undefined],
    [{ cost: -1 }, undefined],
    [{ cost: '0.1' }, undefined],
    [{ cost: 1e9 }, undefined],
    [{ cost_in_usd_ticks: 0.5 }, undefined],
    [{ prompt_tokens: 1 }, undefined],
    [undefined, undefined],
  ] as const) {
    test(`${JSON.stringify(usage)}: ${dollars ?? 'nothing'}`, () => {
      assert.equal(statedDollars(usage), dollars);
    });
  }
});
