/** What is shown beside the period before: as many days, that end where it begins. */
import { startOfDay } from '../../../../src/domain/time-zone.ts';
import { dayAfter, daysBetween, rangeOf, today } from '../days.ts';
import { isTime, type Shown, timesOf, usageQueryOf } from './usage-query.ts';

interface Heading {
  id: string;
  others: boolean;
}

interface Table<Sums> {
  rows: readonly (Heading & { sums: Sums })[];
  total: { sums: Sums };
}

/** A number of the period before: 0 where there was nothing, null where it isn't known. No heading: of all. */
export type NumberBefore<Figure extends string> = (heading: Heading | undefined, figure: Figure) => number | null;

/** The days before those that are shown. */
export function daysBefore({ first, last }: Pick<Shown, 'first' | 'last'>): { first: string; last: string } {
  const days = daysBetween(first, last).length;
  return { first: dayAfter(first, -days), last: dayAfter(first, -1) };
}

const stepMs = 300_000;

/** Whether the last day is not over: then that of the period before is looked at up to the same time of day. */
export const isUnfinished = ({ zone, last }: Pick<Shown, 'zone' | 'last'>): boolean => last >= today(zone);

/** The query of the period before. It moves on every five minutes while the last day is not over. */
export function queryBefore<Name extends string, Metric extends string>(
  shown: Shown<Name, Metric>,
  nowMs = Date.now(),
) {
  if (!shown.isRange) return usageQueryOf(shown);
  const { zone, first } = shown;
  const before = daysBefore(shown);
  const range = rangeOf(zone, { from: before.first, to: before.last });
  const sinceMs = Math.ceil((nowMs - startOfDay(zone, first).getTime()) / stepMs) * stepMs;
  const to = new Date(startOfDay(zone, before.first).getTime() + sinceMs).toISOString();
  return {
    ...usageQueryOf(shown),
    ...range,
    ...(isUnfinished(shown) && range.to !== undefined && to < range.to && { to }),
  };
}

/** Finds the numbers of the period before: a time by its place in its period, all else by its id. */
export function numbersBefore<Sums, Figure extends string>(
  before: Table<Sums>,
  shown: Pick<Shown, 'group' | 'zone' | 'first' | 'last'>,
  { numberOf, isSum }: { numberOf: (sums: Sums, figure: Figure) => number | null; isSum: (figure: Figure) => boolean },
  nowMs = Date.now(),
): NumberBefore<Figure> {
  const { group, zone } = shown;
  const rows = new Map(before.rows.filter(({ others }) => !others).map((row) => [row.id, row.sums]));
  const areAllKnown = rows.size === before.rows.length;
  const places = isTime(group)
    ? new Map(zip(timesOf(shown, group), timesOf({ zone, ...daysBefore(shown) }, group)))
    : undefined;
  return (heading, figure) => {
    if (!heading) return numberOf(before.total.sums, figure);
    const id = places ? places.get(heading.id) : heading.id;
    const isToCome = places !== undefined && Date.parse(heading.id) > nowMs; // and so is not looked at then, either
    if (heading.others || id === undefined || isToCome) return null;
    const sums = rows.get(id);
    if (sums) return numberOf(sums, figure);
    return areAllKnown && isSum(figure) ? 0 : null;
  };
}

const zip = (ones: readonly string[], others: readonly string[]): [string, string][] =>
  ones.flatMap((one, at): [string, string][] => {
    const other = others[at];
    return other === undefined ? [] : [[one, other]];
  });
