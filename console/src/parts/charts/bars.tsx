/** The drawing of a bar chart: a column for each bar, lines for round amounts, and a tip for the column under the pointer. */
import { type CSSProperties, useState } from 'react';
import { localeOf, useLanguage } from '../../texts/language.ts';
import { type Unit, useMeasuredText } from '../measured.tsx';
import { useCurrency } from '../money.tsx';
import { Before } from './before.tsx';
import type { Bar, BarChartProps, Series } from './bar-chart.tsx';
import { Tip } from './tip.tsx';
import { ticksUpTo } from './ticks.ts';
import './bars.css';

interface BarsProps {
  series: readonly Series[];
  bars: readonly Bar[];
  palette: readonly string[];
  unit: Unit;
  isStacked: boolean;
  before: BarChartProps['before'];
}

/** More labels than this run into each other on a desk; half of them are hidden where the chart is narrow. */
const labelsMax = 10;

export function Bars({ series, bars, palette, unit, isStacked, before }: BarsProps) {
  const [pointed, setPointed] = useState<string | null>(null);
  const text = useMeasuredText(unit);
  const { ticks, digits } = ticksUpTo(
    Math.max(0, ...bars.map(isStacked ? totalOf : largestOf), ...bars.map((bar) => bar.before ?? 0)),
  );
  const tickText = useTickText(unit, digits);
  const top = ticks.at(-1) ?? 1;
  const heightOf = (amount: number) => `${(amount / top) * 100}%`;
  const step = Math.ceil(bars.length / labelsMax);
  const isDense = bars.length / step > labelsMax / 2;
  return (
    <div className="tg-bars">
      <ol className="tg-bars-ticks">
        {ticks.map((tick) => (
          <li key={tick} style={{ bottom: heightOf(tick) }}>
            {tickText(tick)}
          </li>
        ))}
      </ol>
      {/* The widest amount makes the column of amounts as wide as it has to be. */}
      <div className="tg-bars-widest">{ticks.map(tickText).reduce(longer, '')}</div>
      <div className="tg-bars-plot" onPointerLeave={() => setPointed(null)}>
        {ticks.map((tick) => (
          <hr key={tick} style={{ bottom: heightOf(tick) }} />
        ))}
        {bars.map((bar, index) => (
          <div key={bar.key} className="tg-bars-slot" onPointerEnter={() => setPointed(bar.key)}>
            <div className={isStacked ? 'tg-bars-stack' : 'tg-bars-beside'}>
              {series.map(
                ({ key }, at) =>
                  (bar.values[key] ?? 0) > 0 && (
                    <i
                      key={key}
                      className="tg-bar"
                      style={{ height: heightOf(bar.values[key] ?? 0), background: palette[at] ?? 'currentColor' }}
                    />
                  ),
              )}
            </div>
            {pointed === bar.key && <Tip {...{ bar, series, text, before, isLeft: index * 2 >= bars.length }} />}
          </div>
        ))}
        {before && <Before parts={bars.map((bar) => partOf(bar.before, top))} isLine={before.isLine} />}
      </div>
      <ol className="tg-bars-labels">
        {bars.map(({ key, label }, index) => {
          const fromEnd = bars.length - 1 - index;
          if (fromEnd % step !== 0) return null;
          return (
            <li
              key={key}
              data-minor={(isDense && (fromEnd / step) % 2 === 1) || undefined}
              style={placeOf(index, bars.length, step)}
            >
              {label}
            </li>
          );
        })}
      </ol>
    </div>
  );
}

/** A label stands below its bar; the outermost of many stay within the chart. */
function placeOf(index: number, count: number, step: number): CSSProperties {
  const maxWidth = `${(step / count) * 100}%`;
  if (count > labelsMax && index === count - 1) return { right: 0 };
  if (count > labelsMax && index === 0) return { left: 0 };
  return { left: `${((index + 0.5) / count) * 100}%`, maxWidth, transform: 'translateX(-50%)' };
}

const partOf = (amount: number | null | undefined, top: number) => (typeof amount === 'number' ? amount / top : null);

const longer = (one: string, other: string) => (other.length > one.length ? other : one);

/** Returns what writes an amount beside its line. */
function useTickText(unit: Unit, digits: number): (amount: number) => string {
  const text = useMeasuredText(unit);
  const locale = localeOf(useLanguage());
  const currency = useCurrency();
  const short = new Intl.NumberFormat(locale, {
    ...(unit === 'money' && { style: 'currency', currency, currencyDisplay: 'narrowSymbol' }),
    notation: 'compact',
    minimumFractionDigits: digits,
    maximumFractionDigits: Math.max(digits, 1),
  });
  return unit === 'milliseconds' ? text : (amount) => short.format(amount);
}

const totalOf = ({ values }: Bar) => Object.values(values).reduce((sum, amount) => sum + amount, 0);

const largestOf = ({ values }: Bar) => Math.max(0, ...Object.values(values));
