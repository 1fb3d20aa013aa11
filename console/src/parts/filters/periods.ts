/** Periods to choose from by name, as days of a zone. */
import { dayAfter, monthAfter, today } from '../days.ts';

export const periods = ['today', 'yesterday', 'days7', 'days30', 'days90', 'thisMonth', 'lastMonth'] as const;
export type Period = (typeof periods)[number];

/** The first and the last day of a period. */
export function daysOfPeriod(period: Period, zone: string): { from: string; to: string } {
  const now = today(zone);
  const month = now.slice(0, 7);
  switch (period) {
    case 'today':
      return { from: now, to: now };
    case 'yesterday':
      return { from: today(zone, 1), to: today(zone, 1) };
    case 'days7':
      return { from: today(zone, 6), to: now };
    case 'days30':
      return { from: today(zone, 29), to: now };
    case 'days90':
      return { from: today(zone, 89), to: now };
    case 'thisMonth':
      return { from: `${month}-01`, to: now };
    case 'lastMonth':
      return { from: `${monthAfter(month, -1)}-01`, to: dayAfter(`${month}-01`, -1) };
  }
}

/** The period that has these days. */
export const periodOf = (zone: string, from: string | undefined, to: string | undefined): Period | undefined =>
  periods.find((period) => {
    const days = daysOfPeriod(period, zone);
    return days.from === from && days.to === to;
  });
