import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../../src/domain/json/json-object.ts';
import { GatewayError } from '../../../src/domain/errors.ts';
import { parseChatRequest } from '../../../src/domain/requests/chat-request.ts';
import { chatRequestOfResponses } from '../../../src/domain/translate/responses-to-chat.ts';

const hi = { role: 'user', content: 'Hi' };
const base = { model: 'm', input: 'Hi' };
const chat = { model: 'm', messages: [hi] };
const tool = { type: 'function', name: 'weather', parameters: { type: 'object' } };
const chatTool = { type: 'function', function: { name: 'weather', parameters: { type: 'object' } } };
const call = (id: string) => ({ type: 'function_call', call_id: id, name: 'weather', arguments: '{"city":"Rome"}' });
const chatCall = (id: string) => ({
  id,
  type: 'function',
  function: { name: 'weather', arguments: '{"city":"Rome"}' },
});
const output = (id: string, said: unknown) => ({ type: 'function_call_output', call_id: id, output: said });
const input = (...items: readonly JsonObject[]) => ({ input: [hi, ...items] });
const messages = (...said: readonly JsonObject[]) => ({ messages: [hi, ...said] });
const image = { type: 'input_image', image_url: 'https://example.com/a.png', detail: 'low' };
const chatImage = { type: 'image_url', image_url: { url: 'https://example.com/a.png', detail: 'low' } };

const carried: readonly (readonly [name: string, more: JsonObject, chat: JsonObject])[] = [
  ['a question', {}, {}],
  ['a stream', { stream: true }, { stream: true, stream_options: { include_usage: true } }],
  [
    'limits and sampling',
    { max_output_tokens: 50, temperature: 1.5, top_p: 0.5, user: 'u' },
    { max_tokens: 50, temperature: 1.5, top_p: 0.5, user: 'u' },
  ],
  ['a safety identifier as the user', { safety_identifier: 's' }, { user: 's' }],
  [
    'what asks for nothing',
    {
      ...{ store: false, background: false, truncation: 'disabled', service_tier: 'auto', top_logprobs: 0 },
      ...{ include: ['reasoning.encrypted_content'], prompt_cache_key: 'k', client_metadata: { a: 'b' } },
      ...{ metadata: { a: 'b' }, stream_options: { include_obfuscation: false }, previous_response_id: null },
    },
    {},
  ],
  ['reasoning', { reasoning: { effort: 'high', summary: 'auto' } }, { reasoning_effort: 'high' }],
  ['verbosity', { text: { verbosity: 'low', format: { type: 'text' } } }, { verbosity: 'low' }],
  ['JSON', { text: { format: { type: 'json_object' } } }, { response_format: { type: 'json_object' } }],
  [
    'a schema',
    { text: { format: { type: 'json_schema', name: 'n', schema: { type: 'object' }, strict: true } } },
    {
      response_format: { type: 'json_schema', json_schema: { name: 'n', schema: { type: 'object' }, strict: true } },
    },
  ],
  [
    'instructions and the developer messages behind them, as one',
    {
      instructions: 'You are Codex.',
      input: [
        { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'Sandboxed.' }] },
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] },
        { type: 'message', role: 'developer', content: 'Later.' },
      ],
    },
    {
      messages: [
        { role: 'system', content: 'You are Codex.\n\nSandboxed.' },
        hi,
        { role: 'system', content: 'Later.' },
      ],
    },
  ],
  [
    'images',
    { input: [{ role: 'user', content: [{ type: 'input_text', text: 'What?' }, image] }] },
    { messages: [{ role: 'user', content: [{ type: 'text', text: 'What?' }, chatImage] }] },
  ],
  [
    'a tool loop: reasoning, text and parallel calls of one turn are one message',
    input(
      { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm.' }], encrypted_content: null },
      {
        type: 'message',
        id: 'msg_1',
        status: 'completed',
        role: 'assistant',
        phase: 'commentary',
        content: [{ type: 'output_text', text: 'I look.', annotations: [], logprobs: [] }],
      },
      { ...call('a'), id: 'fc_1', status: 'completed' },
      call('b'),
      output('a', 'sunny'),
      output('b', [{ type: 'input_text', text: 'rainy' }, image]),
      hi,
    ),
    messages(
      { role: 'assistant', content: 'I look.', reasoning_content: 'Hm.', tool_calls: [chatCall('a'), chatCall('b')] },
      { role: 'tool', tool_call_id: 'a', content: 'sunny' },
      { role: 'tool', tool_call_id: 'b', content: 'rainy' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Images of the result of tool call b:' },
          chatImage,
          { type: 'text', text: 'Hi' },
        ],
      },
    ),
  ],
  [
    'calls that are answered one by one',
    input(call('a'), output('a', 'x'), call('b'), output('b', [image])),
    messages(
      { role: 'assistant', content: null, tool_calls: [chatCall('a')] },
      { role: 'tool', tool_call_id: 'a', content: 'x' },
      { role: 'assistant', content: null, tool_calls: [chatCall('b')] },
      { role: 'tool', tool_call_id: 'b', content: 'The result is in the images that follow.' },
      { role: 'user', content: [{ type: 'text', text: 'Images of the result of tool call b:' }, chatImage] },
    ),
  ],
  [
    'a refusal of the assistant',
    input({ role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] }, hi),
    messages({ role: 'assistant', content: null, refusal: 'No.' }, hi),
  ],
  [
    'tools',
    {
      tools: [{ ...tool, description: 'd', strict: false, defer_loading: false }],
      tool_choice: 'required',
      parallel_tool_calls: false,
    },
    {
      tools: [{ type: 'function', function: { ...chatTool.function, description: 'd', strict: false } }],
      tool_choice: 'required',
      parallel_tool_calls: false,
    },
  ],
  ['parallel calls, which is the default', { tools: [tool], parallel_tool_calls: true }, { tools: [chatTool] }],
  ['choices about no tools', { tools: [], tool_choice: 'auto', parallel_tool_calls: false }, {}],
  [
    'a tool by its name',
    { tools: [tool], tool_choice: { type: 'function', name: 'weather' } },
    { tools: [chatTool], tool_choice: { type: 'function', function: { name: 'weather' } } },
  ],
  [
    'tools in a namespace, and their calls, under both names',
    {
      tools: [{ type: 'namespace', name: 'files', description: 'Files.', tools: [{ ...tool, name: 'read' }] }],
      ...input({ ...call('a'), name: 'read', namespace: 'files' }, output('a', 'x')),
    },
    {
      tools: [{ type: 'function', function: { ...chatTool.function, name: 'files__read', description: 'Files.' } }],
      ...messages(
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ ...chatCall('a'), function: { name: 'files__read', arguments: '{"city":"Rome"}' } }],
        },
        { role: 'tool', tool_call_id: 'a', content: 'x' },
      ),
    },
  ],
];

