/** What holds for every usage, sensible or not, on every price. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  cardFor,
  type RatesByLength,
  type TokenPrice,
  type TokenRates,
} from '../../../src/domain/billing/token-card.ts';
import {
  nothingMeasured,
  outputTokens,
  promptTokens,
  type TokenCounts,
} from '../../../src/domain/billing/token-counts.ts';
import { agreedRate, holdOfCall, tiersFor } from '../../../src/domain/billing/token-hold.ts';
import { miscountedUnit, tokensPrice } from '../../../src/domain/billing/token-lines.ts';
import { readKeptUsage, vendorText } from '../../../src/domain/billing/vendor-text.ts';
import { type Money, micros } from '../../../src/domain/money.ts';
import { isUsage, readUsage, type UsageForm } from '../../../src/domain/usage/vendor-usage.ts';
import { noon } from '../../support/token-prices.ts';

const amount = fc.bigInt({ min: 0n, max: 10n ** 9n }).map((count): Money => micros(count));
const optional = { requiredKeys: [] };
const rates = {
  cachedInputPerMillion: amount,
  cacheWritePerMillion: amount,
  cacheWrite1hPerMillion: amount,
  audioInputPerMillion: amount,
  audioOutputPerMillion: amount,
  imageInputPerMillion: amount,
  imageOutputPerMillion: amount,
  perCall: amount,
  perToolCall: fc.dictionary(fc.constantFrom('web_search', 'file_search'), amount),
  minimum: amount,
};
const partial = fc.record({ inputPerMillion: amount, outputPerMillion: amount, ...rates }, optional);
const above = fc
  .uniqueArray(fc.integer({ min: 1, max: 3000 }), { maxLength: 3 })
  .chain((lengths) =>
    fc.tuple(
      ...lengths
        .sort((a, b) => a - b)
        .map((length) =>
          partial.map((card): TokenRates & { inputTokens: number } => ({ ...card, inputTokens: length })),
        ),
    ),
  );
const byLength = fc.tuple(partial, above).map(([card, long]): RatesByLength => ({ ...card, above: long }));
const minute = fc.integer({ min: 0, max: 1439 });
const price: fc.Arbitrary<TokenPrice> = fc
  .record({
    base: byLength,
    inputPerMillion: amount,
    outputPerMillion: amount,
    serviceTiers: fc.dictionary(fc.constantFrom('flex', 'priority'), byLength),
    batch: byLength,
    hours: fc.array(
      fc.tuple(byLength, minute, minute).map(([card, from, to]) => ({ ...card, from, to, timeZone: 'Asia/Shanghai' })),
      { maxLength: 2 },
    ),
  })
  .map(({ base, ...own }) => ({ ...base, ...own, unit: 'token' as const }));

const odd = fc.oneof(
  { weight: 8, arbitrary: fc.nat(2000) },
  { weight: 1, arbitrary: fc.constantFrom<unknown>(-1, 1.5, null, '7', 1e12, Infinity, [], {}) },
);
const details = fc.record(
  {
    ...{ cached_tokens: odd, cache_write_tokens: odd, cache_creation_input_tokens: odd },
    ...{ text_tokens: odd, audio_tokens: odd, image_tokens: odd, video_tokens: odd, reasoning_tokens: odd },
    cache_creation: fc.record({ ephemeral_5m_input_tokens: odd, ephemeral_1h_input_tokens: odd }, optional),
  },
  optional,
);
const count = fc.nat(4000);
const openAiUsage = (prompt: string, output: string) =>
  fc.record(
    {
      ...{ [prompt]: count, [output]: count, total_tokens: odd, cached_tokens: odd, new_tokens: odd },
      ...{ prompt_cache_hit_tokens: odd, prompt_cache_miss_tokens: odd, reasoning_tokens: odd },
      ...{ [`${prompt}_details`]: details, [`${output}_details`]: details },
      server_tool_use: fc.record({ web_search_requests: fc.nat(3) }, optional),
    },
    { requiredKeys: [prompt, output] as never[] },
  );
const messageParts = {
  ...{ input_tokens: count, output_tokens: count, cache_read_input_tokens: odd, cache_creation_input_tokens: odd },
  cache_creation: fc.record({ ephemeral_5m_input_tokens: odd, ephemeral_1h_input_tokens: odd }, optional),
};
const required = { requiredKeys: ['input_tokens', 'output_tokens'] as ('input_tokens' | 'output_tokens')[] };
const messagesUsage = fc.record(
  {
    ...messageParts,
    output_tokens_details: fc.record({ thinking_tokens: odd }, optional),
    iterations: fc.array(
      fc.record(
        {
          ...messageParts,
          type: fc.constantFrom('message', 'compaction', 'advisor_message', 'fallback_message', 'new'),
        },
        required,
      ),
      { maxLength: 4 },
    ),
    server_tool_use: fc.record({ web_search_requests: odd }, optional),
  },
  required,
);
const usage: fc.Arbitrary<{ form: UsageForm; usage: Record<string, unknown> }> = fc.oneof(
  openAiUsage('prompt_tokens', 'completion_tokens').map((one) => ({
    form: 'chat' as const,
    usage: one,
  })),
  openAiUsage('input_tokens', 'output_tokens').map((one) => ({
    form: 'responses' as const,
    usage: one,
  })),
  messagesUsage.map((one) => ({ form: 'messages' as const, usage: one })),
);
const tier = fc.constantFrom(undefined, 'default', 'flex', 'priority', 'batch', 'unheard_of');
const numbersIn = ({ toolCalls, ...counts }: TokenCounts) => [
  ...Object.values<number>(counts),
  ...Object.values(toolCalls),
];

describe('for every usage', () => {
  test('the counts are whole numbers from 0, and their parts make the whole prompt and at least the whole output', () => {
    fc.assert(
      fc.property(usage, ({ form, usage: one }) => {
        if (!isUsage(form, one)) return;
        const { counts } = readUsage(form, one);
        assert.ok(numbersIn(counts).every((number) => Number.isSafeInteger(number) && number >= 0));
        assert.ok(counts.reasoning <= counts.output);
        if (form === 'messages') return;
        const [prompt, output] =
          form === 'chat' ? ['prompt_tokens', 'completion_tokens'] : ['input_tokens', 'output_tokens'];
        assert.equal(promptTokens(counts), one[prompt]);
        assert.ok(outputTokens(counts) >= Number(one[output]));
      }),
    );
  });

  test('the lines add up to the total, none is negative, and the text that is kept gives the same counts again', () => {
    fc.assert(
      fc.property(usage, price, tier, ({ form, usage: one }, each, served) => {
        if (!isUsage(form, one)) return;
        const { counts } = readUsage(form, one, { file_search: 2 });
        const card = cardFor(each, { inputTokens: promptTokens(counts), tier: served, at: noon });
        const { lines, total } = tokensPrice(card, counts);
        assert.equal(
          lines.reduce((sum, { amount: of }) => sum + of, 0n),
          total,
        );
        assert.ok(lines.every(({ amount: of, units }) => of >= 0n && units >= 0));
        const kept = readKeptUsage(vendorText({ form, usage: one, toolCalls: { file_search: 2 } }));
        assert.ok(typeof kept === 'object');
        assert.equal(miscountedUnit(lines, readUsage(kept.form, kept.usage, kept.toolCalls).counts), undefined);
      }),
    );
  });

  test('an answer that keeps to its request costs no more than is held, and any other no rate that was not agreed', () => {
    fc.assert(
      fc.property(
        usage,
        price,
        tier,
        fc.constantFrom(undefined, 'auto', 'flex', 'priority'),
        ({ form, usage: one }, each, served, asked) => {
          if (!isUsage(form, one)) return;
          const { counts } = readUsage(form, one, { file_search: 2 });
          const tiers = tiersFor(each, asked);
          const hold = holdOfCall(each, {
            ...{ input: promptTokens(counts), output: outputTokens(counts), tiers, at: noon },
            ...{
              hasAudioInput: true,
              hasImageInput: true,
              hasCacheWrite1h: true,
              hasAudioOutput: true,
              hasImageOutput: true,
            },
            measured: nothingMeasured,
            toolCalls: counts.toolCalls,
          });
          const card = cardFor(each, { inputTokens: promptTokens(counts), tier: served, at: noon });
          const { lines, total } = tokensPrice(card, counts);
          const keepsToIt = served === undefined || served === 'default' || tiers.includes(served);
          if (keepsToIt) assert.ok(total <= hold.total, `${total} of ${hold.total}`);
          for (const line of lines)
            if (line.unit !== 'minimum_charge')
              assert.ok(line.pricePerMillion <= agreedRate(hold.lines, line), line.unit);
        },
      ),
    );
  });
});
