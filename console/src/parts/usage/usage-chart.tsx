/** The chart of a usage table: all times of its range, or the largest of everything else. */
import { useTexts } from '../../texts/define-texts.ts';
import { localeOf, useLanguage } from '../../texts/language.ts';
import { type Bar, BarChart } from '../charts/bar-chart.tsx';
import { Panel } from '../panel.tsx';
import type { NumberBefore } from './comparison.ts';
import { type Figure, figureOf, isSum, numberOf, unitOf, type UsageRow, type UsageTable } from './figures.ts';
import { headText, type Heading } from './head-text.ts';
import { isTime, type Shown, timesOf } from './usage-query.ts';
import { dimensionTexts, metricTexts, usageTexts } from './texts.ts';

/** As many bars as can be distinguished; the table has the rest. */
const barsMax = 12;

interface UsageChartProps {
  table: UsageTable;
  shown: Shown<keyof typeof dimensionTexts.en, keyof typeof metricTexts.en>;
  before?: NumberBefore<Figure> | undefined;
  title: string;
  textOf: (heading: Heading, dimension: string) => string;
}

export function UsageChart({ table: { columns, rows }, shown, before, title, textOf }: UsageChartProps) {
  const say = useTexts(usageTexts);
  const sayName = useTexts(dimensionTexts);
  const sayMetric = useTexts(metricTexts);
  const locale = localeOf(useLanguage());
  const { group, by, metric } = shown;
  const figure = figureOf(metric);
  const valuesOf = (row: UsageRow) =>
    by === undefined
      ? { [metric]: numberOf(row.sums, figure) ?? 0 }
      : Object.fromEntries(columns.map((_, at) => [String(at), row.values[at] ?? 0]));
  const barOf = (heading: Heading, row: UsageRow | undefined): Bar => ({
    key: `${heading.others} ${heading.id}`,
    label: shortened(headText(heading, group, { say, locale, form: 'short' })),
    title: textOf(heading, group),
    values: row ? valuesOf(row) : {},
    ...(before && { before: before(heading, figure) }),
  });
  const byId = new Map<string, UsageRow>(rows.map((row) => [row.id, row]));
  const bars = isTime(group)
    ? timesOf(shown, group).map((id) => barOf({ id, name: null, others: false }, byId.get(id)))
    : rows.slice(0, barsMax).map((row) => barOf(row, row));
  const series =
    by === undefined
      ? [{ key: metric, label: sayMetric(metric) }]
      : columns.map((column, at) => ({ key: String(at), label: textOf(column, by) }));
  return (
    <Panel title={title}>
      <BarChart
        label={title}
        series={series}
        bars={bars}
        of={sayName(group)}
        unit={unitOf(metric)}
        isStacked={isSum(metric)}
        {...(before && { before: { label: say('before'), isLine: isTime(group) } })}
      />
    </Panel>
  );
}

const shortened = (name: string): string => (name.length > 18 ? `${name.slice(0, 17)}…` : name);
