/**
 * Traces as the rest of the gateway knows them: types only, so that nothing of OpenTelemetry is loaded where there are no
 * traces. What may trace is given a `Tracing` or undefined, and asks once.
 */
import type { WorkflowClientInterceptor } from '@temporalio/client';
import type { ActivityInterceptorsFactory, WorkerOptions } from '@temporalio/worker';

/** Never prompts, keys, or addresses with queries; the names are in `names.ts`. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

export type SpanKind = 'server' | 'client' | 'internal';

export interface Span {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  name(name: string): void;
  set(attributes: Attributes): void;
  /** Marks it as failed, by a word that says what kind of failure it was. */
  fail(kind: string): void;
  /** Harmless when it has ended. */
  end(): void;
}

export interface BeginOptions {
  /** Of the caller, as it came (W3C Trace Context); the span goes below it if it makes sense. */
  traceparent?: string;
  /** Unix milliseconds; now without. */
  startedAt?: number;
}

export interface Tracing {
  /** Begins a span below the one that is active. */
  begin(name: string, kind: SpanKind, attributes?: Attributes, more?: BeginOptions): Span;
  /** Runs something under a span: what begins within is below it. */
  within<T>(span: Span, run: () => T): T;
  /** Runs a step as a span of its own; a rejection marks it as failed, by the kind of the error only. */
  during<T>(name: string, kind: SpanKind, attributes: Attributes, run: (span: Span) => Promise<T>): Promise<T>;
  /** Runs something below the span that a `traceparent` names, unless a span is active already. */
  below<T>(traceparent: string | undefined, run: () => T): T;
  /** Of the active span, to continue it elsewhere. */
  traceparent(): string | undefined;
  traceId(): string | undefined;
  /** Sets attributes of the active span. */
  annotate(attributes: Attributes): void;
  readonly client: WorkflowClientInterceptor[];
  readonly worker: TracedWorker;
  /** Hands over what is left, for three seconds at the most. */
  close(): Promise<void>;
}

/** What a worker needs for tracing workflows and activities. */
export interface TracedWorker {
  activity: ActivityInterceptorsFactory[];
  sinks: NonNullable<WorkerOptions['sinks']>;
}
