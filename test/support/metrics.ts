/** Prometheus' text format, read strictly: what a scrape shows, or why it is none. */
import assert from 'node:assert/strict';

export interface Sample {
  name: string;
  labels: Readonly<Record<string, string>>;
  value: number;
}

export interface Family {
  name: string;
  type: string;
  help: string;
  samples: Sample[];
}

const sampleLine = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/;
const labelPair = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/y;
const suffixes: Record<string, readonly string[]> = {
  counter: [''],
  gauge: [''],
  histogram: ['_bucket', '_sum', '_count'],
  summary: ['', '_sum', '_count'],
};

/** Throws for what a scraper would refuse or misread: a line that is none, a sample of nothing, the same one twice. */
export function parseMetrics(text: string): Map<string, Family> {
  assert.ok(text.endsWith('\n'), 'the last line has no end');
  const families = new Map<string, Family>();
  const seen = new Set<string>();
  let family: Family | undefined;
  let help: { name: string; text: string } | undefined;
  for (const line of text.split('\n')) {
    if (line === '') continue;
    if (line.startsWith('# HELP ')) {
      const [, name = '', reported = ''] = /^# HELP (\S+) ?(.*)$/.exec(line) ?? [];
      help = { name, text: reported };
    } else if (line.startsWith('# TYPE ')) {
      const [, name = '', type = ''] = /^# TYPE (\S+) (\w+)$/.exec(line) ?? [];
      assert.ok(type in suffixes, line);
      assert.ok(!families.has(name), `two families ${name}`);
      family = { name, type, help: help?.name === name ? help.text : '', samples: [] };
      families.set(name, family);
    } else {
      const [, name = '', labelText = '', value = ''] = sampleLine.exec(line) ?? assert.fail(`no sample: ${line}`);
      assert.ok(family, `a sample before any family: ${line}`);
      const { name: own, type } = family;
      assert.ok(
        suffixes[type]?.some((suffix) => name === own + suffix),
        `${name} is no sample of ${own}`,
      );
      // As Prometheus has it, in any case: prom-client writes `Nan` for the lag of an event loop without a turn since the last scrape.
      assert.ok(/^nan$/i.test(value) || value === '+Inf' || value === '-Inf' || Number.isFinite(Number(value)), line);
      const identity = `${name}{${labelText}}`;
      assert.ok(!seen.has(identity), `twice: ${identity}`);
      seen.add(identity);
      family.samples.push({ name, labels: labelsOf(labelText), value: value === '+Inf' ? Infinity : Number(value) });
    }
  }
  for (const each of families.values()) if (each.type === 'histogram') assertHistogram(each);
  return families;
}

/** The value of one sample, or the sum of all that have these labels; 0 without any. */
export function valueOf(families: Map<string, Family>, name: string, labels: Record<string, string> = {}): number {
  const family = families.get(name) ?? families.get(name.replace(/_(bucket|sum|count)$/, ''));
  assert.ok(family, `there is no ${name}`);
  return family.samples
    .filter((sample) => sample.name === name)
    .filter((sample) => Object.entries(labels).every(([label, value]) => sample.labels[label] === value))
    .reduce((sum, { value }) => sum + value, 0);
}

function labelsOf(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  labelPair.lastIndex = 0;
  while (labelPair.lastIndex < text.length) {
    const [, label = '', value = ''] = labelPair.exec(text) ?? assert.fail(`no labels: ${text}`);
    assert.ok(!(label in labels), `${label} twice: ${text}`);
    labels[label] = value;
  }
  return labels;
}

/** Buckets grow, and the last is the count. */
function assertHistogram({ name, samples }: Family): void {
  const groups = new Map<string, Sample[]>();
  for (const sample of samples) {
    const key = JSON.stringify(Object.entries(sample.labels).filter(([label]) => label !== 'le'));
    groups.set(key, [...(groups.get(key) ?? []), sample]);
  }
  for (const [key, group] of groups) {
    const buckets = group.filter((sample) => sample.name === `${name}_bucket`);
    const bounds = buckets.map(({ labels }) => (labels['le'] === '+Inf' ? Infinity : Number(labels['le'])));
    assert.deepEqual(
      bounds,
      bounds.toSorted((a, b) => a - b),
      `${name}${key}: its bounds are not in their order`,
    );
    assert.equal(bounds.at(-1), Infinity, `${name}${key} has no last bucket`);
    buckets.reduce((before, { value }) => (assert.ok(value >= before, `${name}${key} shrinks`), value), 0);
    const count = group.find((sample) => sample.name === `${name}_count`);
    assert.equal(buckets.at(-1)?.value, count?.value, `${name}${key}: its count is another`);
    assert.ok(
      group.some((sample) => sample.name === `${name}_sum`),
      `${name}${key} has no sum`,
    );
  }
}
