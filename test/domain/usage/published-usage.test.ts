/** What providers' own usage objects cost by their price lists, to the micro-unit. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { cardFor } from '../../../src/domain/billing/token-card.ts';
import { outputTokens, promptTokens } from '../../../src/domain/billing/token-counts.ts';
import { tokensPrice } from '../../../src/domain/billing/token-lines.ts';
import { toolCallsIn } from '../../../src/domain/usage/tool-calls.ts';
import { isUsage, readUsage } from '../../../src/domain/usage/vendor-usage.ts';
import { publishedUsages } from './published-usage.ts';

describe('the usage of', () => {
  for (const { vendor, what, form, price, usage, tier, output, at, sum, costs, odd = [] } of publishedUsages) {
    test(`${vendor} (${what}) costs ${sum}`, () => {
      assert.ok(isUsage(form, usage));
      const read = readUsage(form, usage, toolCallsIn(output));
      const moment = new Date(at ?? '2026-11-24T12:00:00Z');
      const card = cardFor(price, { inputTokens: promptTokens(read.counts), tier, at: moment });
      const { lines, total } = tokensPrice(card, read.counts);
      assert.equal(total, costs);
      assert.equal(
        lines.reduce((all, { amount }) => all + amount, 0n),
        costs,
      );
      assert.deepEqual(read.odd, odd);
      if (form === 'messages') return;
      const { prompt_tokens: prompt, input_tokens: input } = usage;
      assert.equal(promptTokens(read.counts), prompt ?? input);
      assert.ok(outputTokens(read.counts) >= Number(usage['completion_tokens'] ?? usage['output_tokens']));
    });
  }
});

test('the table has thirty samples of five vendors at least', () => {
  assert.ok(publishedUsages.length >= 30);
  assert.ok(new Set(publishedUsages.map(({ vendor }) => vendor.split(' ')[0])).size >= 5);
});
