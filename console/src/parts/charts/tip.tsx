/** What a bar is made of, beside it. */
import type { Bar, BarChartProps, Series } from './bar-chart.tsx';

interface TipProps {
  bar: Bar;
  series: readonly Series[];
  text: (value: number) => string;
  before: BarChartProps['before'];
  /** On the left of its column, so that it stays within the chart. */
  isLeft: boolean;
}

export function Tip({ bar, series, text, before, isLeft }: TipProps) {
  const parts = series.filter(({ key }) => (bar.values[key] ?? 0) !== 0);
  return (
    <div className="tg-tip" data-left={isLeft || undefined}>
      <strong>{bar.title}</strong>
      {parts.map(({ key, label }) => (
        <p key={key}>
          <span>{label}</span>
          <span className="tg-number">{text(bar.values[key] ?? 0)}</span>
        </p>
      ))}
      {before && typeof bar.before === 'number' && (
        <p>
          <span>{before.label}</span>
          <span className="tg-number">{text(bar.before)}</span>
        </p>
      )}
    </div>
  );
}
