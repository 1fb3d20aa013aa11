/** Hours, days and months of a time zone as dimensions of a cross table. */
import type pg from 'pg';
import * as z from 'zod';
import type { Dimension } from './cross-table.ts';

export const momentNames = ['hour', 'day', 'month'] as const;
export type MomentName = (typeof momentNames)[number];

export const isMoment = <Name extends string>(name: Name): name is Name & MomentName =>
  momentNames.some((moment) => moment === name);

/** Spans of time from one start to the next, without a gap. */
export interface Spans {
  starts: readonly Date[];
  /** Of each: `2026-11-21T08`, `2026-11-21` or `2026-11`. */
  labels: readonly string[];
}

/** Returns the spans of that name that a range touches. */
export async function spansOf(
  connection: pg.Pool,
  name: MomentName,
  { from, to }: { from: Date; to: Date },
): Promise<Spans> {
  const { rows } = await connection.query({
    name: `spans-of-${name}`,
    text: `select s.start, to_char(s.start at time zone $3, '${forms[name]}') as label
      from (${series[name]}) as s where s.start < $2 order by s.start`,
    values: [from, to, 'UTC'],
  });
  const spans = rows.map((read) => spanRow.parse(read));
  return { starts: spans.map(({ start }) => start), labels: spans.map(({ label }) => label) };
}

const spanRow = z.object({ start: z.date(), label: z.string() });
const forms: Record<MomentName, string> = { hour: 'YYYY-MM-DD"T"HH24', day: 'YYYY-MM-DD', month: 'YYYY-MM' };
/** Days and months may be of any length, by the clocks of their time zone. */
const local = (name: MomentName) => `select (local at time zone $3) as start from generate_series(
  date_trunc('${name}', $1::timestamptz at time zone $3), $2::timestamptz at time zone $3, '1 ${name}') as local`;
const series: Record<MomentName, string> = {
  hour: `select start from generate_series(date_trunc('hour', $1::timestamptz, $3), $2::timestamptz, '1 hour') as start`,
  day: local('day'),
  month: local('month'),
};

/** The dimension of the span in which a value is, such as a transfer id; `starts` is SQL of the array of the first ones of each. */
export const spanDimension = ({ labels }: Spans, value: string, starts: string): Dimension => ({
  value: `width_bucket(${value}, ${starts})`,
  labels,
});

/**
 * The same of a `timestamptz`. Where all spans have one length, as days mostly have, steps from the first are counted: that
 * costs a third of looking up the start, and a tenth of asking the calendar.
 */
export function momentDimension(spans: Spans, moment: string, starts: string): Dimension {
  const lengths = new Set(
    spans.starts.slice(1).map((start, at) => start.getTime() - (spans.starts[at]?.getTime() ?? 0)),
  );
  const [length, ...others] = lengths;
  if (length === undefined || others.length > 0) return spanDimension(spans, moment, starts);
  return {
    value: `date_bin('${length} milliseconds', ${moment}, (${starts})[1])`,
    number: (start) => `width_bucket(${start}, ${starts})`,
    labels: spans.labels,
  };
}
