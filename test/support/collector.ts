/** A collector of traces that takes OTLP as JSON and keeps every span, for looking into. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import * as z from 'zod';
import { until } from './process.ts';

const value = z
  .object({
    stringValue: z.string().optional(),
    intValue: z.number().optional(),
    doubleValue: z.number().optional(),
    boolValue: z.boolean().optional(),
  })
  .transform((one) => one.stringValue ?? one.intValue ?? one.doubleValue ?? one.boolValue);
const attributes = z
  .array(z.object({ key: z.string(), value }))
  .transform((all) => Object.fromEntries(all.map((one) => [one.key, one.value])));
const spanSchema = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().optional(),
  name: z.string(),
  kind: z.number(),
  attributes,
  status: z.object({ code: z.number().optional(), message: z.string().optional() }).optional(),
  events: z.array(z.object({ name: z.string(), attributes })).default([]),
});
const request = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes }),
      scopeSpans: z.array(z.object({ spans: z.array(spanSchema) })),
    }),
  ),
});

export type SeenSpan = z.output<typeof spanSchema> & { service: unknown };

export interface Collector {
  url: string;
  spans: SeenSpan[];
  /** All that came, as it came. */
  bodies: string[];
  headers: Record<string, unknown>[];
  /** The spans of a trace, once all of these names are among them. */
  trace(traceId: string, names: readonly string[]): Promise<SeenSpan[]>;
  close(): Promise<void>;
}

/** Opens one; close it in an `after` hook. */
export async function openCollector(): Promise<Collector> {
  const spans: SeenSpan[] = [];
  const bodies: string[] = [];
  const headers: Record<string, unknown>[] = [];
  const server = createServer((incoming, response) => {
    void text(incoming).then((body) => {
      bodies.push(body);
      headers.push({ ...incoming.headers, path: incoming.url });
      for (const { resource, scopeSpans } of request.parse(JSON.parse(body)).resourceSpans) {
        for (const scope of scopeSpans) {
          spans.push(...scope.spans.map((span) => ({ ...span, service: resource.attributes['service.name'] })));
        }
      }
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    bodies,
    headers,
    trace: (traceId, names) =>
      until(`${names.join(', ')} of a trace`, () => {
        const those = spans.filter((span) => span.traceId === traceId);
        return names.every((name) => those.some((span) => span.name === name)) ? those : undefined;
      }),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Names from a span up to the one that no other is above, such as `['b', 'a']`. */
export function pathOf(spans: readonly SeenSpan[], name: string): string[] {
  const path: string[] = [];
  for (let span = spans.find((one) => one.name === name); span; span = above(spans, span)) path.push(span.name);
  return path;
}

const above = (spans: readonly SeenSpan[], { parentSpanId }: SeenSpan): SeenSpan | undefined =>
  parentSpanId === undefined || parentSpanId === '' ? undefined : spans.find(({ spanId }) => spanId === parentSpanId);
