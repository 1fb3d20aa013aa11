/** From a row, or a cell, of the usage table to the requests that it is made of. */
import { dayAfter, monthAfter } from '../days.ts';
import type { Heading } from './head-text.ts';
import { isTime, type Shown } from './usage-query.ts';

/** Returns the filter as the page of requests has it in its address; undefined where no filter names the row. */
export function requestsOf(
  { group, by, metric, first, last }: Shown,
  row: Heading,
  column: Heading | undefined,
): string | undefined {
  const heads = [row, ...(column ? [column] : [])];
  if (heads.some(({ id, others }) => others || id === '')) return undefined;
  return new URLSearchParams({
    from: first,
    to: last,
    ...(isTime(group) ? timeOf(row.id) : { [group]: row.id }),
    ...(column && by !== undefined && { [by]: column.id }),
    ...(metric === 'errors' && { status: 'error' }),
  }).toString();
}

/** The days of a month, of a day, or of an hour, which the page has besides: an hour is named by its start. */
function timeOf(id: string): Record<string, string> {
  if (id.length === 'YYYY-MM'.length) return { from: `${id}-01`, to: dayAfter(`${monthAfter(id)}-01`, -1) };
  const day = id.slice(0, 10);
  return { from: day, to: day, ...(id !== day && { hour: id }) };
}
