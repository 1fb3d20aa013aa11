/** The drawing of a bar chart: the only place that knows recharts, in a chunk of its own. */
import { Bar, CartesianGrid, ComposedChart, Line, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts';
import { localeOf, useLanguage } from '../../texts/language.ts';
import { type Unit, useMeasuredText } from '../measured.tsx';
import { useCurrency } from '../money.tsx';
import type { Bar as Shown, BarChartProps, Series } from './bar-chart.tsx';

interface BarsProps {
  series: readonly Series[];
  bars: readonly Shown[];
  palette: readonly string[];
  unit: Unit;
  isStacked: boolean;
  before: BarChartProps['before'];
}

const barPxMax = 36;
const muted = 'var(--ant-color-text-tertiary)';

export default function Bars({ series, bars, palette, unit, isStacked, before }: BarsProps) {
  const locale = localeOf(useLanguage());
  const currency = useCurrency();
  const { ticks, digits } = ticksUpTo(
    Math.max(0, ...bars.map(isStacked ? totalOf : largestOf), ...bars.map((bar) => bar.before ?? 0)),
  );
  const text = useMeasuredText(unit);
  const short = new Intl.NumberFormat(locale, {
    ...(unit === 'money' && { style: 'currency', currency, currencyDisplay: 'narrowSymbol' }),
    notation: 'compact',
    minimumFractionDigits: digits,
    maximumFractionDigits: Math.max(digits, 1),
  });
  const tick = { fill: 'var(--ant-color-text-tertiary)', fontSize: 12 };
  return (
    <ResponsiveContainer width="100%" height="100%">
      <ComposedChart data={[...bars]} margin={{ top: 8, right: 16, bottom: 0, left: 0 }} accessibilityLayer={false}>
        <CartesianGrid vertical={false} stroke="var(--ant-color-border-secondary)" />
        <XAxis dataKey="label" tick={tick} tickLine={false} axisLine={false} minTickGap={16} />
        <YAxis
          tick={tick}
          tickLine={false}
          axisLine={false}
          width="auto"
          ticks={ticks}
          domain={[0, ticks.at(-1) ?? 1]}
          tickFormatter={unit === 'milliseconds' ? text : (amount: number) => short.format(amount)}
        />
        <Tooltip
          isAnimationActive={false}
          cursor={{ fill: 'var(--ant-color-fill-alter)' }}
          content={({ active, payload }) => {
            const bar = active ? bars.find(({ key }) => key === keyOf(payload[0]?.payload)) : undefined;
            return bar ? <Tip {...{ bar, series, text, before }} /> : null;
          }}
        />
        {series.map(({ key }, index) => (
          <Bar
            key={key}
            dataKey={(bar: Shown) => bar.values[key] ?? 0}
            {...(isStacked && { stackId: 'all' })}
            fill={palette[index] ?? 'currentColor'}
            maxBarSize={barPxMax}
            isAnimationActive={false}
          />
        ))}
        {before && (
          <Line
            dataKey={(bar: Shown) => bar.before ?? null}
            stroke={before.isLine ? muted : 'none'}
            strokeWidth={2}
            strokeDasharray="4 4"
            dot={before.isLine && bars.length > 1 ? false : { fill: muted, stroke: 'none', r: 4 }}
            activeDot={false}
            isAnimationActive={false}
          />
        )}
      </ComposedChart>
    </ResponsiveContainer>
  );
}

const totalOf = ({ values }: Shown) => Object.values(values).reduce((sum, amount) => sum + amount, 0);

const largestOf = ({ values }: Shown) => Math.max(0, ...Object.values(values));

/** Round amounts from 0 to the first one that is not below `most`, at most six, and the decimals that they have. */
function ticksUpTo(most: number): { ticks: number[]; digits: number } {
  const power = Math.floor(Math.log10(most > 0 ? most / 4 : 1));
  const factor = [1, 2, 2.5, 5, 10].find((candidate) => candidate * 10 ** power * 4 >= most) ?? 10;
  const digits = Math.max(0, -power + (factor === 2.5 ? 1 : factor === 10 ? -1 : 0));
  const step = factor * 10 ** power;
  const count = Math.max(1, Math.ceil(most / step - 1e-9));
  return { ticks: Array.from({ length: count + 1 }, (_, index) => Number((index * step).toFixed(digits))), digits };
}

interface TipProps {
  bar: Shown;
  series: readonly Series[];
  text: (value: number) => string;
  before: BarChartProps['before'];
}

function Tip({ bar, series, text, before }: TipProps) {
  const parts = series.filter(({ key }) => (bar.values[key] ?? 0) !== 0);
  return (
    <div className="tg-tip">
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

/** recharts hands back what it was given, without its type. */
function keyOf(given: unknown): unknown {
  return typeof given === 'object' && given !== null && 'key' in given ? given.key : undefined;
}
