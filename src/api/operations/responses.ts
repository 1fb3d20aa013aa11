/** Responses: making one, straight through as chat, and what the provider keeps of it. */
import * as z from 'zod';
import { responsesBody } from '../../domain/requests/responses-request.ts';
import { serveCountTokens } from '../../chat/count-input.ts';
import { serveCall } from '../../chat/serve-call.ts';
import { serveStored, type StoredOperation } from '../../chat/serve-stored-response.ts';
import { callErrors, modelErrors, upstreamErrors } from '../openapi/error-lists.ts';
import { exampleIds } from '../openapi/example-ids.ts';
import { exampleCreated, one } from '../openapi/examples.ts';
import { headers, requestHeader } from '../openapi/headers.ts';
import { jsonContent } from '../openapi/json-body.ts';
import { pathParameter } from '../openapi/parameters.ts';
import { answer, type JsonSchema, refOf } from '../openapi/schemas.ts';
import { jsonEvent, streamed } from '../openapi/streams.ts';
import { type KeyAsk, operation, type Response } from '../public-operation.ts';

const response = answer(
  'Response',
  z
    .looseObject({ id: z.string(), object: z.literal('response'), model: z.string(), status: z.string() })
    .describe("A response object of the OpenAI Responses API, the upstream's own."),
);
const deletedResponse = answer(
  'DeletedResponse',
  z.looseObject({ id: z.string(), deleted: z.boolean() }).describe("The upstream's own word that it is deleted."),
);
const count = z.int().min(0);
const inputItems = answer('InputItems', z.looseObject({ object: z.literal('list'), data: z.array(z.looseObject({})) }));
const inputTokens = answer(
  'InputTokens',
  z.looseObject({ object: z.literal('response.input_tokens'), input_tokens: count }),
);
const compaction = answer(
  'Compaction',
  z
    .looseObject({ id: z.string(), object: z.string(), output: z.array(z.looseObject({})) })
    .describe("The upstream's own answer, handed on as it came."),
);
/** What both read of a response's request, under a name of its own each. */
const inputOnly = () => responsesBody.omit({ stream: true, max_output_tokens: true, background: true, store: true });
const [inputTokensBody, compactionBody] = [inputOnly(), inputOnly()];

const stream = streamed(
  jsonEvent({ type: 'object', required: ['type'], properties: { type: { type: 'string' } } }),
  'event: response.output_text.delta\ndata: {"type":"response.output_text.delta","delta":"Hello"}\n\n',
);
const responseContent = { 'application/json': { schema: refOf(response) } };

const words = {
  model: 'Model id.',
  input: 'A text, or the items of a conversation.',
  prompt: "A prompt template of the upstream's, which may stand for the input.",
  stream: "True returns the Responses API's server-sent events. Default false.",
  max_output_tokens: "Maximum number of tokens to generate. Default: the model's own.",
  previous_response_id: 'A response of the same account to continue from.',
  conversation: 'Not offered.',
  background: 'Only false: answers are given at once or streamed.',
};

const inputWords = {
  model: 'Model id.',
  input: 'A text, or the items of a conversation.',
  prompt: "A prompt template of the upstream's, which may stand for the input.",
  previous_response_id: 'A response of the same account to continue from; it may stand for the input.',
  conversation: 'Not offered.',
};

const createResponse = operation({
  method: 'post',
  path: '/responses',
  id: 'createResponse',
  tag: 'Chat',
  level: 'chat',
  summary: 'Response of a code-generation model',
  description:
    "For code-generation models, and any model whose provider has the endpoint. Request and answer are the OpenAI Responses API's.",
  parameters: [requestHeader('Idempotency-Key')],
  body: {
    content: jsonContent('ResponsesRequest', responsesBody, {
      words,
      shown: ({ model }) => ({
        examples: {
          text: {
            summary: 'A task',
            value: { model: model('code'), input: 'Write a function that adds two numbers.' },
          },
          stream: { summary: 'Streaming', value: { model: model('code'), input: 'Hello', stream: true } },
        },
      }),
    }),
  },
  answer: z.void(),
  responses: {
    200: {
      description: "The model's response; with `stream` true as server-sent events.",
      headers: headers('Idempotency-Replayed'),
      content: { ...responseContent, 'text/event-stream': stream },
      examples: ({ model }) => one('The response', responseOf(model('code'))),
    },
  },
  errors: [...callErrors, 'response_not_found'],
  upstreamRefusals: [400, 413, 422],
  handle: ({ ctx, deps }) => deps.during(() => serveCall(deps, ctx, 'responses')),
});

/** What every operation on a stored response has: it is asked for where it was made, and only for the account that made it. */
const stored = (asked: StoredOperation) => ({
  path: `/responses/{id}${asked.below}`,
  tag: 'Chat' as const,
  parameters: [pathParameter('id', "The response's id.", exampleIds.response)],
  answer: z.void(),
  errors: ['response_not_found' as const, ...upstreamErrors],
  upstreamRefusals: [400, 413, 422],
  handle: ({ ctx, deps, params }: KeyAsk<unknown, unknown>) =>
    deps.during(() => serveStored(deps, ctx, params['id'] ?? '', asked)),
});

