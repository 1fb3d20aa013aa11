/** The drawing of a bar chart: the only place that knows recharts, in a chunk of its own. */
import { Bar, BarChart, CartesianGrid, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts';
import { localeOf, useLanguage } from '../../texts/language.ts';
import { moneyText } from '../money.tsx';
import type { Bar as Shown, Series } from './bar-chart.tsx';

interface BarsProps {
  series: readonly Series[];
  bars: readonly Shown[];
  palette: readonly string[];
}

const bar_px_max = 36;

export default function Bars({ series, bars, palette }: BarsProps) {
  const locale = localeOf(useLanguage());
  const short = new Intl.NumberFormat(locale, { notation: 'compact', maximumSignificantDigits: 3 });
  const tick = { fill: 'var(--ant-color-text-tertiary)', fontSize: 12 };
  return (
    <ResponsiveContainer width="100%" height="100%">
      <BarChart data={[...bars]} margin={{ top: 8, right: 0, bottom: 0, left: 0 }} accessibilityLayer={false}>
        <CartesianGrid vertical={false} stroke="var(--ant-color-border-secondary)" />
        <XAxis dataKey="label" tick={tick} tickLine={false} axisLine={false} minTickGap={16} />
        <YAxis
          tick={tick}
          tickLine={false}
          axisLine={false}
          width="auto"
          tickFormatter={(yuan: number) => short.format(yuan)}
        />
        <Tooltip
          isAnimationActive={false}
          cursor={{ fill: 'var(--ant-color-fill-alter)' }}
          content={({ active, payload }) => {
            const bar = active ? bars.find(({ key }) => key === keyOf(payload[0]?.payload)) : undefined;
            return bar ? <Tip bar={bar} series={series} locale={locale} /> : null;
          }}
        />
        {series.map(({ key }, index) => (
          <Bar
            key={key}
            dataKey={(bar: Shown) => bar.values[key] ?? 0}
            stackId="all"
            fill={palette[index] ?? 'currentColor'}
            maxBarSize={bar_px_max}
            isAnimationActive={false}
          />
        ))}
      </BarChart>
    </ResponsiveContainer>
  );
}

function Tip({ bar, series, locale }: { bar: Shown; series: readonly Series[]; locale: string }) {
  const parts = series.filter(({ key }) => (bar.values[key] ?? 0) !== 0);
  return (
    <div className="tg-tip">
      <strong>{bar.title}</strong>
      {parts.map(({ key, label }) => (
        <p key={key}>
          <span>{label}</span>
          <span className="tg-number">{moneyText(bar.values[key] ?? 0, locale)}</span>
        </p>
      ))}
    </div>
  );
}

/** recharts hands back what it was given, without its type. */
function keyOf(given: unknown): unknown {
  return typeof given === 'object' && given !== null && 'key' in given ? given.key : undefined;
}
