/** The figures of several processes as one: sums that never fall, and gauges put together as each means it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ProcessMetrics } from '../../src/observability/metrics/metric-registry.ts';
import { MergedFigures } from '../../src/runtime/api-processes/merged-figures.ts';
import { figuresSchema } from '../../src/runtime/api-processes/messages.ts';
import { parseMetrics, valueOf } from '../support/metrics.ts';

/** As they come over the channel between processes. */
const shownBy = async (metrics: ProcessMetrics) =>
  figuresSchema.parse(JSON.parse(JSON.stringify(await metrics.figures())));

function processThat(count: { accepted: number; connections: number; held: number; isReady: boolean }): ProcessMetrics {
  const metrics = new ProcessMetrics();
  metrics.counter('tollgate_tasks_accepted_total', 'image', 'still').add(count.accepted);
  metrics.histogram('tollgate_ledger_group_moves').observe(count.accepted);
  metrics.gauge('tollgate_http_connections', () => count.connections);
  metrics.gauge('tollgate_held_amount', () => count.held);
  metrics.gauge('tollgate_ready', () => Number(count.isReady));
  return metrics;
}

const one = processThat({ accepted: 3, connections: 10, held: 7, isReady: true });
const other = processThat({ accepted: 4, connections: 20, held: 8, isReady: false });

test('counts are summed, money of the database is not, and all are ready only if each is', async () => {
  const merged = new MergedFigures();
  merged.update(1, await shownBy(one));
  merged.update(2, await shownBy(other));
  const shown = parseMetrics(await merged.text(new Set([1, 2])));
  assert.equal(valueOf(shown, 'tollgate_tasks_accepted_total'), 7);
  assert.equal(valueOf(shown, 'tollgate_ledger_group_moves_count'), 2);
  assert.equal(valueOf(shown, 'tollgate_http_connections'), 30);
  assert.equal(valueOf(shown, 'tollgate_held_amount'), 8);
  assert.equal(valueOf(shown, 'tollgate_ready'), 0);
});

test('what a process had counted stays in the sum when it ends, and when it does not answer', async () => {
  const merged = new MergedFigures();
  merged.update(1, await shownBy(one));
  merged.update(2, await shownBy(other));
  const silent = parseMetrics(await merged.text(new Set([1])));
  assert.equal(valueOf(silent, 'tollgate_tasks_accepted_total'), 7);
  assert.equal(valueOf(silent, 'tollgate_http_connections'), 10);
  merged.end(2);
  merged.end(1);
  merged.update(3, await shownBy(one));
  for (let scrapes = 0; scrapes < 2; scrapes++) {
    const shown = parseMetrics(await merged.text(new Set([3])));
    assert.equal(valueOf(shown, 'tollgate_tasks_accepted_total'), 10);
    assert.equal(valueOf(shown, 'tollgate_ledger_group_moves_count'), 3);
    assert.equal(valueOf(shown, 'tollgate_http_connections'), 10);
  }
});
