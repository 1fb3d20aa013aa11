/** Every rule of the chat completion body: the refused value and the last allowed one. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type ChatFacts, parseChatRequest } from '../../../src/domain/requests/chat-request.ts';
import { accepts, type Refusal, refuses } from './cases.ts';

const user = { role: 'user', content: 'Hello' };
const of = (fields: object) => ({ model: 'sim-chat', messages: [user], ...fields });
const said = (...messages: unknown[]) => ({ model: 'sim-chat', messages });
const parts = (...content: unknown[]) => said({ role: 'user', content });
const imagePart = (url: unknown) => ({ type: 'image_url', image_url: { url } });
const call = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Ulm"}' } };
const weather = { type: 'function', function: { name: 'weather' } };
const called = (...calls: unknown[]) => said({ role: 'assistant', tool_calls: calls });

test('the facts of a plain body', () => {
  assert.deepEqual(parseChatRequest(of({})), {
    model: 'sim-chat',
    stream: false,
    includeUsage: false,
    n: 1,
    imageUrls: [],
    otherUrls: [],
  });
});

test('the images of a body are returned with their places', () => {
  const data = 'data:image/png;base64,AAAA';
  const body = said(
    { role: 'system', content: 'Look.' },
    { role: 'user', content: [{ type: 'text', text: 'these' }, imagePart('https://a.example/1.png'), imagePart(data)] },
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'call_1', content: [imagePart('http://b.example/2.png')] },
  );
  assert.deepEqual(parseChatRequest(body).imageUrls, [
    { param: 'messages[1].content[1].image_url.url', url: 'https://a.example/1.png' },
    { param: 'messages[1].content[2].image_url.url', url: data },
    { param: 'messages[3].content[0].image_url.url', url: 'http://b.example/2.png' },
  ]);
});

const file = { type: 'file', file: { file_id: 'file-1' } };
const unpriced: Refusal[] = [
  ['a dearer tier', of({ service_tier: 'priority' }), 'invalid_parameter', 'service_tier'],
  ['a slower tier', of({ service_tier: 'flex' }), 'invalid_parameter', 'service_tier'],
  ['the best of many', of({ best_of: 1000 }), 'invalid_parameter', 'best_of'],
  ['a search of the web', of({ web_search_options: {} }), 'invalid_parameter', 'web_search_options'],
  ['a hosted search', of({ tools: [weather, { type: 'web_search' }] }), 'invalid_parameter', 'tools[1].type'],
  [
    'what was spoken, by its id',
    of({ messages: [user, { role: 'assistant', audio: { id: 'audio_1', data: '' } }] }),
    'invalid_parameter',
    'messages[1].audio.id',
  ],
  ["a file of the operator's", parts(file), 'invalid_parameter', 'messages[0].content[0].file.file_id'],
  [
    "an image of the operator's",
    parts({ type: 'image_file', image_file: { file_id: 'file-1' } }),
    'invalid_parameter',
    'messages[0].content[0].image_file.file_id',
  ],
];

test('what costs money upstream passes where the settings allow it, and only that', () => {
  const body = { ...parts(file), service_tier: 'flex', tools: [{ type: 'web_search_preview_2025_03_11' }] };
  assert.equal(parseChatRequest(body, ['file_id', 'service_tier', 'web_search']).n, 1);
  assert.throws(() => parseChatRequest(body, ['file_id', 'web_search']), /'service_tier' .*allow: \[service_tier\]/);
  assert.throws(() => parseChatRequest(body, ['service_tier', 'file_id']), /'tools\[0\]\.type' /);
});

for (const [what, fields] of [
  ['no limit', {}],
  ['a limit of 0', { max_tokens: 0 }],
  ['a limit of -1', { max_tokens: -1 }],
  ['one limit of -1', { max_tokens: -1, max_completion_tokens: 7 }],
] as const) {
  test(`${what} bounds no hold`, () => assert.ok(!('maxOutputTokens' in parseChatRequest(of(fields)))));
}

describe('a chat body', () => {
  refuses(
    [
      ['a body that is no object', 'Hello', 'invalid_parameter', null],
      ['no model', { messages: [user] }, 'missing_parameter', 'model'],
      ['no messages', { model: 'm' }, 'missing_parameter', 'messages'],
      ['messages that are a text', { model: 'm', messages: 'Hello' }, 'invalid_parameter', 'messages'],
      ['empty messages', said(), 'invalid_parameter', 'messages'],
      ['a message that is a text', said('Hello'), 'invalid_parameter', 'messages[0]'],
      ['a message of null', said(user, null), 'invalid_parameter', 'messages[1]'],
      ['a message without a role', said({ content: 'Hello' }), 'missing_parameter', 'messages[0].role'],
      ['a message without content', said({ role: 'user' }), 'missing_parameter', 'messages[0].content'],
      ['content of null', said({ role: 'system', content: null }), 'missing_parameter', 'messages[0].content'],
      ['content that is a number', said({ role: 'user', content: 5 }), 'invalid_parameter', 'messages[0].content'],
      ['content that is an object', said({ role: 'user', content: {} }), 'invalid_parameter', 'messages[0].content'],
      ['content without parts', parts(), 'invalid_parameter', 'messages[0].content'],
      ['a part that is a text', parts('Hello'), 'invalid_parameter', 'messages[0].content[0]'],
      ['a part without a type', parts({ text: 'Hello' }), 'missing_parameter', 'messages[0].content[0].type'],
      ['a text part without text', parts({ type: 'text' }), 'missing_parameter', 'messages[0].content[0].text'],
      [
        'a text part with a number',
        parts(imagePart('https://a.example'), { type: 'text', text: 1 }),
        'invalid_parameter',
        'messages[0].content[1].text',
      ],
      [
        'an image part without its object',
        parts({ type: 'image_url' }),
        'missing_parameter',
        'messages[0].content[0].image_url',
      ],
      [
        'an image part with a bare address',
        parts({ type: 'image_url', image_url: 'https://a.example' }),
        'invalid_parameter',
        'messages[0].content[0].image_url',
      ],
      [
        'an image part without an address',
        parts({ type: 'image_url', image_url: {} }),
        'missing_parameter',
        'messages[0].content[0].image_url.url',
      ],
      [
        'an image by ftp',
        parts(imagePart('ftp://a.example')),
        'invalid_parameter',
        'messages[0].content[0].image_url.url',
      ],
      [
        'an image of 8,193 characters of address',
        parts(imagePart('https://a.example/'.padEnd(8193, 'a'))),
        'invalid_parameter',
        'messages[0].content[0].image_url.url',
      ],
      [
        'a data URI without base64',
        parts(imagePart('data:image/png,AAAA')),
        'invalid_parameter',
        'messages[0].content[0].image_url.url',
      ],
      [
        'a data URI with wrong characters',
        parts(imagePart('data:image/png;base64,A*AA')),
        'invalid_parameter',
        'messages[0].content[0].image_url.url',
      ],
      [
        'a data URI without data',
        parts(imagePart('data:image/png;base64,')),
        'invalid_parameter',
        'messages[0].content[0].image_url.url',
      ],
      ['an assistant who says nothing', said(user, { role: 'assistant' }), 'missing_parameter', 'messages[1].content'],
      [
        'an assistant who says null and calls nothing',
        said({ role: 'assistant', content: null, tool_calls: [] }),
        'missing_parameter',
        'messages[0].content',
      ],
      [
        'tool_calls that are an object',
        said({ role: 'assistant', tool_calls: call }),
        'invalid_parameter',
        'messages[0].tool_calls',
      ],
      [
        'a tool call without an id',
        called({ ...call, id: undefined }),
        'missing_parameter',
        'messages[0].tool_calls[0].id',
      ],
      [
        'a tool call without a function',
        called(call, { id: 'call_2', type: 'function' }),
        'missing_parameter',
        'messages[0].tool_calls[1].function',
      ],
      [
        'a tool call without a name',
        called({ ...call, function: { arguments: '{}' } }),
        'missing_parameter',
        'messages[0].tool_calls[0].function.name',
      ],
      [
        'a tool call with arguments that are an object',
        called({ ...call, function: { name: 'weather', arguments: {} } }),
        'invalid_parameter',
        'messages[0].tool_calls[0].function.arguments',
      ],
      [
        "a tool's answer without its id",
        said({ role: 'tool', content: 'x' }),
        'missing_parameter',
        'messages[0].tool_call_id',
      ],
      ['a text for stream', of({ stream: 'true' }), 'invalid_parameter', 'stream'],
      ['a number for stream', of({ stream: 1 }), 'invalid_parameter', 'stream'],
      [
        'stream_options that are a flag',
        of({ stream: true, stream_options: true }),
        'invalid_parameter',
        'stream_options',
      ],
      [
        'a text for include_usage',
        of({ stream: true, stream_options: { include_usage: 'yes' } }),
        'invalid_parameter',
        'stream_options.include_usage',
      ],
      ['fewer tokens than none', of({ max_tokens: -2 }), 'invalid_parameter', 'max_tokens'],
      [
        'an assistant with no parts',
        said({ role: 'assistant', content: [] }),
        'invalid_parameter',
        'messages[0].content',
      ],
      [
        'a function without its name',
        said({ role: 'function', content: 'x' }),
        'missing_parameter',
        'messages[0].name',
      ],
      ...unpriced,
      ['half a token', of({ max_tokens: 1.5 }), 'invalid_parameter', 'max_tokens'],
      ['a text for max_tokens', of({ max_tokens: '10' }), 'invalid_parameter', 'max_tokens'],
      ['a temperature below 0', of({ temperature: -0.01 }), 'invalid_parameter', 'temperature'],
      ['a temperature above 2', of({ temperature: 2.01 }), 'invalid_parameter', 'temperature'],
      ['a temperature without end', of({ temperature: 1e400 }), 'invalid_parameter', 'temperature'],
      ['a text for temperature', of({ temperature: '1' }), 'invalid_parameter', 'temperature'],
      ['top_p below 0', of({ top_p: -0.01 }), 'invalid_parameter', 'top_p'],
      ['top_p above 1', of({ top_p: 1.01 }), 'invalid_parameter', 'top_p'],
      ['five stop sequences', of({ stop: ['1', '2', '3', '4', '5'] }), 'invalid_parameter', 'stop'],
      ['a number for stop', of({ stop: 5 }), 'invalid_parameter', 'stop'],
      ['a number among the stop sequences', of({ stop: ['1', 2] }), 'invalid_parameter', 'stop[1]'],
      ['n of 0', of({ n: 0 }), 'invalid_parameter', 'n'],
      ['n of 129', of({ n: 129 }), 'invalid_parameter', 'n'],
      ['n of 1.5', of({ n: 1.5 }), 'invalid_parameter', 'n'],
      ['a response_format that is a text', of({ response_format: 'json' }), 'invalid_parameter', 'response_format'],
      ['a response_format without a type', of({ response_format: {} }), 'missing_parameter', 'response_format.type'],
      [
        'another response_format',
        of({ response_format: { type: 'xml' } }),
        'invalid_parameter',
        'response_format.type',
      ],
      [
        'json_schema without a schema',
        of({ response_format: { type: 'json_schema' } }),
        'missing_parameter',
        'response_format.json_schema',
      ],
      [
        'a schema without a name',
        of({ response_format: { type: 'json_schema', json_schema: { schema: {} } } }),
        'missing_parameter',
        'response_format.json_schema.name',
      ],
      ['a seed with a fraction', of({ seed: 1.5 }), 'invalid_parameter', 'seed'],
      ['a seed of more than 64 bits', of({ seed: 2 ** 64 }), 'invalid_parameter', 'seed'],
      ['a text for seed', of({ seed: '1' }), 'invalid_parameter', 'seed'],
      ['a number for logprobs', of({ logprobs: 5 }), 'invalid_parameter', 'logprobs'],
      ['top_logprobs below 0', of({ logprobs: true, top_logprobs: -1 }), 'invalid_parameter', 'top_logprobs'],
      ['top_logprobs above 20', of({ logprobs: true, top_logprobs: 21 }), 'invalid_parameter', 'top_logprobs'],
      ['top_logprobs without logprobs', of({ top_logprobs: 3 }), 'invalid_parameter', 'top_logprobs'],
      [
        'top_logprobs with logprobs false',
        of({ logprobs: false, top_logprobs: 3 }),
        'invalid_parameter',
        'top_logprobs',
      ],
      ['tools that are an object', of({ tools: weather }), 'invalid_parameter', 'tools'],
      ['a tool without a type', of({ tools: [{ function: { name: 'x' } }] }), 'missing_parameter', 'tools[0].type'],
      ['a tool without its function', of({ tools: [{ type: 'function' }] }), 'missing_parameter', 'tools[0].function'],
      [
        'a function without a name',
        of({ tools: [{ type: 'function', function: {} }] }),
        'missing_parameter',
        'tools[0].function.name',
      ],
      [
        'parameters that are a text',
        of({ tools: [{ type: 'function', function: { name: 'x', parameters: '{}' } }] }),
        'invalid_parameter',
        'tools[0].function.parameters',
      ],
      ['another tool_choice', of({ tool_choice: 'any' }), 'invalid_parameter', 'tool_choice'],
      ['a number for tool_choice', of({ tool_choice: 1 }), 'invalid_parameter', 'tool_choice'],
      ['a tool_choice without a type', of({ tool_choice: {} }), 'missing_parameter', 'tool_choice.type'],
      [
        'a tool_choice without a name',
        of({ tool_choice: { type: 'function', function: {} } }),
        'missing_parameter',
        'tool_choice.function.name',
      ],
      ['a number for user', of({ user: 5 }), 'invalid_parameter', 'user'],
      ...['frequency_penalty', 'presence_penalty'].flatMap((penalty): Refusal[] => [
        [`a ${penalty} below -2`, of({ [penalty]: -2.01 }), 'invalid_parameter', penalty],
        [`a ${penalty} above 2`, of({ [penalty]: 2.01 }), 'invalid_parameter', penalty],
        [`a ${penalty} that is a text`, of({ [penalty]: '1' }), 'invalid_parameter', penalty],
      ]),
    ],
    (body) => parseChatRequest(body),
  );

  accepts<ChatFacts>(
    [
      ['every role', said({ role: 'system', content: 'x' }, { role: 'developer', content: 'x' }, user), { n: 1 }],
      ['an empty text', said({ role: 'user', content: '' }), { n: 1 }],
      [
        'the parts of the OpenAI API',
        parts({ type: 'input_audio', input_audio: {} }, { type: 'file', file: {} }),
        { n: 1 },
      ],
      [
        'an assistant who only calls a tool',
        said(user, { role: 'assistant', content: null, tool_calls: [call] }),
        { n: 1 },
      ],
      [
        'an assistant who refused',
        said(user, { role: 'assistant', content: [{ type: 'refusal', refusal: 'no' }] }),
        { n: 1 },
      ],
      ["a tool's answer", said(user, { role: 'tool', tool_call_id: 'call_1', content: '{}' }), { n: 1 }],
      ['a stream', of({ stream: true }), { stream: true, includeUsage: false }],
      [
        'a stream with its usage',
        of({ stream: true, stream_options: { include_usage: true } }),
        { includeUsage: true },
      ],
      ['usage asked for without a stream', of({ stream_options: { include_usage: true } }), { includeUsage: false }],
      ['max_tokens of 1', of({ max_tokens: 1 }), { maxOutputTokens: 1 }],
      ['max_completion_tokens', of({ max_completion_tokens: 7 }), { maxOutputTokens: 7 }],
      [
        'both limits, of which the larger counts',
        of({ max_tokens: 9, max_completion_tokens: 7 }),
        { maxOutputTokens: 9 },
      ],
      ['temperature 0', of({ temperature: 0 }), { n: 1 }],
      ['temperature 2', of({ temperature: 2 }), { n: 1 }],
      ['top_p 0', of({ top_p: 0 }), { n: 1 }],
      ['top_p 1', of({ top_p: 1 }), { n: 1 }],
      ['one stop sequence', of({ stop: '.' }), { n: 1 }],
      ['four stop sequences', of({ stop: ['1', '2', '3', '4'] }), { n: 1 }],
      ['penalties of -2', of({ frequency_penalty: -2, presence_penalty: -2 }), { n: 1 }],
      ['penalties of 2', of({ frequency_penalty: 2, presence_penalty: 2 }), { n: 1 }],
      ['n of 128', of({ n: 128 }), { n: 128 }],
      ['text', of({ response_format: { type: 'text' } }), { n: 1 }],
      ['JSON mode', of({ response_format: { type: 'json_object' } }), { n: 1 }],
      ['a schema', of({ response_format: { type: 'json_schema', json_schema: { name: 'x', schema: {} } } }), { n: 1 }],
      ['a negative seed', of({ seed: -(2 ** 63) }), { n: 1 }],
      ['top_logprobs 0', of({ logprobs: true, top_logprobs: 0 }), { n: 1 }],
      ['top_logprobs 20', of({ logprobs: true, top_logprobs: 20 }), { n: 1 }],
      ['tools', of({ tools: [weather, { type: 'custom', custom: { name: 'x' } }] }), { n: 1 }],
      ['tool_choice auto', of({ tool_choice: 'auto' }), { n: 1 }],
      ['tool_choice none', of({ tool_choice: 'none' }), { n: 1 }],
      ['tool_choice required', of({ tool_choice: 'required' }), { n: 1 }],
      [
        'tool_choice of one function',
        of({ tool_choice: { type: 'function', function: { name: 'weather' } } }),
        { n: 1 },
      ],
      ['a data URI', parts(imagePart('data:image/webp;base64,AAAAAA==')), { n: 1 }],
      ['a part that it does not know', parts({ type: 'video_url', video_url: { url: 'data:x' } }), { otherUrls: [] }],
      [
        'addresses in such parts',
        parts(
          { type: 'video_url', video_url: { url: 'https://a.example/1.mp4' } },
          { type: 'x', x: 'HTTP://b.example' },
        ),
        {
          imageUrls: [],
          otherUrls: [
            { param: 'messages[0].content[0].video_url.url', url: 'https://a.example/1.mp4' },
            { param: 'messages[0].content[1].x', url: 'HTTP://b.example' },
          ],
        },
      ],
      ['a role that it does not know', said(user, { role: 'robot', thoughts: {} }), { n: 1 }],
      ['a function as of old', said(user, { role: 'function', name: 'weather', content: null }), { n: 1 }],
      ['an assistant who only thought', said(user, { role: 'assistant', reasoning_content: 'Hm' }), { n: 1 }],
      ['no parts beside calls', said(user, { role: 'assistant', content: [], tool_calls: [call] }), { n: 1 }],
      ["a tool's answer of null", said(user, { role: 'tool', tool_call_id: 'c', content: null }), { n: 1 }],
      ["a tool's answer without parts", said(user, { role: 'tool', tool_call_id: 'c', content: [] }), { n: 1 }],
      ['a call with an empty id', called({ ...call, id: '' }), { n: 1 }],
      ['a call of another type', called({ ...call, type: 'builtin_function' }), { n: 1 }],
      ['no stop sequences', of({ stop: [] }), { n: 1 }],
      ['top_logprobs 0 without logprobs', of({ top_logprobs: 0 }), { n: 1 }],
      ['a tool that it does not know', of({ tools: [weather, { type: 'builtin_function', function: {} }] }), { n: 1 }],
      ['a choice of such a tool', of({ tool_choice: { type: 'builtin_function' } }), { n: 1 }],
      ['the plain tiers', of({ service_tier: 'default', best_of: 1, web_search_options: null }), { n: 1 }],
      ['the automatic tier', of({ service_tier: 'auto' }), { n: 1 }],
      ['fields that it does not know', of({ reasoning_effort: 'high', metadata: 5, [`x`.repeat(99)]: {} }), { n: 1 }],
      [
        'null for what is optional',
        of({
          stream: null,
          stream_options: null,
          max_tokens: null,
          max_completion_tokens: null,
          temperature: null,
          top_p: null,
          stop: null,
          frequency_penalty: null,
          presence_penalty: null,
          n: null,
          response_format: null,
          seed: null,
          logprobs: null,
          top_logprobs: null,
          tools: null,
          tool_choice: null,
          user: null,
        }),
        { stream: false, n: 1 },
      ],
    ],
    (body) => parseChatRequest(body),
  );
});
