/** What counts, given to the parts that have something to count. Each keeps its cells, so that counting finds them by one look-up. */
import type { TokenUnit } from '../../domain/billing/line-units.ts';
import type { LedgerWatch } from '../../ledger/commit/ledger-watch.ts';
import type { CounterCell, HistogramCell } from './cells.ts';
import { createLedgerMeter } from './ledger-meter.ts';
import { ProcessMetrics } from './metric-registry.ts';

/** All of one process. */
export interface Meters {
  metrics: ProcessMetrics;
  requests: RequestMeter;
  chat: ChatMeter;
  providers: ProviderMeter;
  blobs: BlobMeter;
  steps: StepMeter;
  batches: BatchMeter;
  ledger: LedgerWatch;
}

export function createMeters(): Meters {
  const metrics = new ProcessMetrics();
  return {
    metrics,
    requests: new RequestMeter(metrics),
    chat: new ChatMeter(metrics),
    providers: new ProviderMeter(metrics),
    blobs: new BlobMeter(metrics),
    steps: new StepMeter(metrics),
    batches: new BatchMeter(metrics),
    ledger: createLedgerMeter(metrics),
  };
}

/** One route of the router, by method and status. */
interface RouteCells {
  seconds: HistogramCell;
  firstByte: HistogramCell;
  /** By method, then by status; 0: the caller left. */
  methods: Map<string, Map<number, CounterCell>>;
}

/** What clients may send as a method is theirs to choose; what is counted is ours. */
const knownMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

export class RequestMeter {
  readonly #metrics: ProcessMetrics;
  readonly #routes = new Map<string, RouteCells>();

  constructor(metrics: ProcessMetrics) {
    this.#metrics = metrics;
  }

  /** A request is over. `firstByteMs` is undefined, and `status` 0, for one that was left before its answer began. */
  count(route: string, method: string, status: number, ms: number, firstByteMs: number | undefined): void {
    const cells = this.#routes.get(route) ?? this.#route(route);
    const statuses = cells.methods.get(method) ?? this.#method(cells, method);
    let cell = statuses.get(status);
    if (!cell) statuses.set(status, (cell = this.#status(route, method, status)));
    cell.add();
    cells.seconds.observe(ms / 1000);
    if (firstByteMs !== undefined) cells.firstByte.observe(firstByteMs / 1000);
  }

  /** Records of requests were given up. */
  countLostRecords(count: number, reason: 'full' | 'refused'): void {
    this.#metrics.counter('tollgate_request_records_lost_total', reason).add(count);
  }

  /** Recorded bodies were given up. */
  countLostBodies(count: number, reason: 'full' | 'failed'): void {
    this.#metrics.counter('tollgate_request_bodies_lost_total', reason).add(count);
  }

  #route(route: string): RouteCells {
    const cells: RouteCells = {
      seconds: this.#metrics.histogram('tollgate_http_request_duration_seconds', route),
      firstByte: this.#metrics.histogram('tollgate_http_time_to_first_byte_seconds', route),
      methods: new Map(),
    };
    this.#routes.set(route, cells);
    return cells;
  }

  #method({ methods }: RouteCells, method: string): Map<number, CounterCell> {
    const known = knownMethods.has(method) ? method : 'other';
    const statuses = methods.get(known) ?? new Map<number, CounterCell>();
    methods.set(known, statuses);
    return statuses;
  }

  #status(route: string, method: string, status: number): CounterCell {
    const known = knownMethods.has(method) ? method : 'other';
    return this.#metrics.counter('tollgate_http_requests_total', route, known, status === 0 ? 'left' : String(status));
  }
}

/** Tokens of one model, by the units of a price's lines: `input_token` counts as `input`. */
export class TokenCells {
  readonly #cells = new Map<TokenUnit, CounterCell>();
  readonly #make: (direction: string) => CounterCell;

  constructor(make: (direction: string) => CounterCell) {
    this.#make = make;
    for (const unit of ['input_token', 'cached_input_token', 'output_token'] as const) this.#cellOf(unit);
  }

  add(unit: TokenUnit, count: number): void {
    this.#cellOf(unit).add(count);
  }

  #cellOf(unit: TokenUnit): CounterCell {
    let cell = this.#cells.get(unit);
    if (!cell) this.#cells.set(unit, (cell = this.#make(unit.slice(0, -'_token'.length))));
    return cell;
  }
}

/** What a model's calls are counted with. */
export interface ModelCells {
  json: { added: HistogramCell; upstream: HistogramCell };
  stream: { added: HistogramCell; upstream: HistogramCell };
  tokens: Record<'upstream' | 'estimated', TokenCells>;
}

