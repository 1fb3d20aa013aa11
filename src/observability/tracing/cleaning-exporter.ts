/**
 * What a span says before it leaves: every text without secrets, and of exceptions neither message nor stack. The collector
 * may be any library's, and what Temporal's interceptors record of a failure is not ours to choose.
 */
import type { Attributes } from '@opentelemetry/api';
import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-base';

/** A collector that is away is reported once in this time. */
const toldEveryMs = 300_000;
const leftOut: ReadonlySet<string> = new Set(['exception.message', 'exception.stacktrace']);

export class CleaningExporter implements SpanExporter {
  readonly #exporter: SpanExporter;
  readonly #mask: (text: string) => string;
  readonly #onExportError: (error: unknown, lostSpans: number) => void;
  #lost = 0;
  #toldAt = -Infinity;

  constructor(
    exporter: SpanExporter,
    mask: (text: string) => string,
    onExportError: (error: unknown, lostSpans: number) => void,
  ) {
    this.#exporter = exporter;
    this.#mask = mask;
    this.#onExportError = onExportError;
  }

  export(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    this.#exporter.export(
      spans.map((span) => this.#cleaned(span)),
      (result) => {
        if (result.code !== ExportResultCode.SUCCESS) this.#lose(spans.length, result.error);
        // What was lost was reported; OpenTelemetry's own report would come each time.
        done({ code: ExportResultCode.SUCCESS });
      },
    );
  }

  async shutdown(): Promise<void> {
    await this.#exporter.shutdown();
  }

  async forceFlush(): Promise<void> {
    await this.#exporter.forceFlush?.();
  }

  #lose(spans: number, error: unknown): void {
    this.#lost += spans;
    if (performance.now() - this.#toldAt < toldEveryMs) return;
    this.#toldAt = performance.now();
    this.#onExportError(error, this.#lost);
    this.#lost = 0;
  }

  #cleaned(span: ReadableSpan): ReadableSpan {
    const { status } = span;
    return {
      name: this.#mask(span.name),
      kind: span.kind,
      spanContext: () => span.spanContext(),
      ...(span.parentSpanId !== undefined && { parentSpanId: span.parentSpanId }),
      startTime: span.startTime,
      endTime: span.endTime,
      status: status.message === undefined ? status : { code: status.code, message: this.#mask(status.message) },
      attributes: this.#attributes(span.attributes),
      links: span.links,
      events: span.events.map((event) => ({ ...event, attributes: this.#attributes(event.attributes ?? {}) })),
      duration: span.duration,
      ended: span.ended,
      resource: span.resource,
      instrumentationLibrary: span.instrumentationLibrary,
      droppedAttributesCount: span.droppedAttributesCount,
      droppedEventsCount: span.droppedEventsCount,
      droppedLinksCount: span.droppedLinksCount,
    };
  }

  #attributes(attributes: Attributes): Attributes {
    const kept = Object.entries(attributes).filter(([name]) => !leftOut.has(name));
    return Object.fromEntries(
      kept.map(([name, value]) => [name, typeof value === 'string' ? this.#mask(value) : value]),
    );
  }
}
