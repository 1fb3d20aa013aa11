/** How many requests there were, how many failed and how long the others took, by one dimension or by two. */
import * as z from 'zod';
import type { AccountId } from '../domain/ids.ts';
import { spansIn } from '../domain/time-zone.ts';
import { type CrossSums, readCrossTable } from '../postgres/cross-table.ts';
import type { Database } from '../postgres/database.ts';
import { isMoment, type MomentName, momentDimension } from '../postgres/moment-dimensions.ts';
import { row, type RowOf } from '../postgres/row.ts';

const columns = {
  ...{ model: `coalesce(model, '')`, key: 'key_id', provider: `coalesce(provider, '')`, account: 'account_id' },
  ...{ user: `coalesce(end_user, '')`, tag: `coalesce(tag, '')` },
};
type RequestDimension = keyof typeof columns;

const count = z.bigint().transform(Number);
const requestSumsRow = row({
  requests: count,
  /** Answered with 400 or above, or left by their caller before an answer. */
  errors: count,
  /** The median of those that are no errors, within one percent; null: there are none. */
  medianMs: count.nullable(),
  /** What 95 of 100 of them did not exceed, likewise. */
  p95Ms: count.nullable(),
});
export type RequestSums = RowOf<typeof requestSumsRow>;

export interface RequestSumsQuery {
  /** Undefined: of all accounts. */
  account?: AccountId | undefined;
  /** Of this key only. */
  key?: string | undefined;
  group: RequestDimension | MomentName;
  by?: RequestDimension | undefined;
  /** By which the largest are chosen. */
  largestBy: 'requests' | 'errors';
  groupsMax: number;
  columnsMax: number;
  from: Date;
  to: Date;
  /** Of hours, days and months. */
  timeZone: string;
}

/** In steps of 2 %, so that a table has few numbers to sort, however many requests there are; below 50 ms by the millisecond. */
const latencyStep = `case when status < 400 then case when latency_ms < 50 then latency_ms
  else round(exp(round(ln(latency_ms) * 50) / 50))::integer end end`;

/** Returns the sums over the requests from `from` on and before `to`. */
export async function sumRequests(
  { pool }: Database,
  { account, key, group, by, from, to, timeZone, ...bounds }: RequestSumsQuery,
): Promise<CrossSums<RequestSums>> {
  const values: unknown[] = [from, to];
  const parameter = (value: unknown) => `$${values.push(value)}`;
  const whose = account === undefined ? '' : `and account_id = ${parameter(account)}`;
  const whoseKey = key === undefined ? '' : `and key_id = ${parameter(key)}`;
  const dimension = (name: MomentName) => {
    const spans = spansIn(timeZone, name, { from, to });
    return momentDimension(spans, 'created_at', `${parameter(spans.starts)}::timestamptz[]`);
  };
  return readCrossTable(pool, {
    group: isMoment(group) ? dimension(group) : { value: columns[group] },
    by: by && { value: columns[by] },
    source: `from requests where created_at >= $1::timestamptz and created_at < $2::timestamptz ${whose} ${whoseKey}`,
    values,
    sums: {
      requests: 'count(*)',
      errors: 'count(*) filter (where status >= 400)',
    },
    spread: { value: latencyStep, shares: { medianMs: 0.5, p95Ms: 0.95 } },
    sumsRow: requestSumsRow,
    ...bounds,
  });
}
