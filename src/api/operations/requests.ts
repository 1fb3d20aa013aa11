/** The account's requests, newest first, refused ones too, in JSON or CSV; and what was recorded of one. */
import { administratorOf } from '../acting-administrator.ts';
import { keyOf } from '../context.ts';
import { answerList } from '../lists/list-answer.ts';
import { requestCsv, requestListing, requestQuery } from '../lists/requests-list.ts';
import { exampleIds } from '../openapi/example-ids.ts';
import { exampleCreated, examplePage, one } from '../openapi/examples.ts';
import { listAnswer } from '../openapi/list-response.ts';
import { pathParameter } from '../openapi/parameters.ts';
import { queryParameters } from '../openapi/queries.ts';
import { listOfRecords } from '../openapi/schemas.ts';
import { requestBodiesObject, requestBodiesRecord } from '../presenters/bodies.ts';
import { requestColumns, requestRecord } from '../presenters/requests.ts';
import { operation } from '../public-operation.ts';
import { readBodies } from '../read-bodies.ts';

const example = (model: string) => ({
  ...{ id: exampleIds.request, object: 'request', created: exampleCreated },
  ...{ method: 'POST', path: '/v1/chat/completions', model, key_id: exampleIds.key },
  ...{ status: 200, code: null, latency_ms: 812, first_token_ms: 164, stream: true },
  ...{ input_tokens: 20, cached_input_tokens: 0, output_tokens: 60, cost: 0.00014, task_id: null },
  ...{ user: 'user-7', tag: 'search' },
});

const csvExample = [requestColumns.join(), Object.values(example('sim-chat')).join(), ''].join('\r\n');

const listAccountRequests = operation({
  method: 'get',
  path: '/requests',
  id: 'listRequests',
  tag: 'Account',
  level: 'read',
  summary: 'Requests, newest first, including rejected ones',
  description:
    'Every call that came with a key of this account, when its answer is over. Reads that succeeded, such as polling a task, and lines of batches are left out. Kept for 30 days, unless the operator set another time.',
  query: requestQuery,
  parameters: queryParameters(requestQuery, {
    model: 'Only requests that named this model.',
    key_id: 'Only requests with this key.',
    status:
      'Only requests that were answered with this status, with one of this class, such as `4xx`, or with any of 400 and above: `error`.',
    code: 'Only requests whose error has this code.',
    user: 'Only requests of this end user.',
    tag: 'Only requests with this `X-Tollgate-Tag`.',
    request_id: 'Only the request of this id. Where a caller chose the id, there may be several.',
  }),
  answer: listOfRecords('RequestPage', requestRecord),
  responses: { 200: listAnswer(csvExample, ({ model }) => one('A page', examplePage(example(model('chat'))))) },
  errors: ['invalid_parameter'],
  handle: async ({
    ctx,
    deps,
    query: { key_id: keyId, request_id: requestId, user: endUser, limit, cursor, ...filter },
  }) => {
    const { accountId: account } = keyOf(ctx);
    const listing = await requestListing(deps, { ...filter, account, keyId, requestId, endUser });
    return answerList(ctx, listing, { limit, cursor }, requestCsv(deps.configuration.currency));
  },
});

const bodyExample = (text: string) => ({ kind: 'text', text, bytes: text.length, cut: false });

const getRequestBody = operation({
  method: 'get',
  path: '/requests/{id}/body',
  id: 'getRequestBody',
  tag: 'Account',
  level: 'admin',
  summary: 'Recorded bodies of a request',
  description:
    'Only of accounts whose owners have switched the recording of bodies on, and for as long as they set. Of several requests of one id, the newest. Each reading is in the audit log.',
  parameters: [pathParameter('id', "The request's id, as its answer had it in `X-Request-Id`.", exampleIds.request)],
  answer: requestBodiesRecord,
  responses: {
    200: {
      description: 'The bodies, without what was redacted.',
      examples: ({ model }) =>
        one('The bodies', {
          ...{ id: exampleIds.request, object: 'request.bodies', created: exampleCreated },
          expires_at: exampleCreated + 7 * 86_400,
          request: bodyExample(`{"model":"${model('chat')}","messages":[{"role":"user","content":"Hello"}]}`),
          answer: bodyExample('{"choices":[{"message":{"role":"assistant","content":"Hello!"}}]}'),
        }),
    },
  },
  errors: ['body_not_found'],
  handle: async ({ ctx, deps, params: { id = '' } }) => {
    const wanted = { account: keyOf(ctx).accountId, requestId: id };
    const found = await readBodies(deps, await administratorOf(ctx, deps), wanted);
    ctx.set('Cache-Control', 'no-store');
    return requestBodiesObject(id, found);
  },
});

export const requestOperations = [listAccountRequests, getRequestBody];
