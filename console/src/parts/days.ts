/** Days and months of UTC, as the ledger has them: `2026-11-21` and `2026-11`. */
const dayMs = 86_400_000;

/** The day that it is in UTC, or so many days before it. */
export const utcDay = (daysAgo = 0): string => new Date(Date.now() - daysAgo * dayMs).toISOString().slice(0, 10);

/** So many days after that one. */
export const dayAfter = (day: string, days = 1): string =>
  new Date(Date.parse(day) + days * dayMs).toISOString().slice(0, 10);

/** The days from the first to the last, both included; none where they are the wrong way round. */
export function daysBetween(first: string, last: string): string[] {
  const days: string[] = [];
  for (let day = first; day <= last; day = dayAfter(day)) days.push(day);
  return days;
}

/** The month so many months after that one. */
export function monthAfter(month: string, months = 1): string {
  const date = new Date(`${month}-01T00:00:00Z`);
  date.setUTCMonth(date.getUTCMonth() + months);
  return date.toISOString().slice(0, 7);
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
