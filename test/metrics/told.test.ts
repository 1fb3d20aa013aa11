/** Documentation, dashboard and alerts name the metrics that there are: each as it is, and none that is not. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { parse } from 'yaml';
import * as z from 'zod';
import { createMeters } from '../../src/observability/metrics/meters.ts';
import { type Declaration, metricTable } from '../../src/observability/metrics/metric-table.ts';
import { parseMetrics } from '../support/metrics.ts';
import { labelsIn, metricsIn } from '../support/promql.ts';

const root = join(import.meta.dirname, '..', '..');
const page = readFileSync(join(root, 'docs', 'metrics.md'), 'utf8');
const table: Readonly<Record<string, Declaration>> = metricTable;

interface Row {
  type: string;
  labels: readonly string[];
}

/** The rows of all tables; those of Temporal's metrics have no labels. */
const documented = new Map<string, Row>();
for (const [, name = '', type = '', rest = ''] of page.matchAll(/^\| `(\w+)` \| (\w+) \|(.*)\|$/gm)) {
  assert.ok(!documented.has(name), `docs/metrics.md has ${name} twice`);
  const [labels = ''] = rest.split('|');
  documented.set(name, { type, labels: [...labels.matchAll(/`(\w+)`/g)].map(([, label = '']) => label) });
}

/** What a process shows without any role: all that is counted, and Node's own. */
async function shownByNode(): Promise<Map<string, Row>> {
  const families = parseMetrics(await createMeters().metrics.metrics());
  return new Map(
    [...families.values()]
      .filter(({ name }) => !(name in table))
      .map(({ name, type, samples }) => [name, { type, labels: Object.keys(samples[0]?.labels ?? {}) }]),
  );
}

describe('docs/metrics.md', () => {
  test('has every metric of the table with its type and labels', () => {
    for (const [name, { type, labels = [] }] of Object.entries(table)) {
      assert.deepEqual(documented.get(name), { type, labels: [...labels] }, name);
    }
  });

  test("has every one of Node's", async () => {
    for (const [name, { type }] of await shownByNode()) assert.equal(documented.get(name)?.type, type, name);
  });

  test('has no other', async () => {
    const node = await shownByNode();
    const own = [...documented.keys()].filter((name) => !name.startsWith('temporal_'));
    assert.deepEqual(
      own.filter((name) => !(name in table) && !node.has(name)),
      [],
    );
  });

  test('names no metric in its text that is not in its tables', () => {
    const named = [...page.matchAll(/\b(?:tollgate|temporal)_[a-z0-9_]+[a-z0-9]\b/g)].map(([name]) => name);
    const prefixes = ['tollgate_audit'];
    assert.deepEqual(
      named.filter((name) => !documented.has(name) && !prefixes.includes(name)),
      [],
    );
  });
});

test('no metric names a key, an account, a person or a task', () => {
  const telling = ['key', 'account', 'person', 'task', 'request', 'address', 'path'];
  for (const [name, { labels = [] }] of Object.entries(table))
    for (const label of labels) assert.ok(!telling.some((word) => label.includes(word)), `${label} of ${name}`);
});

test("the names and units are Prometheus'", () => {
  for (const [name, { type, help, labels = [], buckets }] of Object.entries(table)) {
    assert.match(name, /^tollgate_[a-z][a-z0-9]*(_[a-z0-9]+)*$/);
    assert.equal(name.endsWith('_total'), type === 'counter', name);
    assert.equal(buckets !== undefined, type === 'histogram', name);
    assert.doesNotMatch(name, /_(ms|milliseconds|minutes|kb|mb|percent|micros)(_|$)/, name);
    assert.match(help, /\.$/, name);
    for (const label of labels) assert.match(label, /^[a-z]+$/, `${name}{${label}}`);
    assert.doesNotMatch(labels.join(), /account|key|task|request|person|prompt|url|path/, name);
  }
});

/** Every expression, with where it stands. */
interface Asked {
  where: string;
  expression: string;
}

