/** Counters and histograms that are cells: what they show is what was counted, to the letter of the format. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CellCounter, CellHistogram } from '../../src/observability/metrics/cells.ts';
import { remembered } from '../../src/observability/metrics/cached-gauge.ts';
import { ProcessMetrics } from '../../src/observability/metrics/metric-registry.ts';
import { parseMetrics, valueOf } from '../support/metrics.ts';
import { Registry } from 'prom-client';

const shown = async (metric: CellCounter | CellHistogram) => {
  const registry = new Registry();
  registry.registerMetric(metric);
  return registry.metrics();
};

test('a counter shows each combination of labels that was counted', async () => {
  const counter = new CellCounter({ name: 'calls_total', help: 'Calls.', labels: ['route', 'status'] });
  counter.cell(['a', '200']).add();
  counter.cell(['a', '200']).add(2);
  counter.cell(['b "quoted"\n', '500']).add(0.5);
  assert.equal(
    await shown(counter),
    '# HELP calls_total Calls.\n# TYPE calls_total counter\n' +
      'calls_total{route="a",status="200"} 3\ncalls_total{route="b \\"quoted\\"\\n",status="500"} 0.5\n',
  );
});

test('a value on a bound falls into its bucket, one above all bounds into the last', async () => {
  const histogram = new CellHistogram({ name: 'seconds', help: 'Seconds.', labels: [], buckets: [0.1, 1] });
  const cell = histogram.cell([]);
  for (const value of [0, 0.1, 0.5, 1, 7]) cell.observe(value);
  assert.equal(
    await shown(histogram),
    '# HELP seconds Seconds.\n# TYPE seconds histogram\n' +
      'seconds_bucket{le="0.1"} 2\nseconds_bucket{le="1"} 4\nseconds_bucket{le="+Inf"} 5\nseconds_sum 8.6\nseconds_count 5\n',
  );
  assert.equal((await histogram.get()).values.length, 5);
});

test('a gauge shows what it is read to be, and nothing where there is nothing to show', async () => {
  const metrics = new ProcessMetrics();
  let reading: number | undefined = 3;
  metrics.gauge('tollgate_ready', () => reading);
  metrics.gauge('tollgate_part_up', () => [{ labels: ['database'], value: 1 }]);
  assert.equal(valueOf(parseMetrics(await metrics.metrics()), 'tollgate_ready'), 3);
  reading = undefined;
  metrics.gauge('tollgate_part_up', () => [{ labels: ['blobs'], value: 0 }]);
  const later = parseMetrics(await metrics.metrics());
  assert.deepEqual(later.get('tollgate_ready')?.samples, []);
  assert.deepEqual(later.get('tollgate_part_up')?.samples, [
    { name: 'tollgate_part_up', labels: { part: 'blobs' }, value: 0 },
  ]);
});

test('a figure that is missing or fails costs no other', async () => {
  const metrics = new ProcessMetrics();
  metrics.gauge('tollgate_part_up', () => undefined);
  metrics.gauge('tollgate_held_amount', () => undefined);
  metrics.gauge('tollgate_orphaned_holds', () => Promise.reject(new Error('away')));
  metrics.gauge('tollgate_ready', () => 1);
  const shown = parseMetrics(await metrics.metrics());
  for (const name of ['tollgate_part_up', 'tollgate_held_amount', 'tollgate_orphaned_holds'])
    assert.deepEqual(shown.get(name)?.samples, [], name);
  assert.equal(valueOf(shown, 'tollgate_ready'), 1);
  const later = parseMetrics(await metrics.metrics());
  assert.ok(valueOf(later, 'tollgate_scrape_errors_total', { part: 'figure' }) >= 1);
});

test('what is remembered is asked for once, and an answer that fails is none', async () => {
  let asked = 0;
  const errors: unknown[] = [];
  const figures = remembered({ ask: () => Promise.resolve(++asked), keptMs: 60_000, onError: () => undefined });
  assert.deepEqual(await Promise.all([figures(), figures(), figures()]), [1, 1, 1]);
  const failing = remembered({
    ask: () => Promise.reject(new Error('away')),
    keptMs: 60_000,
    onError: (error) => errors.push(error),
  });
  assert.deepEqual(await Promise.all([failing(), failing()]), [undefined, undefined]);
  assert.equal(errors.length, 1);
});

test('the strict reader refuses what a scraper would', () => {
  for (const text of [
    'a 1',
    'a 1\n',
    '# TYPE a gauge\na 1\na 1\n',
    '# TYPE a gauge\nb 1\n',
    '# TYPE a gauge\na one\n',
    '# TYPE a gauge\na{x=1} 1\n',
    '# TYPE a gauge\n# TYPE a gauge\n',
    '# TYPE a histogram\na_bucket{le="1"} 2\na_bucket{le="+Inf"} 1\na_sum 1\na_count 1\n',
    '# TYPE a histogram\na_bucket{le="1"} 1\na_sum 1\na_count 1\n',
  ]) {
    assert.throws(() => parseMetrics(text), { name: 'AssertionError' }, text);
  }
});
