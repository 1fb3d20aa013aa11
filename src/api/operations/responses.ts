/** Responses: making one, straight through as chat, and what the provider keeps of it. */
import * as z from 'zod';
import { responsesBody } from '../../domain/requests/responses-request.ts';
import { serveCall } from '../../chat/serve-call.ts';
import { serveStored, type StoredOperation } from '../../chat/serve-stored-response.ts';
import { callErrors, upstreamErrors } from '../openapi/error-lists.ts';
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
  summary: 'Cancel a response that is still made',
  responses: { 200: shown('The response as it is now.', responseContent) },
});

export const responseOperations = [createResponse, getResponse, deleteResponse, cancelResponse];

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
