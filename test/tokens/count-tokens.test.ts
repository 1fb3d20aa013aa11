import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countTokens, inputTextOf } from '../../src/chat/count-tokens.ts';

for (const [text, tokens] of [
  ['', 0],
  ['hello world', 2],
  ['你好', 1],
] as const) {
  test(`'${text}' has ${tokens} tokens`, async () => assert.equal(await countTokens(text), tokens));
}

test('special tokens in a text are only text', async () => assert.ok((await countTokens('<|endoftext|>')) > 3));

test('a long text is counted in slices, and beyond the bound extrapolated', async () => {
  const fox = 'The quick brown fox jumps over the lazy dog. ';
  const one = await countTokens(fox.repeat(1000));
  const five = await countTokens(fox.repeat(5000));
  const ten = await countTokens(fox.repeat(10_000));
  assert.ok(Math.abs(five / one - 5) < 0.05 && Math.abs(ten / five - 2) < 0.01, `${one} ${five} ${ten}`);
});

test('texts that are hard on tokenizers let the event loop turn', async () => {
  let turns = 0;
  let isCounting = true;
  const turn = () => {
    turns++;
    if (isCounting) setImmediate(turn);
  };
  setImmediate(turn);
  await countTokens('a'.repeat(100_000));
  await countTokens('\u{1F600}'.repeat(5_000));
  isCounting = false;
  assert.ok(turns > 50, String(turns));
});

test('the input text of a chat body has messages, tool calls and tools, but no images', () => {
  const text = inputTextOf({
    messages: [
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What?' },
          { type: 'image_url', image_url: { url: 'data:XYZ' } },
        ],
      },
      { role: 'assistant', content: null, tool_calls: [{ function: { name: 'look', arguments: '{"at":1}' } }] },
      { role: 'tool', tool_call_id: '1', content: 'a fox' },
    ],
    tools: [{ type: 'function', function: { name: 'look', parameters: {} } }],
  });
  for (const part of ['Be brief.', 'What?', 'look', 'a fox', 'parameters']) assert.ok(text.includes(part), part);
  assert.ok(!text.includes('XYZ'));
});

test('the input text of a responses body has instructions and input, as a text or as items', () => {
  assert.equal(inputTextOf({ instructions: 'Be brief.', input: 'What?' }), 'Be brief.\nWhat?');
  const items = [
    {
      role: 'user',
      content: [
        { type: 'input_text', text: 'What?' },
        { type: 'input_image', image_url: 'data:XYZ' },
      ],
    },
    { type: 'function_call_output', call_id: '1', output: 'a fox' },
  ];
  assert.equal(inputTextOf({ input: items }), 'user\nWhat?\na fox');
  assert.equal(inputTextOf('x'), '');
});