const shown = (description: string, content: Readonly<Record<string, JsonSchema>>): Response => ({
  description,
  content,
  examples: ({ model }) => one('The response', responseOf(model('code'))),
});

const getResponse = operation({
  ...stored({ method: 'GET', below: '' }),
  method: 'get',
  id: 'getResponse',
  level: 'read',
  summary: 'A stored response',
  description: 'What the provider has kept of a response, asked for where it was made. The query is passed on.',
  responses: {
    200: shown('The response; with the query `stream=true` as server-sent events.', {
      ...responseContent,
      'text/event-stream': stream,
    }),
  },
});

const deleteResponse = operation({
  ...stored({ method: 'DELETE', below: '' }),
  method: 'delete',
  id: 'deleteResponse',
  level: 'chat',
  summary: 'Delete a stored response',
  responses: {
    200: {
      description: 'It is deleted.',
      content: { 'application/json': { schema: refOf(deletedResponse) } },
      examples: () => one('It is deleted', { object: 'response', id: exampleIds.response, deleted: true }),
    },
  },
});

const cancelResponse = operation({
  ...stored({ method: 'POST', below: '/cancel' }),
  method: 'post',
  id: 'cancelResponse',
  level: 'chat',
  summary: 'Cancel a response in progress',
  responses: { 200: shown('The response as it is now.', responseContent) },
});

const listInputItems = operation({
  ...stored({ method: 'GET', below: '/input_items' }),
  method: 'get',
  id: 'listInputItems',
  level: 'read',
  summary: 'The input of a stored response',
  description: 'Where its provider lists them. The query is passed on.',
  errors: ['response_not_found', 'route_not_found', ...upstreamErrors],
  responses: {
    200: {
      description: 'The items.',
      content: { 'application/json': { schema: refOf(inputItems) } },
      examples: () =>
        one('The items', { object: 'list', data: [inputItem], first_id: 'msg_1', last_id: 'msg_1', has_more: false }),
    },
  },
});

const countInputTokens = operation({
  method: 'post',
  path: '/responses/input_tokens',
  id: 'countInputTokens',
  tag: 'Chat',
  level: 'chat',
  summary: 'Count the input of a response',
  description: "The provider's own count, where it has one. Costs nothing.",
  body: {
    content: jsonContent('InputTokensRequest', inputTokensBody, {
      words: inputWords,
      shown: ({ model }) => ({
        examples: { text: { summary: 'A task', value: { model: model('code'), input: 'Add two numbers.' } } },
      }),
    }),
  },
  answer: z.void(),
  responses: {
    200: {
      description: 'The count.',
      content: { 'application/json': { schema: refOf(inputTokens) } },
      examples: () => one('The count', { object: 'response.input_tokens', input_tokens: 8 }),
    },
  },
  errors: [...modelErrors, 'response_not_found', 'route_not_found'],
  upstreamRefusals: [400, 413, 422],
  handle: ({ ctx, deps }) => deps.during(() => serveCountTokens(deps, ctx, 'responses')),
});

const compactResponse = operation({
  method: 'post',
  path: '/responses/compact',
  id: 'compactResponse',
  tag: 'Chat',
  level: 'chat',
  summary: 'Compact a conversation',
  description:
    'A shorter input that stands for the conversation, where the provider makes one. It is charged as a response is.',
  parameters: [requestHeader('Idempotency-Key')],
  body: {
    content: jsonContent('CompactionRequest', compactionBody, {
      words: inputWords,
      shown: ({ model }) => ({
        examples: { text: { summary: 'A conversation', value: { model: model('code'), input: 'Add two numbers.' } } },
      }),
    }),
  },
  answer: z.void(),
  responses: {
    200: {
      description: 'The compacted input.',
      headers: headers('Idempotency-Replayed'),
      content: { 'application/json': { schema: refOf(compaction) } },
      examples: () => one('The compaction', compactionOf()),
    },
  },
  errors: [...callErrors, 'response_not_found', 'route_not_found'],
  upstreamRefusals: [400, 413, 422],
  handle: ({ ctx, deps }) => deps.during(() => serveCall(deps, ctx, 'responses/compact')),
});

export const responseOperations = [
  createResponse,
  getResponse,
  deleteResponse,
  cancelResponse,
  listInputItems,
  countInputTokens,
  compactResponse,
];

const inputItem = { id: 'msg_1', type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello' }] };
const compactionOf = () => ({
  id: exampleIds.response,
  object: 'response.compaction',
  created_at: exampleCreated,
  output: [{ id: 'cmp_1', type: 'compaction', encrypted_content: 'b3BhcXVl' }],
  usage: { input_tokens: 9, output_tokens: 12, total_tokens: 21 },
});

const responseOf = (model: string) => ({
  id: exampleIds.response,
  object: 'response',
  created_at: exampleCreated,
  status: 'completed',
  error: null,
  model,
  output: [
    {
      id: 'msg_1',
      type: 'message',
      status: 'completed',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'const add = (a, b) => a + b;', annotations: [] }],
    },
  ],
  usage: { input_tokens: 9, output_tokens: 12, total_tokens: 21 },
});
