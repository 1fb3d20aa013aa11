/** A moment in the zone of the page's account, else the reader's, and in their form; pointing at it shows the whole of it, as ISO 8601. */
import { useEffect, useState } from 'react';
import { localeOf, useLanguage } from '../texts/language.ts';
import { useClockZone } from './zone.ts';

/** `at` is what the API gives: seconds since 1970, or ISO 8601. `relative` shows how long ago, and keeps counting. */
export function Time({ at, relative = false }: { at: number | string; relative?: boolean }) {
  const locale = localeOf(useLanguage());
  const timeText = useTimeText();
  const now = useNow(relative);
  const moment = new Date(typeof at === 'number' ? at * 1000 : at);
  const iso = moment.toISOString();
  return (
    <time className="tg-number" dateTime={iso} title={iso}>
      {relative ? relativeText(moment, now, locale) : timeText(moment)}
    </time>
  );
}

/** Day and time to the second. */
export function useTimeText(): (moment: Date) => string {
  const locale = localeOf(useLanguage());
  const timeZone = useClockZone();
  const form = { dateStyle: 'medium', timeStyle: 'medium', ...(timeZone !== undefined && { timeZone }) } as const;
  return (moment) => new Intl.DateTimeFormat(locale, form).format(moment);
}

const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

function relativeText(moment: Date, now: number, locale: string): string {
  const seconds = Math.round((moment.getTime() - now) / 1000);
  const [unit, length] = units.find((candidate) => Math.abs(seconds) >= candidate[1]) ?? ['second', 1];
  return new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(Math.trunc(seconds / length), unit);
}

const tickMs = 10_000;

function useNow(runs: boolean): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!runs) return;
    const timer = setInterval(() => setNow(Date.now()), tickMs);
    return () => clearInterval(timer);
  }, [runs]);
  return now;
}
