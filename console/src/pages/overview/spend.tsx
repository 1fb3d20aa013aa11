/** The chart of the last 30 days: the dearest models each for itself, the rest together. */
import { Link } from 'react-router';
import { BarChart } from '../../parts/charts/bar-chart.tsx';
import { seriesMax } from '../../parts/charts/colours.ts';
import { dayAfter, daysBetween, dayText } from '../../parts/days.ts';
import { Panel } from '../../parts/panel.tsx';
import { useTexts } from '../../texts/define-texts.ts';
import { localeOf, useLanguage } from '../../texts/language.ts';
import type { Overview } from './index.tsx';
import { texts } from './texts.ts';

const daysShown = 30;
const others = '';

export function Spend({ overview: { charges, today } }: { overview: Overview }) {
  const say = useTexts(texts);
  const locale = localeOf(useLanguage());
  const named = dearest(charges);
  const series = named.map((key) => ({ key, label: key }));
  if (charges.some(({ model, cost }) => cost > 0 && !named.includes(model))) {
    series.push({ key: others, label: say('others') });
  }
  const byDay = new Map<string, Record<string, number>>();
  for (const { day, model, cost } of charges) {
    const values = byDay.get(day) ?? {};
    const key = named.includes(model) ? model : others;
    values[key] = (values[key] ?? 0) + cost;
    byDay.set(day, values);
  }
  const bars = daysBetween(dayAfter(today.day, 1 - daysShown), today.day).map((day) => ({
    key: day,
    label: dayText(day, locale, 'short'),
    title: dayText(day, locale),
    values: byDay.get(day) ?? {},
  }));
  return (
    <Panel
      title={say('chart')}
      aside={
        <>
          {say('lastDays')} · <Link to="../usage">{say('usage')}</Link>
        </>
      }
    >
      {series.length === 0 ? (
        <p className="tg-quiet">{say('noSpend')}</p>
      ) : (
        <BarChart label={say('chart')} series={series} bars={bars} of={say('day')} />
      )}
    </Panel>
  );
}

function dearest(charges: Overview['charges']): string[] {
  const sums = new Map<string, number>();
  for (const { model, cost } of charges) sums.set(model, (sums.get(model) ?? 0) + cost);
  return [...sums]
    .filter(([, cost]) => cost > 0)
    .sort(([a, costOfA], [b, costOfB]) => costOfB - costOfA || (a < b ? -1 : 1))
    .slice(0, seriesMax - 1)
    .map(([model]) => model);
}
