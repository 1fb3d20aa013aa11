/** What belongs to no deployment: probes, metrics, this document, stored files and the hooks of providers. */
import * as z from 'zod';
import { exampleIds } from './example-ids.ts';
import { headers } from './headers.ts';
import type { JsonSchema, Operation } from './operation.ts';
import { answer, refOf } from './schemas.ts';

const state = answer(
  'State',
  z.strictObject({
    status: z.enum(['ok', 'degraded']),
    temporal: z.string().optional().describe('What is wrong with Temporal: tasks are accepted and run later.'),
  }),
);
const stateContent = { 'application/json': { schema: refOf(state) } };

const parameter = (place: 'path' | 'query', name: string, description: string, example: string): JsonSchema => ({
  name,
  in: place,
  required: true,
  description,
  schema: { type: 'string' },
  example,
});
/** No signature of any secret. */
const signature = 'c2lnbmF0dXJl';

const fileHeaders: Record<string, JsonSchema> = {
  ...headers('ETag'),
  'Accept-Ranges': { required: true, schema: { const: 'bytes' } },
  'Content-Disposition': { required: true, schema: { type: 'string' } },
};
const contentRange: Record<string, JsonSchema> = {
  'Content-Range': { required: true, schema: { type: 'string', pattern: '^bytes ' } },
};
const metrics: JsonSchema = {
  schema: { type: 'string' },
  example: [
    '# HELP tollgate_process_start_time_seconds Start time of the process since unix epoch in seconds.',
    '# TYPE tollgate_process_start_time_seconds gauge',
    'tollgate_process_start_time_seconds 1767225600',
    '',
  ].join('\n'),
};
const media = { 'image/*': {}, 'video/*': {}, 'audio/*': {} };

export const serviceOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/healthz',
    id: 'isUp',
    tag: 'Service',
    summary: 'Whether the process is up',
    answers: { 200: { description: 'It is.', content: stateContent } },
  },
  {
    method: 'get',
    path: '/readyz',
    id: 'isReady',
    tag: 'Service',
    summary: 'Whether the process can do its work',
    description:
      'Not ready until everything answered once, then whenever database or blob store are away, or it drains.',
    answers: { 200: { description: 'It can.', content: stateContent } },
  },
  {
    method: 'get',
    path: '/metrics',
    id: 'getMetrics',
    tag: 'Service',
    summary: 'Metrics for Prometheus',
    answers: {
      200: { description: "Prometheus' text format.", content: { 'text/plain': metrics } },
    },
  },
  {
    method: 'get',
    path: '/openapi.json',
    id: 'getOpenApi',
    tag: 'Service',
    summary: 'This document',
    answers: {
      200: {
        description: 'OpenAPI 3.1.',
        headers: headers('ETag'),
        content: { 'application/json': { schema: { type: 'object' } } },
      },
      304: { description: 'It is the one that `If-None-Match` names.', headers: headers('ETag') },
    },
  },
  {
    method: 'get',
    path: '/files/{task}/{file}',
    id: 'getFile',
    tag: 'Service',
    summary: 'A stored result, by its signed link',
    description:
      'Links are in the records of tasks; the signature is the permission. One `Range` of bytes may be asked for.',
    parameters: [
      parameter('path', 'task', 'Task id.', exampleIds.image),
      parameter('path', 'file', 'Number of the result.', '0'),
      parameter('query', 'e', 'Until when the link is good, in Unix seconds.', '1767312000'),
      parameter('query', 'k', 'Which secret signed it.', '1'),
      parameter('query', 's', 'The signature.', signature),
    ],
    answers: {
      200: { description: 'The file.', headers: fileHeaders, content: media },
      302: {
        description: 'It is in a store that callers can reach: `Location` is good for five minutes, for ranges, too.',
        headers: headers('Location', 'Cache-Control'),
      },
      206: { description: 'The range.', headers: { ...fileHeaders, ...contentRange }, content: media },
      416: { description: 'Range not satisfiable.', headers: contentRange },
    },
    errors: ['route_not_found'],
  },
  {
    method: 'post',
    path: '/hooks/{task}/{route}',
    id: 'callHook',
    tag: 'Service',
    summary: 'Where a provider calls when a job ends',
    description: 'For providers, who are told the address with the job; the signature is the permission.',
    parameters: [
      parameter('path', 'task', 'Task id.', exampleIds.video),
      parameter('path', 'route', "Number of the model's route.", '0'),
      parameter('query', 'k', 'Which secret signed it.', '1'),
      parameter('query', 's', 'The signature.', signature),
    ],
    body: { content: { 'application/json': { schema: {}, example: { id: 'job-1', status: 'succeeded' } } } },
    answers: { 204: { description: 'Accepted.' } },
    errors: ['route_not_found'],
  },
];
