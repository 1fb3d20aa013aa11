/** Traces by OpenTelemetry, handed to a collector over OTLP/HTTP. Loaded only where the settings name one. */
import {
  type Context,
  context,
  propagation,
  type Span as OtelSpan,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { Resource } from '@opentelemetry/resources';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-base';
import {
  makeWorkflowExporter,
  OpenTelemetryActivityInboundInterceptor,
  OpenTelemetryWorkflowClientInterceptor,
} from '@temporalio/interceptors-opentelemetry';
import { within } from '../../domain/within.ts';
import type { TraceSettings } from '../../config/environment.ts';
import { CleaningExporter } from './cleaning-exporter.ts';
import type { Attributes, Span, SpanKind as Kind, Tracing } from './tracing.ts';

/** What waits for the collector; a span more is dropped. Some 2 kB each. */
const queueSpansMax = 8_192;
const batchSpansMax = 512;
const handOverEveryMs = 1_000;
const handOverMsMax = 10_000;
const closeMsMax = 3_000;

export interface TracingTools {
  /** Strikes secrets out of whatever text a span has. */
  mask: (text: string) => string;
  /** Called at most every few minutes while the collector takes nothing. */
  onExportError: (error: unknown, lostSpans: number) => void;
}

/** Begins to trace. Context is kept by one manager for the process, whatever number of these there are. */
export function openTracing(settings: TraceSettings, { mask, onExportError }: TracingTools): Tracing {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  const exporter = new OTLPTraceExporter({
    url: `${settings.endpoint}/v1/traces`,
    headers: { ...settings.headers },
    timeoutMillis: handOverMsMax,
  });
  const processor = new BatchSpanProcessor(new CleaningExporter(exporter, mask, onExportError), {
    maxQueueSize: queueSpansMax,
    maxExportBatchSize: batchSpansMax,
    scheduledDelayMillis: handOverEveryMs,
    exportTimeoutMillis: handOverMsMax,
  });
  const resource = new Resource({ 'service.name': settings.serviceName });
  const share = new TraceIdRatioBasedSampler(settings.sampledShare);
  const provider = new BasicTracerProvider({
    resource,
    // Strangers send headers, too: a caller's wish to be sampled is none. The share goes by the trace's id, so all processes agree.
    sampler: new ParentBasedSampler({ root: share, remoteParentSampled: share }),
    spanProcessors: [processor],
  });
  const tracer = provider.getTracer('tollgate');
  const starts = new OpenTelemetryWorkflowClientInterceptor({ tracer });
  return {
    ...spansOf(tracer),
    // Of all that a client asks only what goes on elsewhere: the rest is looking.
    client: [{ startWithDetails: (input, next) => starts.startWithDetails(input, next) }],
    worker: {
      activity: [(activity) => ({ inbound: new OpenTelemetryActivityInboundInterceptor(activity, { tracer }) })],
      sinks: { exporter: makeWorkflowExporter(processor, resource) },
    },
    close: () => inTime(closeMsMax, processor.shutdown()),
  };
}

/** All that has to do with spans and the active one. */
function spansOf(tracer: ReturnType<BasicTracerProvider['getTracer']>): Omit<Tracing, 'client' | 'worker' | 'close'> {
  const contexts = new WeakMap<Span, Context>();
  const begin: Tracing['begin'] = (name, kind, attributes = {}, { traceparent, startedAt } = {}) => {
    const parent = traceparent === undefined ? context.active() : belowOf(traceparent);
    const options = {
      kind: kinds[kind],
      attributes: plain(attributes),
      ...(startedAt !== undefined && { startTime: startedAt }),
    };
    const span = tracer.startSpan(name, options, parent);
    const shown = shownSpan(span);
    contexts.set(shown, trace.setSpan(parent, span));
    return shown;
  };
  const within: Tracing['within'] = (span, run) => context.with(contexts.get(span) ?? context.active(), run);
  return {
    begin,
    within,
    async during(name, kind, attributes, run) {
      const span = begin(name, kind, attributes);
      try {
        return await within(span, () => run(span));
      } catch (error) {
        span.fail(error instanceof Error ? error.name : 'unknown');
        throw error;
      } finally {
        span.end();
      }
    },
    below: (traceparent, run) =>
      traceparent === undefined || trace.getActiveSpan() ? run() : context.with(belowOf(traceparent), run),
    traceparent() {
      const carrier: Record<string, string> = {};
      propagation.inject(context.active(), carrier);
      return carrier['traceparent'];
    },
    traceId: () => trace.getActiveSpan()?.spanContext().traceId,
    annotate: (attributes) => void trace.getActiveSpan()?.setAttributes(plain(attributes)),
  };
}

const kinds: Record<Kind, SpanKind> = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL };

const belowOf = (traceparent: string): Context => propagation.extract(context.active(), { traceparent });

const shownSpan = (span: OtelSpan): Span => ({
  traceId: span.spanContext().traceId,
  name: (name) => void span.updateName(name),
  set: (attributes) => void span.setAttributes(plain(attributes)),
  fail(kind) {
    span.setStatus({ code: SpanStatusCode.ERROR, message: kind });
    span.setAttribute('error.type', kind);
  },
  end: () => span.isRecording() && span.end(),
});

const plain = (attributes: Attributes): Record<string, string | number | boolean> =>
  Object.fromEntries(
    Object.entries(attributes).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  );

/** A collector that is away does not delay the end of the process. */
async function inTime(ms: number, work: Promise<void>): Promise<void> {
  await within(
    ms,
    work.catch(() => undefined),
    () => undefined,
  );
}
