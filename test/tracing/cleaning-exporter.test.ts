import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { test } from 'node:test';
import { SpanStatusCode } from '@opentelemetry/api';
import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import { BasicTracerProvider, type ReadableSpan, type SpanExporter } from '@opentelemetry/sdk-trace-base';
import { Mask } from '../../src/observability/logging/mask.ts';
import { CleaningExporter } from '../../src/observability/tracing/cleaning-exporter.ts';
import { openTracing } from '../../src/observability/tracing/open-tracing.ts';

const unexpected = (error: unknown) => assert.ifError(error);

/** Keeps what it was handed, and answers with this code. */
class KeptSpans implements SpanExporter {
  readonly spans: ReadableSpan[] = [];
  code = ExportResultCode.SUCCESS;

  export(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    this.spans.push(...spans);
    done(this.code === ExportResultCode.SUCCESS ? { code: this.code } : { code: this.code, error: new Error('away') });
  }

  shutdown(): Promise<void> {
    return Promise.resolve();
  }
}

function endedSpan(): ReadableSpan {
  let ended: ReadableSpan | undefined;
  const provider = new BasicTracerProvider({
    spanProcessors: [
      {
        onStart: () => undefined,
        onEnd: (span) => (ended = span),
        forceFlush: () => Promise.resolve(),
        shutdown: () => Promise.resolve(),
      },
    ],
  });
  const span = provider.getTracer('test').startSpan('at https://host/path?s=sentinel');
  span.setAttribute('url.full', 'https://host/path?s=sentinel').setAttribute('count', 3);
  span.recordException(new Error('sentinel'));
  span.setStatus({ code: SpanStatusCode.ERROR, message: 'Bearer sentinel' });
  span.end();
  assert.ok(ended);
  return ended;
}

test('a span leaves without secrets in any text, and without the message and stack of an exception', () => {
  const kept = new KeptSpans();
  new CleaningExporter(kept, new Mask().applied, unexpected).export([endedSpan()], () => undefined);
  const [span] = kept.spans;
  assert.ok(span);
  assert.deepEqual([span.name, span.attributes['count']], ['at https://host/path?…', 3]);
  assert.deepEqual(
    span.events.map(({ attributes }) => attributes),
    [{ 'exception.type': 'Error' }],
  );
  const { name, attributes, events, status } = span;
  assert.ok(!JSON.stringify({ name, attributes, events, status }).includes('sentinel'));
});

test('a collector that takes nothing is reported once in a while, and only to the log', () => {
  const kept = new KeptSpans();
  kept.code = ExportResultCode.FAILED;
  const reports: unknown[] = [];
  const results: ExportResult[] = [];
  const exporter = new CleaningExporter(kept, new Mask().applied, (error, lost) => reports.push([error, lost]));
  for (let batch = 0; batch < 5; batch++) exporter.export([endedSpan()], (result) => results.push(result));
  assert.deepEqual(reports, [[new Error('away'), 1]]);
  assert.ok(results.length === 5 && results.every(({ code }) => code === ExportResultCode.SUCCESS));
});

test('a collector that hangs holds up neither work nor the end', async () => {
  const hanging = createServer((socket) => void socket.on('error', () => undefined)).listen(0, '127.0.0.1');
  await once(hanging, 'listening');
  const address = hanging.address();
  assert.ok(typeof address === 'object' && address);
  const endpoint = `http://127.0.0.1:${address.port}`;
  const tracing = openTracing(
    { endpoint, headers: {}, serviceName: 'test', sampledShare: 1 },
    { mask: new Mask().applied, onExportError: () => undefined },
  );
  const traceIds = new Set<string>();
  for (let at = 0; at < 20_000; at++) {
    await tracing.during('work', 'internal', {}, (span) => Promise.resolve(traceIds.add(span.traceId)));
  }
  assert.equal(traceIds.size, 20_000);
  await tracing.close();
  hanging.close();
});

test('a share of zero samples nothing that begins here, and still names it', async () => {
  const tracing = openTracing(
    { endpoint: 'http://127.0.0.1:1', headers: {}, serviceName: 'test', sampledShare: 0 },
    { mask: (text) => text, onExportError: unexpected },
  );
  await tracing.during('work', 'internal', {}, (span) => {
    assert.match(tracing.traceparent() ?? '', new RegExp(`^00-${span.traceId}-[0-9a-f]{16}-00$`));
    return Promise.resolve();
  });
  await tracing.close();
});
