/** Every rule of the responses body: the refused value and the last allowed one. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseResponsesRequest, type ResponsesFacts } from '../../../src/domain/requests/responses-request.ts';
import { accepts, type Refusal, refuses } from './cases.ts';

const of = (fields: object) => ({ model: 'sim-code', input: 'Hello', ...fields });
const input = (...items: unknown[]) => ({ model: 'sim-code', input: items });
const user = { role: 'user', content: 'Hello' };
const imagePart = (url: unknown) => ({ type: 'input_image', image_url: url });

test('the facts of a plain body', () => {
  assert.deepEqual(parseResponsesRequest(of({})), { model: 'sim-code', stream: false, urls: [], fileUrls: [] });
});

test('the addresses of a body are returned with their places', () => {
  const data = 'data:image/png;base64,AAAA';
  const body = {
    ...input(
      {
        role: 'user',
        content: [{ type: 'input_text', text: 'x' }, imagePart('https://a.example/1.png'), imagePart(data)],
      },
      {
        type: 'function_call_output',
        call_id: 'c',
        output: [{ type: 'input_file', file_url: 'https://b.example/2.pdf' }],
      },
      { type: 'computer_call_output', output: { type: 'computer_screenshot', image_url: 'https://c.example/3.png' } },
    ),
    tools: [{ type: 'web_search' }, { type: 'mcp', server_url: 'https://d.example/mcp' }],
  };
  const { urls, fileUrls } = parseResponsesRequest(body, ['web_search', 'mcp']);
  assert.deepEqual(urls, [
    { param: 'input[0].content[1].image_url', url: 'https://a.example/1.png' },
    { param: 'input[0].content[2].image_url', url: data },
    { param: 'input[2].output.image_url', url: 'https://c.example/3.png' },
    { param: 'tools[1].server_url', url: 'https://d.example/mcp' },
  ]);
  assert.deepEqual(fileUrls, [{ param: 'input[1].output[0].file_url', url: 'https://b.example/2.pdf' }]);
});

const unpriced: Refusal[] = [
  ...[
    ...['web_search', 'web_search_preview', 'web_search_2025_08_26', 'file_search', 'code_interpreter'],
    ...['image_generation', 'computer_use_preview', 'mcp'],
  ].map((type): Refusal => [`the tool ${type}`, of({ tools: [{ type }] }), 'invalid_parameter', 'tools[0].type']),
  [
    'a shell on a machine of the upstream',
    of({ tools: [{ type: 'shell', environment: { type: 'container_auto' } }] }),
    'invalid_parameter',
    'tools[0].environment',
  ],
  [
    'stores in another tool',
    of({ tools: [{ type: 'x', vector_store_ids: ['vs_1'] }] }),
    'invalid_parameter',
    'tools[0].vector_store_ids',
  ],
  [
    'a container in another tool',
    of({ tools: [{ type: 'x', container: 'cntr_1' }] }),
    'invalid_parameter',
    'tools[0].container',
  ],
  ['a dearer tier', of({ service_tier: 'priority' }), 'invalid_parameter', 'service_tier'],
  ["a prompt of the operator's", of({ prompt: { id: 'pmpt_1' } }), 'invalid_parameter', 'prompt'],
  [
    'an image by its id',
    input(user, { type: 'image_generation_call', id: 'ig_1' }),
    'invalid_parameter',
    'input[1].id',
  ],
  [
    'reasoning by its id',
    input(user, { type: 'reasoning', id: 'rs_1', encrypted_content: null }),
    'invalid_parameter',
    'input[1].id',
  ],
  [
    'a compaction by its id',
    input({ type: 'compaction', id: 'cmp_1', encrypted_content: '' }),
    'invalid_parameter',
    'input[0].id',
  ],
  [
    'an answer to an approval',
    input({ type: 'mcp_approval_response', approval_request_id: 'mcpr_1', approve: true }),
    'invalid_parameter',
    'input[0].type',
  ],
  ['an item by its id', input(user, { type: 'item_reference', id: 'msg_1' }), 'invalid_parameter', 'input[1].type'],
  [
    'an image by file id',
    input({ role: 'user', content: [{ type: 'input_image', file_id: 'f', image_url: null }] }),
    'invalid_parameter',
    'input[0].content[0].file_id',
  ],
  [
    'a screenshot by file id',
    input({ type: 'computer_call_output', output: { type: 'computer_screenshot', file_id: 'f' } }),
    'invalid_parameter',
    'input[0].output.file_id',
  ],
  [
    'a file in what a function answered',
    input({ type: 'function_call_output', call_id: 'c', output: [{ type: 'input_file', file_id: 'f' }] }),
    'invalid_parameter',
    'input[0].output[0].file_id',
  ],
];

test('a prompt template stands for the input where the settings allow it', () => {
  const body = { model: 'm', prompt: { id: 'pmpt_1' } };
  assert.equal(parseResponsesRequest(body, ['prompt']).stream, false);
});

test('stores belong to the search of files, containers to nothing', () => {
  const search = of({ tools: [{ type: 'file_search', vector_store_ids: ['vs_1'] }] });
  assert.equal(parseResponsesRequest(search, ['file_search']).stream, false);
  const code = of({ tools: [{ type: 'code_interpreter', container: 'cntr_1' }] });
  assert.throws(() => parseResponsesRequest(code, ['code_interpreter']), /'tools\[0\]\.container' /);
});

describe('a responses body', () => {
  refuses(
    [
      ['a body that is no object', 5, 'invalid_parameter', null],
      ['no model', { input: 'Hello' }, 'missing_parameter', 'model'],
      ['no input', { model: 'm' }, 'missing_parameter', 'input'],
      ['an input of null', { model: 'm', input: null }, 'missing_parameter', 'input'],
      ...unpriced,
      ['an input that is a number', of({ input: 5 }), 'invalid_parameter', 'input'],
      ['an input without items', input(), 'invalid_parameter', 'input'],
      ['an item that is a text', input('Hello'), 'invalid_parameter', 'input[0]'],
      ['an item of null', input(user, null), 'invalid_parameter', 'input[1]'],
      ['an item with a type that is a number', input({ type: 5 }), 'invalid_parameter', 'input[0].type'],
      ['a message without a role', input({ content: 'x' }), 'missing_parameter', 'input[0].role'],
      ['a role outside the list', input({ role: 'tool', content: 'x' }), 'invalid_parameter', 'input[0].role'],
      ['a message without content', input({ type: 'message', role: 'user' }), 'missing_parameter', 'input[0].content'],
      ['content that is a number', input({ role: 'user', content: 5 }), 'invalid_parameter', 'input[0].content'],
      ['a part that is a text', input({ role: 'user', content: ['x'] }), 'invalid_parameter', 'input[0].content[0]'],
      [
        'a part without a type',
        input({ role: 'user', content: [{}] }),
        'missing_parameter',
        'input[0].content[0].type',
      ],
      [
        'a part with a text that is a number',
        input({ role: 'user', content: [{ type: 'input_text', text: 5 }] }),
        'invalid_parameter',
        'input[0].content[0].text',
      ],
      [
        'an image by ftp',
        input(user, { role: 'user', content: [imagePart('ftp://a.example')] }),
        'invalid_parameter',
        'input[1].content[0].image_url',
      ],
      [
        'an image that is an object, as in chat',
        input({ role: 'user', content: [imagePart({ url: 'https://a.example' })] }),
        'invalid_parameter',
        'input[0].content[0].image_url',
      ],
      [
        'a data URI with wrong characters',
        input({ role: 'user', content: [imagePart('data:image/png;base64,A*AA')] }),
        'invalid_parameter',
        'input[0].content[0].image_url',
      ],
      [
        'a file by a file address',
        input({ role: 'user', content: [{ type: 'input_file', file_url: 'file:///etc/passwd' }] }),
        'invalid_parameter',
        'input[0].content[0].file_url',
      ],
      [
        "a function's output without its call",
        input({ type: 'function_call_output', output: 'x' }),
        'missing_parameter',
        'input[0].call_id',
      ],
      [
        "a function's output without output",
        input({ type: 'function_call_output', call_id: 'c' }),
        'missing_parameter',
        'input[0].output',
      ],
      ['instructions that are an object', of({ instructions: {} }), 'invalid_parameter', 'instructions'],
      ['a text for stream', of({ stream: 'true' }), 'invalid_parameter', 'stream'],
      ['no output tokens', of({ max_output_tokens: 0 }), 'invalid_parameter', 'max_output_tokens'],
      ['a text for max_output_tokens', of({ max_output_tokens: '9' }), 'invalid_parameter', 'max_output_tokens'],
      ['an empty previous_response_id', of({ previous_response_id: '' }), 'invalid_parameter', 'previous_response_id'],
      [
        'a number for previous_response_id',
        of({ previous_response_id: 1 }),
        'invalid_parameter',
        'previous_response_id',
      ],
      ['a conversation', of({ conversation: 'conv_1' }), 'invalid_parameter', 'conversation'],
      ['a conversation that is an object', of({ conversation: { id: 'conv_1' } }), 'invalid_parameter', 'conversation'],
      ['background true', of({ background: true }), 'invalid_parameter', 'background'],
      ['a text for background', of({ background: 'false' }), 'invalid_parameter', 'background'],
      ['a text for store', of({ store: 'no' }), 'invalid_parameter', 'store'],
      ['a temperature above 2', of({ temperature: 2.1 }), 'invalid_parameter', 'temperature'],
      ['a temperature below 0', of({ temperature: -0.1 }), 'invalid_parameter', 'temperature'],
      ['top_p above 1', of({ top_p: 1.1 }), 'invalid_parameter', 'top_p'],
      ['top_logprobs above 20', of({ top_logprobs: 21 }), 'invalid_parameter', 'top_logprobs'],
      ['text that is a text', of({ text: 'json' }), 'invalid_parameter', 'text'],
      ['another text format', of({ text: { format: { type: 'xml' } } }), 'invalid_parameter', 'text.format.type'],
      ['tools that are an object', of({ tools: {} }), 'invalid_parameter', 'tools'],
      ['a tool without a type', of({ tools: [{ name: 'x' }] }), 'missing_parameter', 'tools[0].type'],
      [
        'a remote tool that is no address',
        of({ tools: [{ type: 'mcp', server_url: 'here' }] }),
        'invalid_parameter',
        'tools[0].server_url',
      ],
      ['another tool_choice', of({ tool_choice: 'any' }), 'invalid_parameter', 'tool_choice'],
      ['a tool_choice without a type', of({ tool_choice: {} }), 'missing_parameter', 'tool_choice.type'],
      ['a number for user', of({ user: 5 }), 'invalid_parameter', 'user'],
    ],
    (body) => parseResponsesRequest(body),
  );

  accepts<ResponsesFacts>(
    [
      ['messages with and without a type', input(user, { ...user, type: 'message' }), { stream: false }],
      [
        'items of answers with their content',
        input(
          { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: null },
          { type: 'reasoning', id: 'rs_2', encrypted_content: 'gAAA' },
          { type: 'image_generation_call', id: 'ig_1', status: 'completed', result: 'iVBO' },
          { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'f', arguments: '{}' },
        ),
        { urls: [], fileUrls: [] },
      ],
      [
        'items that it does not know',
        input({ type: 'reasoning', summary: [], content: null }),
        { urls: [], fileUrls: [] },
      ],
      [
        'a function call and its output',
        input({ type: 'function_call', name: 'f' }, { type: 'function_call_output', call_id: 'c', output: 'x' }),
        {},
      ],
      ['a stream', of({ stream: true }), { stream: true }],
      ['a limit of 1', of({ max_output_tokens: 1 }), { maxOutputTokens: 1 }],
      ['an earlier response', of({ previous_response_id: 'resp_1' }), { previousResponseId: 'resp_1' }],
      ['background false', of({ background: false }), { stream: false }],
      ['the ends of the ranges', of({ temperature: 2, top_p: 1, top_logprobs: 20 }), { stream: false }],
      ['the other ends of the ranges', of({ temperature: 0, top_p: 0, top_logprobs: 0 }), { stream: false }],
      [
        'tools of any type',
        of({
          tools: ['function', 'custom', 'local_shell', 'shell', 'apply_patch', 'namespace', 'x'].map((type) => ({
            type,
            name: 'f',
          })),
          tool_choice: { type: 'custom' },
        }),
        {},
      ],
      ['a schema', of({ text: { format: { type: 'json_schema', name: 'x', schema: {} } } }), { stream: false }],
      ['fields that it does not know', of({ reasoning: { effort: 'low' }, truncation: 'auto' }), { stream: false }],
      [
        'null for what is optional',
        of({
          instructions: null,
          stream: null,
          max_output_tokens: null,
          previous_response_id: null,
          conversation: null,
          background: null,
          store: null,
          temperature: null,
          top_p: null,
          top_logprobs: null,
          text: null,
          tools: null,
          tool_choice: null,
          user: null,
        }),
        { stream: false, urls: [], fileUrls: [] },
      ],
    ],
    (body) => parseResponsesRequest(body),
  );
});
