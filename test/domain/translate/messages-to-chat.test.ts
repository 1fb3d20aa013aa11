import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../../src/domain/json/json-object.ts';
import { GatewayError } from '../../../src/domain/errors.ts';
import { parseChatRequest } from '../../../src/domain/requests/chat-request.ts';
import { chatRequestOfMessages } from '../../../src/domain/translate/messages-to-chat.ts';

const hi = { role: 'user', content: 'Hi' };
const base = { model: 'm', max_tokens: 100, messages: [hi] };
const chat = { model: 'm', max_tokens: 100, messages: [hi] };
const tool = { name: 'weather', input_schema: { type: 'object' } };
const chatTool = { type: 'function', function: { name: 'weather', parameters: { type: 'object' } } };
const use = { type: 'tool_use', id: 'call_a', name: 'weather', input: { city: 'Rome' } };
const chatCall = { id: 'call_a', type: 'function', function: { name: 'weather', arguments: '{"city":"Rome"}' } };
const png = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } };
const chatPng = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } };
const cache = { cache_control: { type: 'ephemeral' } };
const turns = (...messages: readonly JsonObject[]) => ({ messages: [hi, ...messages] });
const called = { role: 'assistant', content: [use] };
const chatCalled = { role: 'assistant', content: null, tool_calls: [chatCall] };
const result = (more: JsonObject) => ({ type: 'tool_result', tool_use_id: 'call_a', ...more });
const answered = (...blocks: readonly JsonObject[]) => turns(called, { role: 'user', content: blocks });
const results = (...messages: readonly JsonObject[]) => ({ messages: [hi, chatCalled, ...messages] });
const asTool = (content: string) => ({ role: 'tool', tool_call_id: 'call_a', content });