const alertFile = z.object({
  groups: z.array(
    z.strictObject({
      name: z.string(),
      rules: z.array(
        z.strictObject({
          alert: z.string().regex(/^Tollgate[A-Z]\w+$/),
          expr: z.string(),
          for: z.string().regex(/^\d+[smh]$/),
          labels: z.strictObject({ severity: z.enum(['critical', 'warning']) }),
          annotations: z.strictObject({
            summary: z.string().min(1),
            runbook: z.string().regex(/^docs\/operating\.md#[a-z0-9-]+$/),
          }),
        }),
      ),
    }),
  ),
});
const alerts = alertFile
  .parse(parse(readFileSync(join(root, 'ops', 'prometheus', 'alerts.yaml'), 'utf8')))
  .groups.flatMap(({ rules }) => rules);

const panel = z.object({
  id: z.int(),
  type: z.string(),
  title: z.string(),
  gridPos: z.object({ x: z.int(), y: z.int(), w: z.int(), h: z.int() }),
  datasource: z.object({ type: z.literal('prometheus'), uid: z.literal('${datasource}') }).optional(),
  targets: z.array(z.object({ expr: z.string() })).default([]),
});
const dashboard = z
  .object({
    templating: z.object({ list: z.array(z.object({ name: z.string(), type: z.string() })) }),
    panels: z.array(panel),
  })
  .parse(JSON.parse(readFileSync(join(root, 'ops', 'grafana', 'tollgate.json'), 'utf8')));

const asked: Asked[] = [
  ...alerts.map(({ alert, expr }) => ({ where: alert, expression: expr })),
  ...dashboard.panels.flatMap(({ title, targets }) =>
    targets.map(({ expr }) => ({ where: `panel ${title}`, expression: expr })),
  ),
];

/** As GitHub makes it. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');

describe('dashboard and alerts', () => {
  for (const { where, expression } of asked) {
    test(`${where} asks for what there is`, () => {
      const names = metricsIn(expression);
      assert.ok(names.length > 0, expression);
      for (const name of names) {
        if (name === 'up') continue; // Prometheus' own
        const base = name.replace(/_(bucket|sum|count)$/, '');
        const row =
          documented.get(name) ?? (documented.get(base)?.type === 'histogram' ? documented.get(base) : undefined);
        assert.ok(row, `there is no ${name}`);
        if (name === base) assert.notEqual(row.type, 'histogram', `${name} has no samples of that name`);
      }
      // What processes show alike must not be summed, and a label that no metric has selects nothing.
      const own = names.flatMap((name) => documented.get(name.replace(/_(bucket|sum|count)$/, ''))?.labels ?? []);
      const temporals = ['task_queue', 'poller_type', 'worker_type', 'operation', 'workflow_type', 'failure_reason'];
      const known = new Set([...own, 'le', 'job', 'instance', ...(/temporal_/.test(expression) ? temporals : [])]);
      assert.deepEqual(
        labelsIn(expression).filter((label) => !known.has(label)),
        [],
      );
    });
  }

  test('the gauges of the database are never summed', () => {
    const [, listed = ''] =
      /\*\*Gauges of the database\*\*.*?They are (.*?) and all of `tollgate_audit_`/s.exec(page) ?? [];
    const shared = [...listed.matchAll(/`(\w+)`/g)].map(([, name = '']) => name);
    assert.ok(shared.length >= 10);
    for (const { where, expression } of asked) {
      for (const name of [...shared, 'tollgate_audit_\\w+'])
        assert.doesNotMatch(expression, new RegExp(`(sum|avg|count)( by \\([^)]*\\))? ?\\(${name}`), where);
    }
  });

  test('every alert leads to a section of docs/operating.md', () => {
    const operating = readFileSync(join(root, 'docs', 'operating.md'), 'utf8');
    const anchors = [...operating.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading));
    for (const { alert, annotations } of alerts)
      assert.ok(anchors.includes(annotations.runbook.split('#')[1] ?? ''), `${alert}: ${annotations.runbook}`);
  });

  test('no two alerts and no two panels are one', () => {
    assert.equal(new Set(alerts.map(({ alert }) => alert)).size, alerts.length);
    assert.equal(new Set(dashboard.panels.map(({ id }) => id)).size, dashboard.panels.length);
  });

  test('the dashboard lets choose its data source, has its rows, and no panel covers another', () => {
    assert.deepEqual(dashboard.templating.list[0], { name: 'datasource', type: 'datasource' });
    const rows = dashboard.panels.filter(({ type }) => type === 'row').map(({ title }) => title);
    for (const row of [
      'Traffic',
      'Latency',
      'Tasks',
      'Providers',
      'Money',
      'Ledger and database',
      'Temporal',
      'Processes',
    ])
      assert.ok(rows.includes(row), row);
    const cells = new Set<string>();
    for (const { title, gridPos } of dashboard.panels) {
      assert.ok(gridPos.x + gridPos.w <= 24, title);
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          assert.ok(!cells.has(`${x} ${y}`), `${title} covers another panel`);
          cells.add(`${x} ${y}`);
        }
      }
    }
  });
});

test('the table of Prometheus leads to the ports of docker-compose.yml', () => {
  const { rule_files: rules, scrape_configs: scraped } = z
    .object({
      rule_files: z.array(z.string()),
      scrape_configs: z.array(
        z.object({
          job_name: z.string(),
          dns_sd_configs: z.array(z.object({ names: z.array(z.string()), type: z.literal('A'), port: z.int() })),
        }),
      ),
    })
    .parse(parse(readFileSync(join(root, 'ops', 'prometheus', 'prometheus.yaml'), 'utf8')));
  assert.deepEqual(rules, ['alerts.yaml']);
  const found = scraped.flatMap(({ job_name: job, dns_sd_configs: places }) =>
    places.map(({ names, port }) => `${job} ${names.join()}:${port}`),
  );
  assert.deepEqual(found, ['tollgate-api api:8080', 'tollgate-worker worker:8081']);
});
