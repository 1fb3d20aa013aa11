/** A number of what a chart or table measures: money, a count, or a duration. */
import { localeOf, useLanguage } from '../texts/language.ts';
import { durationText } from './measures.ts';
import { useMoneyText } from './money.tsx';

export type Unit = 'money' | 'count' | 'milliseconds';

export function Measured({ unit, of }: { unit: Unit; of: number | null }) {
  const text = useMeasuredText(unit);
  return of === null ? '–' : <span className="tg-number">{text(of)}</span>;
}

/** Returns what writes a number of the unit as text. */
export function useMeasuredText(unit: Unit): (value: number) => string {
  const moneyText = useMoneyText();
  const locale = localeOf(useLanguage());
  const counts = new Intl.NumberFormat(locale, { maximumFractionDigits: 3 });
  if (unit === 'money') return moneyText;
  return unit === 'count' ? (value) => counts.format(value) : (value) => durationText(value / 1000, locale);
}
