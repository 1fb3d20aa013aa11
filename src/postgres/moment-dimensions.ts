/** Hours, days and months of a time zone as dimensions of a cross table. */
import type { SpanName, Spans } from '../domain/time-zone.ts';
import type { Dimension } from './cross-table.ts';

export const momentNames: readonly [SpanName, ...SpanName[]] = ['hour', 'day', 'month'];
export type MomentName = SpanName;

export const isMoment = <Name extends string>(name: Name): name is Name & MomentName =>
  momentNames.some((moment) => moment === name);

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
