/** The gateway itself: probes, metrics and the document. No key is needed. */
import * as z from 'zod';
import { errorBody, GatewayError } from '../../domain/errors.ts';
import { written } from '../operation.ts';
import { type AllOperations, servedDocument, packedEncodings } from '../openapi/document.ts';
import { one } from '../openapi/examples.ts';
import { headers } from '../openapi/headers.ts';
import { answer } from '../openapi/schemas.ts';
import { operation, type Operation } from '../public-operation.ts';
import { callerBehind } from '../server/proxy-protocol.ts';

const state = answer(
  'State',
  z.strictObject({
    status: z.enum(['ok', 'degraded']),
    temporal: z.string().optional().describe('What is wrong with Temporal: tasks are accepted and run later.'),
  }),
);
const up = one('It is', { status: 'ok' });

const isUp = operation({
  method: 'get',
  path: '/healthz',
  id: 'isUp',
  tag: 'Service',
  summary: 'Liveness: whether the process is up',
  answer: state,
  responses: { 200: { description: 'It is.', examples: () => up } },
  handle: () => ({ status: 'ok' }),
});

const isReady = operation({
  method: 'get',
  path: '/readyz',
  id: 'isReady',
  tag: 'Service',
  summary: 'Readiness: whether the process can serve requests',
  description: 'Not ready until everything answered once, then whenever database or blob store are away, or it drains.',
  answer: state,
  responses: {
    200: {
      description: 'It can.',
      examples: () => ({
        ...up,
        degraded: {
          summary: 'Tasks are accepted and run later',
          value: { status: 'degraded', temporal: 'Temporal does not answer' },
        },
      }),
    },
  },
  handle: async ({ ctx, deps: { readiness } }) => {
    const now = await readiness.now();
    if (now.ready)
      return 'degraded' in now ? { status: 'degraded' as const, temporal: now.degraded } : { status: 'ok' as const };
    ctx.status = 503;
    ctx.set('Retry-After', '2');
    ctx.body = { error: errorBody({ code: 'not_ready', message: `Not ready: ${now.reason}.` }) };
    return written;
  },
});

const getMetrics = operation({
  method: 'get',
  path: '/metrics',
  id: 'getMetrics',
  tag: 'Service',
  summary: 'Metrics for Prometheus',
  answer: z.void(),
  responses: {
    200: {
      description: "Prometheus' text format.",
      content: {
        'text/plain': {
          schema: { type: 'string' },
          example: [
            '# HELP tollgate_process_start_time_seconds Start time of the process since unix epoch in seconds.',
            '# TYPE tollgate_process_start_time_seconds gauge',
            'tollgate_process_start_time_seconds 1767225600',
            '',
          ].join('\n'),
        },
      },
    },
  },
  handle: async ({ ctx, deps: { metrics } }) => {
    // For callers beside the gateway: what comes through the balancer comes from the outside.
    if (callerBehind(ctx.req.socket) !== undefined)
      throw new GatewayError('route_not_found', 'No route matches /metrics.');
    ctx.body = await metrics.metrics();
    ctx.set('Content-Type', metrics.contentType);
  },
});

/** The document, in which this operation is too. */
const getOpenApi = (all: () => AllOperations): Operation =>
  operation({
    method: 'get',
    path: '/openapi.json',
    id: 'getOpenApi',
    tag: 'Service',
    summary: 'This document',
    answer: z.void(),
    responses: {
      200: {
        description: 'OpenAPI 3.1.',
        headers: headers('ETag'),
        content: { 'application/json': { schema: { type: 'object' } } },
        examples: () => one('Its beginning', { openapi: '3.1.1', info: { title: 'Tollgate' } }),
      },
      304: { description: 'It is the one that `If-None-Match` names.', headers: headers('ETag') },
    },
    handle: async ({ ctx, deps: { configuration, publicUrl } }) => {
      const { bytes, packed, etag } = servedDocument(all(), configuration, publicUrl());
      const encoding = packedEncodings.find((one) => ctx.acceptsEncodings(one) === one); // in our order, not in the client's
      ctx.vary('Accept-Encoding');
      ctx.status = 200;
      ctx.etag = encoding ? `${etag}-${encoding}` : etag; // bytes that differ have tags that differ
      ctx.set('Cache-Control', 'public, max-age=60');
      if (ctx.fresh) ctx.status = 304;
      else {
        if (encoding) ctx.set('Content-Encoding', encoding);
        ctx.type = 'application/json';
        ctx.body = encoding ? await packed(encoding) : bytes;
      }
    },
  });

export const serviceOperations = (all: () => AllOperations): readonly Operation[] => [
  isUp,
  isReady,
  getMetrics,
  getOpenApi(all),
];
