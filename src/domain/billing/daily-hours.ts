/** Hours of every day in a time zone, such as the cheap ones of the night. */

export interface DailyHours {
  /** Minutes after midnight, from 0 to 1439. */
  from: number;
  /** The first minute that is no longer part of them; before `from` where they go past midnight. */
  to: number;
  /** As in the IANA database, such as `Asia/Shanghai`. */
  timeZone: string;
}

/** Returns whether a moment is in these hours, by the clocks of their time zone. */
export function isWithin({ from, to, timeZone }: DailyHours, at: Date): boolean {
  const minute = minuteOfDay(timeZone, at);
  return from < to ? minute >= from && minute < to : minute >= from || minute < to;
}

/** Reads `HH:MM` as minutes after midnight; undefined where it is no time of a day. */
export function parseTimeOfDay(text: string): number | undefined {
  const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
  return hours === undefined || minutes === undefined ? undefined : Number(hours) * 60 + Number(minutes);
}

export const timeOfDayText = (minute: number): string =>
  `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;

export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** Making one takes fifty times as long as asking it. */
const clocks = new Map<string, Intl.DateTimeFormat>();

function minuteOfDay(timeZone: string, at: Date): number {
  let clock = clocks.get(timeZone);
  if (!clock) {
    clock = new Intl.DateTimeFormat('en', { timeZone, hourCycle: 'h23', hour: '2-digit', minute: '2-digit' });
    clocks.set(timeZone, clock);
  }
  const minute = parseTimeOfDay(clock.format(at));
  if (minute === undefined) throw new RangeError(`no time of day in ${timeZone}: ${clock.format(at)}`);
  return minute;
}
