/** Responses in the document: making one, and what the provider keeps of it. */
import * as z from 'zod';
import { responsesBody } from '../../domain/requests/responses-request.ts';
import { callErrors, upstreamErrors } from './errors.ts';
import { exampleIds } from './example-ids.ts';
import { headers, requestHeader } from './headers.ts';
import type { Group, JsonSchema, Operation } from './operation.ts';
import { answer, refOf, request } from './schemas.ts';
import { json, streamed } from './streams.ts';

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

const responsesRequest = request('ResponsesRequest', responsesBody, {
  model: 'Model id.',
  input: 'A text, or the items of a conversation.',
  prompt: "A prompt template of the upstream's, which may stand for the input.",
  stream: "True returns the Responses API's server-sent events. Default false.",
  max_output_tokens: "Maximum number of tokens to generate. Default: the model's own.",
  previous_response_id: 'A response of the same account to continue from.',
  conversation: 'Not offered.',
  background: 'Only false: answers are given at once or streamed.',
});

const responseStream = streamed(
  json({ type: 'object', required: ['type'], properties: { type: { type: 'string' } } }),
  'event: response.output_text.delta\ndata: {"type":"response.output_text.delta","delta":"Hello"}\n\n',
);

const responseId: JsonSchema = {
  name: 'id',
  in: 'path',
  required: true,
  description: "The response's id.",
  schema: { type: 'string' },
  example: exampleIds.response,
};

const shared = {
  tag: 'Chat',
  upstreamRefusals: [400, 413, 422],
} as const satisfies Partial<Operation>;
export const responseOperations: Group = ({ model }) => [
  {
    ...shared,
    method: 'post',
    path: '/responses',
    id: 'createResponse',
    level: 'chat',
    summary: 'Response of a code-generation model',
    description:
      "For code-generation models, and any model whose provider has the endpoint. Request and answer are the OpenAI Responses API's.",
    parameters: [requestHeader('Idempotency-Key')],
    body: {
      content: {
        'application/json': {
          schema: responsesRequest,
          examples: {
            text: {
              summary: 'A task',
              value: { model: model('code'), input: 'Write a function that adds two numbers.' },
            },
            stream: { summary: 'Streaming', value: { model: model('code'), input: 'Hello', stream: true } },
          },
        },
      },
    },
    answers: {
      200: {
        description: "The model's response; with `stream` true as server-sent events.",
        headers: headers('Idempotency-Replayed'),
        content: { 'application/json': { schema: refOf(response) }, 'text/event-stream': responseStream },
      },
    },
    errors: [...callErrors, 'response_not_found'],
  },
  {
    ...shared,
    method: 'get',
    path: '/responses/{id}',
    id: 'getResponse',
    level: 'read',
    summary: 'A stored response',
    description: 'What the provider has kept of a response, asked for where it was made. The query is passed on.',
    parameters: [responseId],
    answers: {
      200: {
        description: 'The response; with the query `stream=true` as server-sent events.',
        content: { 'application/json': { schema: refOf(response) }, 'text/event-stream': responseStream },
      },
    },
    errors: ['response_not_found', ...upstreamErrors],
  },
  {
    ...shared,
    method: 'delete',
    path: '/responses/{id}',
    id: 'deleteResponse',
    level: 'chat',
    summary: 'Delete a stored response',
    parameters: [responseId],
    answers: {
      200: { description: 'It is deleted.', content: { 'application/json': { schema: refOf(deletedResponse) } } },
    },
    errors: ['response_not_found', ...upstreamErrors],
  },
  {
    ...shared,
    method: 'post',
    path: '/responses/{id}/cancel',
    id: 'cancelResponse',
    level: 'chat',
    summary: 'Cancel a response that is still made',
    parameters: [responseId],
    answers: {
      200: { description: 'The response as it is now.', content: { 'application/json': { schema: refOf(response) } } },
    },
    errors: ['response_not_found', ...upstreamErrors],
  },
];
