/** Amounts by day or name, what it is made of in stacked colours; and the same as a table, for screen readers and exact numbers. */
import { useIsDark } from '../../theme/scheme.ts';
import { useTexts } from '../../texts/define-texts.ts';
import { Measured, type Unit } from '../measured.tsx';
import { Sheet } from '../sheet.tsx';
import { Bars } from './bars.tsx';
import { colours } from './colours.ts';
import { chartTexts } from './texts.ts';

export interface Series {
  key: string;
  label: string;
}

export interface Bar {
  key: string;
  /** Below the bar, and in full for its tip and the table. */
  label: string;
  title: string;
  /** Amounts, by the key of the series. */
  values: Readonly<Record<string, number>>;
  /** What it was in the period before; null where that isn't known. */
  before?: number | null;
}

export interface BarChartProps {
  /** What is shown, in words. */
  label: string;
  /** The largest first; no more than there are colours, and the last may be all others. */
  series: readonly Series[];
  bars: readonly Bar[];
  /** What a bar stands for: the head of the table's first column. */
  of: string;
  unit?: Unit;
  /** Not where the sum of a bar means nothing, as of latencies. */
  isStacked?: boolean;
  /** The muted mark of what it was before: a line over times, else a dot at each bar. */
  before?: { label: string; isLine: boolean };
}

export function BarChart({ label, series, bars, of, unit = 'money', isStacked = true, before }: BarChartProps) {
  const say = useTexts(chartTexts);
  const palette = colours(useIsDark());
  const totalOf = ({ values }: Bar) => Object.values(values).reduce((sum, amount) => sum + amount, 0);
  return (
    <figure className="tg-chart">
      <div className="tg-chart-area" aria-hidden="true">
        <Bars {...{ series, bars, palette, unit, isStacked, before }} />
      </div>
      {(series.length > 1 || before) && (
        <ul aria-label={say('legend')}>
          {series.map(({ key, label: name }, index) => (
            <li key={key}>
              <span aria-hidden="true" style={{ background: palette[index] }} />
              {name}
            </li>
          ))}
          {before && (
            <li>
              <span aria-hidden="true" className="tg-legend-before" />
              {before.label}
            </li>
          )}
        </ul>
      )}
      <details>
        <summary>{say('asTable')}</summary>
        <Sheet
          label={label}
          rows={bars.filter((bar) => totalOf(bar) !== 0 || (bar.before ?? 0) !== 0)}
          keyOf={({ key }) => key}
          columns={[
            { key: 'of', title: of, cell: ({ title }) => title },
            ...(series.length > 1
              ? series.map(({ key, label: name }) => ({
                  key,
                  title: name,
                  isNumber: true,
                  isWide: true,
                  cell: ({ values }: Bar) =>
                    values[key] === undefined ? '–' : <Measured unit={unit} of={values[key]} />,
                }))
              : []),
            ...(isStacked || series.length === 1
              ? [
                  {
                    ...{ key: 'total', title: say('total'), isNumber: true },
                    cell: (bar: Bar) => <Measured unit={unit} of={totalOf(bar)} />,
                  },
                ]
              : []),
            ...(before
              ? [
                  {
                    ...{ key: 'before', title: before.label, isNumber: true },
                    cell: (bar: Bar) => <Measured unit={unit} of={bar.before ?? null} />,
                  },
                ]
              : []),
          ]}
        />
      </details>
    </figure>
  );
}