const carried: readonly (readonly [name: string, more: JsonObject, chat: JsonObject])[] = [
  ['a question', {}, {}],
  ['a stream', { stream: true }, { stream: true, stream_options: { include_usage: true } }],
  ['nulls', { stream: null, system: null, tools: null, thinking: null, container: null }, {}],
  ['temperature and top_p', { temperature: 0.5, top_p: 0.9 }, { temperature: 0.5, top_p: 0.9 }],
  ['stop sequences', { stop_sequences: ['a', 'b'] }, { stop: ['a', 'b'] }],
  ['no stop sequences', { stop_sequences: [] }, {}],
  ['the user', { metadata: { user_id: 'u'.repeat(100) } }, { user: 'u'.repeat(64) }],
  ['a system text', { system: 'Be brief.' }, { messages: [{ role: 'system', content: 'Be brief.' }, hi] }],
  [
    'system blocks, the marks for caches left out',
    {
      system: [
        { type: 'text', text: 'a', ...cache },
        { type: 'text', text: 'b' },
      ],
      ...cache,
    },
    { messages: [{ role: 'system', content: 'a\nb' }, hi] },
  ],
  [
    'a system message later on',
    turns({ role: 'system', content: [{ type: 'text', text: 'Be brief.' }] }, hi),
    { messages: [hi, { role: 'system', content: 'Be brief.' }, hi] },
  ],
  [
    'text blocks as one text',
    {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'a', ...cache },
            { type: 'text', text: 'b' },
          ],
        },
      ],
    },
    { messages: [{ role: 'user', content: 'a\nb' }] },
  ],
  [
    'images among texts, in their order',
    {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'a' },
            { ...png, ...cache },
            { type: 'text', text: 'b' },
            { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
          ],
        },
      ],
    },
    {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'a' },
            chatPng,
            { type: 'text', text: 'b' },
            { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
          ],
        },
      ],
    },
  ],
  [
    'tools',
    {
      tools: [
        { ...tool, type: 'custom', description: 'd', strict: true, eager_input_streaming: true, ...cache },
        { ...tool, name: 'now', defer_loading: false, allowed_callers: ['direct'] },
      ],
    },
    {
      tools: [
        { type: 'function', function: { ...chatTool.function, description: 'd', strict: true } },
        { type: 'function', function: { ...chatTool.function, name: 'now' } },
      ],
    },
  ],
  ['tool_choice auto', { tools: [tool], tool_choice: { type: 'auto' } }, { tools: [chatTool], tool_choice: 'auto' }],
  ['tool_choice any', { tools: [tool], tool_choice: { type: 'any' } }, { tools: [chatTool], tool_choice: 'required' }],
  ['tool_choice none', { tools: [tool], tool_choice: { type: 'none' } }, { tools: [chatTool], tool_choice: 'none' }],
  [
    'tool_choice tool, one at a time',
    { tools: [tool], tool_choice: { type: 'tool', name: 'weather', disable_parallel_tool_use: true } },
    {
      tools: [chatTool],
      tool_choice: { type: 'function', function: { name: 'weather' } },
      parallel_tool_calls: false,
    },
  ],
  ['tool_choice without tools', { tools: [], tool_choice: { type: 'auto' } }, {}],
  ['a result', answered(result({ content: 'sunny', is_error: false, ...cache })), results(asTool('sunny'))],
  ['an empty result', answered(result({})), results(asTool(''))],
  ['a failed result', answered(result({ content: 'no', is_error: true })), results(asTool('The tool failed:\nno'))],
  [
    'a result of blocks, and a text',
    answered(
      { type: 'text', text: 'Go on.' },
      result({
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      }),
    ),
    results(asTool('a\nb'), { role: 'user', content: 'Go on.' }),
  ],
  [
    'images of results behind all results',
    turns(
      { role: 'assistant', content: [use, { ...use, id: 'call_b' }] },
      {
        role: 'user',
        content: [
          result({ content: [png] }),
          result({ tool_use_id: 'call_b', content: [{ type: 'text', text: 'b' }] }),
          { type: 'text', text: 'Go on.' },
        ],
      },
    ),
    {
      messages: [
        hi,
        { role: 'assistant', content: null, tool_calls: [chatCall, { ...chatCall, id: 'call_b' }] },
        asTool('The result is in the images that follow.'),
        { role: 'tool', tool_call_id: 'call_b', content: 'b' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Images of the result of tool call call_a:' },
            chatPng,
            { type: 'text', text: 'Go on.' },
          ],
        },
      ],
    },
  ],
  [
    'thoughts, texts and calls of one turn',
    turns(
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm.', signature: '' },
          { type: 'text', text: 'I look.', citations: null },
          { ...use, caller: { type: 'direct' } },
        ],
      },
      { role: 'user', content: [result({ content: 'sunny' })] },
    ),
    {
      messages: [
        hi,
        { role: 'assistant', content: 'I look.', reasoning_content: 'Hm.', tool_calls: [chatCall] },
        asTool('sunny'),
      ],
    },
  ],
  ['thinking', { thinking: { type: 'enabled', budget_tokens: 2000, display: 'summarized' } }, {}],
  [
    'adaptive thinking with an effort, as Claude Code asks for it',
    {
      thinking: { type: 'adaptive' },
      output_config: { effort: 'high' },
      context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
      service_tier: 'auto',
      speed: 'standard',
      diagnostics: { previous_message_id: null },
    },
    { reasoning_effort: 'high' },
  ],
  [
    'a schema for the output',
    { output_config: { format: { type: 'json_schema', schema: { type: 'object' } } } },
    {
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'output', schema: { type: 'object' }, strict: true },
      },
    },
  ],
];

for (const [name, more, changes] of carried) {
  test(`carried to chat: ${name}`, () => {
    const translated = chatRequestOfMessages({ ...base, ...more });
    assert.deepEqual(translated, { ...chat, ...changes });
    // It is a request that the gateway itself takes.
    assert.equal(parseChatRequest(translated).maxOutputTokens, 100);
  });
}

