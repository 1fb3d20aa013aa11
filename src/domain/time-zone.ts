/**
 * Days, months and hours of a time zone, by the zones that the JavaScript engine knows: the database only gets moments, so
 * that it need not know the same zones. Days have 23 or 25 hours where clocks change. The console uses this file, too.
 */

/** Returns a zone of the IANA database by its name, in its usual spelling; undefined: there is none. An offset is no name. */
export function timeZoneNamed(name: string): string | undefined {
  if (name.length > 64 || !/^[A-Za-z][\w+-]*(\/[\w+-]+)*$/.test(name)) return undefined;
  try {
    const known = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
    // An alias, such as Asia/Kolkata, is kept as it is written.
    return known.toLowerCase() === name.toLowerCase() ? known : name;
  } catch {
    return undefined;
  }
}

/** The day that it is then in the zone, as `2026-11-21`. */
export const dayIn = (zone: string, moment: Date): string => localIso(zone, moment.getTime()).slice(0, 10);

/** ISO 8601 with the offset of the zone, to the second: `2026-11-21T08:30:00+08:00`. */
export function isoIn(zone: string, moment: Date): string {
  const offset = offsetMs(zone, moment.getTime());
  const minutes = Math.abs(Math.round(offset / minuteMs));
  const digits = (number: number) => String(number).padStart(2, '0');
  const sign = offset < 0 ? '-' : '+';
  return `${localIso(zone, moment.getTime()).slice(0, 19)}${sign}${digits(Math.trunc(minutes / 60))}:${digits(minutes % 60)}`;
}

/** When a day such as `2026-11-21` begins in the zone. */
export const startOfDay = (zone: string, day: string): Date => new Date(momentOf(zone, Date.parse(`${day}T00:00:00Z`)));

/** So many days after that one. */
export const dayAfter = (day: string, days = 1): string =>
  new Date(Date.parse(day) + days * dayMs).toISOString().slice(0, 10);

/** The month so many months after that one. */
export function monthAfter(month: string, months = 1): string {
  const date = new Date(`${month}-01T00:00:00Z`);
  date.setUTCMonth(date.getUTCMonth() + months);
  return date.toISOString().slice(0, 7);
}

export type SpanName = 'hour' | 'day' | 'month';

/** Spans of time from one start to the next, without a gap. */
export interface Spans {
  starts: readonly Date[];
  /** Of each: `2026-11-21T08:00:00+00:00`, `2026-11-21` or `2026-11`. */
  labels: readonly string[];
}

/** Returns the spans of the zone that a range touches; it may reach over years of days and months of hours. */
export function spansIn(zone: string, name: SpanName, { from, to }: { from: Date; to: Date }): Spans {
  const [starts, labels]: [Date[], string[]] = [[], []];
  const add = (start: Date, label: string) => {
    // A day that a zone skipped has no length.
    if (start.getTime() === starts.at(-1)?.getTime())
      [starts.length, labels.length] = [starts.length - 1, starts.length - 1];
    starts.push(start);
    labels.push(label);
  };
  if (name === 'hour') {
    for (let start = startOfHour(zone, from); start < to; start = startOfHour(zone, new Date(start.getTime() + hourMs)))
      add(start, isoIn(zone, start));
    return { starts, labels };
  }
  const length = name === 'day' ? 10 : 7;
  const next = name === 'day' ? dayAfter : monthAfter;
  for (let label = dayIn(zone, from).slice(0, length); ; label = next(label)) {
    const start = startOfDay(zone, label.padEnd(10, '-01'));
    if (start >= to) return { starts, labels };
    add(start, label);
  }
}

const minuteMs = 60_000;
const hourMs = 3_600_000;
const dayMs = 86_400_000;

/** The hour by the zone's clock: in zones of half hours it begins at half past of UTC. */
function startOfHour(zone: string, moment: Date): Date {
  const offset = offsetMs(zone, moment.getTime());
  return new Date(Math.floor((moment.getTime() + offset) / hourMs) * hourMs - offset);
}

/** When the zone's clock first shows this; what it never shows is when it skips it. `localMs` is what it shows, as if of UTC. */
function momentOf(zone: string, localMs: number): number {
  // Clocks don't change twice within two days.
  const offsets = [offsetMs(zone, localMs - dayMs), offsetMs(zone, localMs + dayMs)] as const;
  if (offsets[0] === offsets[1]) return localMs - offsets[0];
  const moments = offsets.map((offset) => localMs - offset);
  const fits = moments.filter((moment) => moment + offsetMs(zone, moment) === localMs);
  return fits.length === 0 ? localMs - offsets[0] : Math.min(...fits);
}

const localIso = (zone: string, ms: number): string => new Date(ms + offsetMs(zone, ms)).toISOString();

/** What the zone's clock is ahead of UTC by then. */
function offsetMs(zone: string, ms: number): number {
  if (zone === 'UTC') return 0;
  const [month = 1, day = 1, year = 1970, hour = 0, minute = 0, second = 0] =
    clockOf(zone).format(ms).match(/\d+/g)?.map(Number) ?? [];
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(ms / 1000) * 1000;
}

const clocks = new Map<string, Intl.DateTimeFormat>();
/** There are about 600 zones; spellings of callers could be more. */
const clocksMax = 1_000;

function clockOf(timeZone: string): Intl.DateTimeFormat {
  const known = clocks.get(timeZone);
  if (known) return known;
  const [two, hourCycle] = ['2-digit', 'h23'] as const;
  const fields = { year: 'numeric', month: two, day: two, hour: two, minute: two, second: two } as const;
  const made = new Intl.DateTimeFormat('en-US', { timeZone, hourCycle, ...fields });
  if (clocks.size >= clocksMax) clocks.clear();
  clocks.set(timeZone, made);
  return made;
}
