import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countsOf } from '../../../src/domain/billing/token-counts.ts';
import { estimatedInputTokens } from '../../../src/domain/chat/estimate.ts';
import { chatAnswerText, responsesAnswerText } from '../../../src/domain/chat/produced-text.ts';
import { jsonObjectOf } from '../../../src/domain/json/json-object.ts';
import { countsIn } from '../../support/token-prices.ts';

for (const [usage, expected] of [
  [
    { prompt_tokens: 9, completion_tokens: 3 },
    { fresh: 9, cacheRead: 0, output: 3 },
  ],
  [
    { prompt_tokens: 0, completion_tokens: 0 },
    { fresh: 0, cacheRead: 0, output: 0 },
  ],
  [
    { prompt_tokens: 9, completion_tokens: 3, prompt_tokens_details: { cached_tokens: 8 } },
    { fresh: 1, cacheRead: 8, output: 3 },
  ],
  [
    { prompt_tokens: 9, completion_tokens: 3, prompt_tokens_details: null },
    { fresh: 9, cacheRead: 0, output: 3 },
  ],
  [
    { prompt_tokens: 9, completion_tokens: 3, prompt_tokens_details: { cached_tokens: -1 } },
    { fresh: 9, cacheRead: 0, output: 3 },
  ],
  [{ prompt_tokens: 9 }, undefined],
  [{ prompt_tokens: '9', completion_tokens: 3 }, undefined],
  [{ prompt_tokens: -1, completion_tokens: 3 }, undefined],
  [{ prompt_tokens: 1.5, completion_tokens: 3 }, undefined],
  [{ prompt_tokens: 1e10, completion_tokens: 3 }, undefined],
  [{}, undefined],
  [null, undefined],
  [[], undefined],
  ['9', undefined],
] as const) {
  test(`usage ${JSON.stringify(usage)} is ${JSON.stringify(expected)}`, () =>
    assert.deepEqual(countsIn('chat', usage), expected && countsOf(expected)));
}

test('the usage of responses has its own names', () => {
  const usage = { input_tokens: 7, input_tokens_details: { cached_tokens: 2 }, output_tokens: 5 };
  const expected = { fresh: 5, cacheRead: 2, output: 5 };
  assert.deepEqual(countsIn('responses', usage), countsOf(expected));
});

test('a body that is no JSON object is none', () => {
  for (const text of ['', 'x', '[]', 'null', '1', '{"a":']) assert.equal(jsonObjectOf(Buffer.from(text)), undefined);
  assert.deepEqual(jsonObjectOf(Buffer.from('{"ä":1}')), { ä: 1 });
});

test('the text of whole answers is found in all their places', () => {
  const message = { content: 'a', refusal: null, tool_calls: [{ function: { name: 'f', arguments: '{}' } }] };
  assert.equal(chatAnswerText({ choices: [{ message }, { message: { content: null, refusal: 'no' } }, 7] }), 'af{}no');
  const output = [
    { type: 'reasoning', summary: [{ type: 'summary_text', text: 'think ' }] },
    {
      type: 'message',
      content: [
        { type: 'output_text', text: 'say' },
        { type: 'refusal', refusal: ' no' },
      ],
    },
    { type: 'function_call', name: ' f', arguments: '{}' },
  ];
  assert.equal(responsesAnswerText({ output }), 'think say no f{}');
  assert.equal(responsesAnswerText({}), '');
});

test('the estimate counts half the bytes that are no data URI, and each image', () => {
  assert.equal(estimatedInputTokens(1001, 0, 0), 501);
  assert.equal(estimatedInputTokens(5_000_100, 5_000_000, 2), 50 + 3200);
  assert.equal(estimatedInputTokens(10, 20, 0), 0);
});
