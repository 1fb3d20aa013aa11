/** Days and months of a time zone, as pages and addresses name them: `2026-11-21` and `2026-11`. */
import { dayAfter, dayIn, startOfDay } from '../../../src/domain/time-zone.ts';

export { dayAfter, monthAfter } from '../../../src/domain/time-zone.ts';

/** The day that it is in the zone, or so many days before it. */
export const today = (zone: string, daysAgo = 0): string => dayAfter(dayIn(zone, new Date()), -daysAgo);

/** The range from the first day to the last, both included, as the API takes it. */
export const rangeOf = (zone: string, { from, to }: { from?: string | undefined; to?: string | undefined }) => ({
  ...(from !== undefined && { from: startOfDay(zone, from).toISOString() }),
  ...(to !== undefined && { to: startOfDay(zone, dayAfter(to)).toISOString() }),
});

/** The days from the first to the last, both included; none where they are the wrong way round. */
export function daysBetween(first: string, last: string): string[] {
  const days: string[] = [];
  for (let day = first; day <= last; day = dayAfter(day)) days.push(day);
  return days;
}

/** Whether a text from an address is a day that there is. */
export const isDay = (text: string | null): text is string =>
  text !== null &&
  /^[12]\d{3}-\d{2}-\d{2}$/.test(text) &&
  !Number.isNaN(Date.parse(text)) &&
  dayAfter(text, 0) === text;

/** In the reader's form; `short` leaves out the year. */
export const dayText = (day: string, locale: string, form: 'short' | 'long' = 'long'): string =>
  new Intl.DateTimeFormat(locale, {
    timeZone: 'UTC',
    day: 'numeric',
    month: form === 'short' ? 'numeric' : 'short',
    ...(form === 'long' && { year: 'numeric' }),
  }).format(new Date(day));

export const monthText = (month: string, locale: string): string =>
  new Intl.DateTimeFormat(locale, { timeZone: 'UTC', month: 'long', year: 'numeric' }).format(new Date(`${month}-01`));
