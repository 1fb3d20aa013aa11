/** The metrics of one process: made from the table, counted with by cells, read by scrapes. */
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { CellCounter, CellHistogram, type CounterCell, type HistogramCell } from './cells.ts';
import {
  type CounterName,
  type Declaration,
  type GaugeName,
  type HistogramName,
  type LabelValues,
  metricTable,
} from './metric-table.ts';

/**
 * Between two looks at the lag of the event loop, and part of what they find. Every 10 ms, as the package has it, they were half
 * of what an idle gateway takes of the CPU: 0.4 % of a core.
 */
const lagLookMs = 50;

/** What a gauge shows: one value, one a combination of labels, or undefined for nothing. */
export type Reading = number | undefined | readonly { labels: readonly string[]; value: number }[];

export class ProcessMetrics {
  readonly contentType = Registry.PROMETHEUS_CONTENT_TYPE;
  readonly #registry = new Registry();
  readonly #counters = new Map<string, CellCounter>();
  readonly #histograms = new Map<string, CellHistogram>();
  readonly #readers = new Map<string, () => Reading | Promise<Reading>>();
  /** Texts of others that are shown after ours. */
  readonly #others: (() => Promise<string>)[] = [];
  #scrape: Promise<string> | undefined;

  constructor() {
    for (const [name, declaration] of Object.entries<Declaration>(metricTable)) {
      const { type, help, labels = [], buckets = [] } = declaration;
      if (type === 'counter') this.#counters.set(name, new CellCounter({ name, help, labels }));
      if (type === 'histogram') this.#histograms.set(name, new CellHistogram({ name, help, labels, buckets }));
    }
    for (const metric of this.#counters.values()) this.#registry.registerMetric(metric);
    for (const metric of this.#histograms.values()) this.#registry.registerMetric(metric);
    collectDefaultMetrics({ register: this.#registry, prefix: 'tollgate_', eventLoopMonitoringPrecision: lagLookMs });
  }

  /** The cell of a counter; to be asked for once and kept. */
  counter<Name extends CounterName>(name: Name, ...values: LabelValues<Name>): CounterCell {
    return declared(this.#counters, name).cell(values);
  }

  /** The cell of a histogram; likewise. */
  histogram<Name extends HistogramName>(name: Name, ...values: LabelValues<Name>): HistogramCell {
    return declared(this.#histograms, name).cell(values);
  }

  /** Shows a gauge from now on. It is read by each scrape; `read` bounds its own time. The last one to be named counts. */
  gauge(name: GaugeName, read: () => Reading | Promise<Reading>): void {
    if (!this.#readers.has(name)) this.#showGauge(name);
    this.#readers.set(name, read);
  }

  /** Shows another source's metrics after ours; their names must not begin with `tollgate_`. */
  append(text: () => Promise<string>): void {
    this.#others.push(text);
  }

  /** Everything in Prometheus' text format. A scrape that comes while another runs gets its answer. */
  metrics(): Promise<string> {
    this.#scrape ??= this.#text().finally(() => (this.#scrape = undefined));
    return this.#scrape;
  }

  /** Everything but what was appended, as objects that say how each is put together over several processes. */
  async figures(): Promise<readonly object[]> {
    const all = await this.#registry.getMetricsAsJSON();
    // prom-client takes the average of lags, which hides the one process that stands still.
    return all.map((metric) => (metric.aggregator === 'average' ? { ...metric, aggregator: 'max' } : metric));
  }

  async #text(): Promise<string> {
    const texts = await Promise.all([this.#registry.metrics(), ...this.#others.map((text) => text())]);
    return texts.join('');
  }

  #showGauge(name: GaugeName): void {
    const { help, labels = [], over = 'sum' }: Declaration = metricTable[name];
    // One figure that can't be read must not cost the others.
    const errors = this.counter('tollgate_scrape_errors_total', 'figure');
    const read = async () => {
      try {
        return await this.#readers.get(name)?.();
      } catch {
        errors.add();
        return undefined;
      }
    };
    const gauge = new Gauge({
      name,
      help,
      labelNames: [...labels],
      registers: [],
      aggregator: over,
      async collect() {
        const reading = await read();
        this.reset(); // which leaves a 0 where there are no labels
        if (typeof reading === 'number') this.set(reading);
        else if (labels.length === 0) this.remove();
        else for (const each of reading ?? []) this.labels(...each.labels).set(each.value);
      },
    });
    this.#registry.registerMetric(gauge);
  }
}

function declared<Metric>(metrics: ReadonlyMap<string, Metric>, name: string): Metric {
  const metric = metrics.get(name);
  if (!metric) throw new TypeError(`no metric ${name}`);
  return metric;
}