for (const [name, more, changes] of carried) {
  test(`carried to chat: ${name}`, () => {
    const translated = chatRequestOfResponses({ ...base, ...more });
    assert.deepEqual(translated, { ...chat, ...changes });
    // It is a request that the gateway itself takes.
    assert.equal(parseChatRequest(translated).model, 'm');
  });
}

const item = (value: JsonObject) => ({ input: [value] });
const part = (value: JsonObject) => item({ role: 'user', content: [value] });
const refused: readonly (readonly [param: string, more: JsonObject])[] = [
  ['model', { model: null }],
  ['input', { input: [] }],
  ['input', { input: null }],
  ['input[0].type', item({ type: 'item_reference', id: 'x' })],
  ['input[0].type', item({ type: 'web_search_call', id: 'x' })],
  ['input[0].type', item({ type: 'local_shell_call', call_id: 'x' })],
  ['input[0].type', item({ type: 'custom_tool_call', call_id: 'x' })],
  ['input[0].type', item({ type: 'additional_tools', tools: [] })],
  ['input[0].encrypted_content', item({ type: 'reasoning', summary: [], encrypted_content: 'gAAA' })],
  ['input[0].role', item({ role: 'tool', content: 'x' })],
  ['input[0].content', item({ role: 'user' })],
  ['input[0].content[0].type', part({ type: 'input_file', file_id: 'f' })],
  ['input[0].content[0].type', part({ type: 'input_audio' })],
  ['input[0].content[0].file_id', part({ type: 'input_image', file_id: 'f' })],
  ['input[0].content', item({ role: 'developer', content: [image] })],
  ['input[0].caller.type', item({ ...call('a'), caller: { type: 'program', caller_id: 'x' } })],
  ['input[0].new_field', item({ ...hi, new_field: 1 })],
  ['previous_response_id', { previous_response_id: 'resp_1' }],
  ['conversation', { conversation: 'c' }],
  ['prompt', { prompt: { id: 'p' } }],
  ['store', { store: true }],
  ['background', { background: true }],
  ['truncation', { truncation: 'auto' }],
  ['service_tier', { service_tier: 'flex' }],
  ['top_logprobs', { top_logprobs: 3 }],
  ['max_tool_calls', { max_tool_calls: 3 }],
  ['max_output_tokens', { max_output_tokens: 0 }],
  ['include[1]', { include: ['reasoning.encrypted_content', 'message.output_text.logprobs'] }],
  ['reasoning.effort', { reasoning: { effort: 'extreme' } }],
  ['text.format.type', { text: { format: { type: 'grammar' } } }],
  ['text.format.schema', { text: { format: { type: 'json_schema', name: 'n' } } }],
  ['tools[0].type', { tools: [{ type: 'web_search' }] }],
  ['tools[0].type', { tools: [{ type: 'local_shell' }] }],
  ['tools[0].type', { tools: [{ type: 'custom', name: 'apply_patch', format: {} }] }],
  ['tools[0].tools[0].type', { tools: [{ type: 'namespace', name: 'n', tools: [{ type: 'custom', name: 'x' }] }] }],
  ['tools[0].defer_loading', { tools: [{ ...tool, defer_loading: true }] }],
  ['tool_choice', { tool_choice: 'required' }],
  ['tool_choice.type', { tools: [tool], tool_choice: { type: 'allowed_tools' } }],
  ['a_new_field', { a_new_field: 1 }],
];

for (const [param, more] of refused) {
  test(`refused by its path: ${param} of ${JSON.stringify(more).slice(0, 120)}`, () =>
    assert.throws(
      () => chatRequestOfResponses({ ...base, ...more }),
      (error: unknown) => {
        assert.ok(error instanceof GatewayError);
        assert.equal(error.param, param);
        assert.match(error.code, /^(invalid|missing)_parameter$/);
        assert.match(error.message, /must|needs/);
        return true;
      },
    ));
}
