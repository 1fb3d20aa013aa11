/** What a row or column of the usage table is called. */
import type { Say } from '../../texts/define-texts.ts';
import { dayText, monthText } from '../days.ts';
import type { usageTexts } from './texts.ts';

/** Of a row or a column. */
export interface Heading {
  id: string;
  name: string | null;
  others: boolean;
}

/** In the reader's form: a time, the name of a key or an account, or the value itself. */
export function headText(
  { id, name, others }: Heading,
  dimension: string,
  { say, locale, form = 'long' }: { say: Say<typeof usageTexts.en>; locale: string; form?: 'short' | 'long' },
): string {
  if (others) return say('others');
  if (id === '') return say('none');
  if (dimension === 'day') return dayText(id, locale, form);
  if (dimension === 'month') return monthText(id, locale);
  if (dimension === 'hour') return `${dayText(id.slice(0, 10), locale, 'short')} ${id.slice(11, 16)}`;
  return name ?? id;
}