const block = (value: JsonObject) => ({ messages: [{ role: 'user', content: [value] }] });
const said = (value: JsonObject) => turns({ role: 'assistant', content: [value] }, hi);
const refused: readonly (readonly [param: string, more: JsonObject])[] = [
  ['model', { model: null }],
  ['max_tokens', { max_tokens: null }],
  ['max_tokens', { max_tokens: 0 }],
  ['messages', { messages: [] }],
  ['messages[0].role', { messages: [{ role: 'tool', content: 'x' }] }],
  ['messages[0].content', { messages: [{ role: 'user' }] }],
  ['messages[0].content', { messages: [{ role: 'user', content: 7 }] }],
  ['messages[0].name', { messages: [{ ...hi, name: 'x' }] }],
  ['messages[1]', turns({ role: 'assistant', content: 'The answer is' })],
  ['messages[0].content[0].type', block({ type: 'document', source: {} })],
  ['messages[0].content[0].type', block({ type: 'search_result' })],
  ['messages[0].content[0].type', block({ type: 'container_upload', file_id: 'f' })],
  ['messages[0].content[0].type', block({ type: 'web_search_tool_result' })],
  ['messages[0].content[0].source.type', block({ type: 'image', source: { type: 'file', file_id: 'f' } })],
  ['messages[0].content[0].transformations', block({ ...png, transformations: {} })],
  ['messages[0].content[0].citations', block({ type: 'text', text: 'a', citations: [{}] })],
  ['messages[0].content[0].new_field', block({ type: 'text', text: 'a', new_field: 1 })],
  ['messages[1].content[0].signature', said({ type: 'thinking', thinking: 'a', signature: 'EqQB' })],
  ['messages[1].content[0].type', said({ type: 'redacted_thinking', data: 'x' })],
  ['messages[1].content[0].type', said({ type: 'server_tool_use', id: 's', name: 'web_search', input: {} })],
  ['messages[1].content[0].type', said({ type: 'mcp_tool_use', id: 's', name: 'x', input: {} })],
  ['messages[1].content[0].caller', said({ ...use, caller: { type: 'code_execution_20250825' } })],
  ['messages[2].content[0].content[0].type', answered(result({ content: [{ type: 'document' }] }))],
  ['messages[2].content[0].toolset_name', answered(result({ toolset_name: 'x' }))],
  ['system[0].type', { system: [{ type: 'image' }] }],
  ['tools[0].type', { tools: [{ type: 'web_search_20250305', name: 'web_search' }] }],
  ['tools[0].type', { tools: [{ type: 'bash_20250124', name: 'bash' }] }],
  ['tools[0].input_schema', { tools: [{ name: 'x' }] }],
  ['tools[0].defer_loading', { tools: [{ ...tool, defer_loading: true }] }],
  ['tools[0].allowed_callers', { tools: [{ ...tool, allowed_callers: ['code_execution_20250825'] }] }],
  ['tools[0].input_examples', { tools: [{ ...tool, input_examples: [{}] }] }],
  ['tool_choice', { tool_choice: { type: 'any' } }],
  ['tool_choice.type', { tool_choice: { type: 'required' } }],
  ['stop_sequences', { stop_sequences: ['a', 'b', 'c', 'd', 'e'] }],
  ['thinking.type', { thinking: { type: 'between_tools' } }],
  ['output_config.effort', { output_config: { effort: 'extreme' } }],
  ['output_config.task_budget', { output_config: { task_budget: {} } }],
  ['metadata.session', { metadata: { session: 'x' } }],
  ['top_k', { top_k: 5 }],
  ['container', { container: 'c' }],
  ['inference_geo', { inference_geo: 'eu' }],
  ['service_tier', { service_tier: 'priority' }],
  ['speed', { speed: 'fast' }],
  ['mcp_servers', { mcp_servers: [{}] }],
  ['context_management', { context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] } }],
  ['temperature', { temperature: 'hot' }],
  ['a_new_field', { a_new_field: 1 }],
];

for (const [param, more] of refused) {
  test(`refused by its path: ${param} of ${JSON.stringify(more).slice(0, 120)}`, () =>
    assert.throws(
      () => chatRequestOfMessages({ ...base, ...more }),
      (error: unknown) => {
        assert.ok(error instanceof GatewayError);
        assert.equal(error.param, param);
        assert.match(error.code, /^(invalid|missing)_parameter$/);
        assert.match(error.message, new RegExp(`^'${param.replaceAll(/[[\].]/g, String.raw`\$&`)}'.*(must|needs)`));
        return true;
      },
    ));
}
