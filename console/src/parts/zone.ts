/** The time zone of the page: that of its account. On other pages days are those of UTC, and times the reader's. */
import { createContext, useContext } from 'react';
import { defineTexts, useTexts } from '../texts/define-texts.ts';

/** undefined: the page belongs to no account. */
export const ZoneContext = createContext<string | undefined>(undefined);

/** The zone of the page's days. */
export const useZone = (): string => useContext(ZoneContext) ?? 'UTC';

/** The zone in which the page shows times; undefined: the reader's. */
export const useClockZone = (): string | undefined => useContext(ZoneContext);

/** Says in which zone the days and times of the page are. */
export function useZoneText(): string {
  const say = useTexts(zoneTexts);
  return say('all', { zone: useZone() });
}

const zoneTexts = defineTexts('zone', {
  en: { all: 'All dates are in {{zone}}.' },
  zh: { all: '日期和时间均为 {{zone}} 时区。' },
});