export class ChatMeter {
  readonly #metrics: ProcessMetrics;
  readonly #models = new Map<string, ModelCells>();

  constructor(metrics: ProcessMetrics) {
    this.#metrics = metrics;
  }

  of(model: string): ModelCells {
    return this.#models.get(model) ?? this.#make(model);
  }

  #make(model: string): ModelCells {
    const latencies = (mode: string) => ({
      added: this.#metrics.histogram('tollgate_chat_added_latency_seconds', model, mode),
      upstream: this.#metrics.histogram('tollgate_chat_upstream_latency_seconds', model, mode),
    });
    const tokens = (source: string) =>
      new TokenCells((direction) => this.#metrics.counter('tollgate_tokens_total', model, direction, source));
    const cells = {
      json: latencies('json'),
      stream: latencies('stream'),
      tokens: { upstream: tokens('upstream'), estimated: tokens('estimated') },
    };
    this.#models.set(model, cells);
    return cells;
  }
}

type Operation = 'create' | 'poll' | 'find' | 'cancel' | 'probe' | 'chat';

/** One operation of one provider. */
export class OperationCells {
  readonly seconds: HistogramCell;
  readonly #outcomes = new Map<string, CounterCell>();
  readonly #make: (outcome: string) => CounterCell;

  constructor(seconds: HistogramCell, make: (outcome: string) => CounterCell) {
    this.seconds = seconds;
    this.#make = make;
  }

  count(outcome: string, ms: number): void {
    let cell = this.#outcomes.get(outcome);
    if (!cell) this.#outcomes.set(outcome, (cell = this.#make(outcome)));
    cell.add();
    this.seconds.observe(ms / 1000);
  }
}

export class ProviderMeter {
  readonly #metrics: ProcessMetrics;
  readonly #operations: Record<Operation, Map<string, OperationCells>> = {
    create: new Map(),
    poll: new Map(),
    find: new Map(),
    cancel: new Map(),
    probe: new Map(),
    chat: new Map(),
  };

  constructor(metrics: ProcessMetrics) {
    this.#metrics = metrics;
  }

  /** A usage that was not as it should be; few are. */
  countOddUsage(provider: string, reason: string): void {
    this.#metrics.counter('tollgate_usage_odd_total', provider, reason).add();
  }

  of(provider: string, operation: Operation): OperationCells {
    const known = this.#operations[operation].get(provider);
    if (known) return known;
    const cells = new OperationCells(
      this.#metrics.histogram('tollgate_provider_call_duration_seconds', provider, operation),
      (outcome) => this.#metrics.counter('tollgate_provider_calls_total', provider, operation, outcome),
    );
    this.#operations[operation].set(provider, cells);
    return cells;
  }
}

export class BlobMeter {
  readonly written: CounterCell;
  readonly read: CounterCell;
  readonly #metrics: ProcessMetrics;

  constructor(metrics: ProcessMetrics) {
    this.#metrics = metrics;
    this.written = metrics.counter('tollgate_blob_bytes_total', 'write');
    this.read = metrics.counter('tollgate_blob_bytes_total', 'read');
  }

  count(
    operation: 'write' | 'read' | 'size' | 'remove' | 'check',
    outcome: 'ok' | 'refused' | 'error',
    ms: number,
  ): void {
    this.#metrics.counter('tollgate_blob_operations_total', operation, outcome).add();
    this.#metrics.histogram('tollgate_blob_operation_duration_seconds', operation).observe(ms / 1000);
  }
}

export type CountedLine = 'completed' | 'failed' | 'cancelled' | 'unknown' | 'resent' | 'postponed';

/** Lines of batches. */
export class BatchMeter {
  readonly #metrics: ProcessMetrics;

  constructor(metrics: ProcessMetrics) {
    this.#metrics = metrics;
  }

  count(outcome: CountedLine, lines = 1): void {
    if (lines > 0) this.#metrics.counter('tollgate_batch_lines_total', outcome).add(lines);
  }
}

/** Some runs a second at the most, so cells are found anew each time. */
export class StepMeter {
  readonly #metrics: ProcessMetrics;

  constructor(metrics: ProcessMetrics) {
    this.#metrics = metrics;
  }

  count(step: string, kind: string, outcome: string, ms: number): void {
    this.#metrics.histogram('tollgate_step_duration_seconds', step, kind, outcome).observe(ms / 1000);
  }
}
