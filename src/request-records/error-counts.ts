/** How many of the newest requests failed, by the code of their error: over all accounts. */
import * as z from 'zod';
import type { Database } from '../postgres/database.ts';
import { row, type RowOf } from '../postgres/row.ts';

/** Of the newest requests so many are counted, at most. */
const countedMax = 50_000;

const countRow = row({
  /** Null: answered without an error. Without a code, the status. */
  code: z.string().nullable(),
  lastHour: z.int(),
  lastDay: z.int(),
});
export type RequestCount = RowOf<typeof countRow>;

export interface RequestCounts {
  counts: readonly RequestCount[];
  /** Only requests since then are counted; null: all of the last day. */
  since: Date | null;
}

/** Counts the requests of the last hour and day, whatever they asked for, by what came of them. */
export async function countRequests({ pool }: Database): Promise<RequestCounts> {
  const [counted, first] = await Promise.all([
    pool.query({
      name: 'count-requests-by-code',
      text: `select case when status < 400 and code is null then null else coalesce(code, status::text) end as code,
          count(*)::integer as "lastDay",
          (count(*) filter (where created_at > now() - interval '1 hour'))::integer as "lastHour"
        from (select status, code, created_at ${newest} limit ${countedMax}) as newest group by 1`,
    }),
    pool.query({
      name: 'count-requests-since',
      text: `select created_at as since ${newest} offset ${countedMax - 1} limit 1`,
    }),
  ]);
  return {
    counts: counted.rows.map((each) => countRow.parse(each)),
    since: sinceRow.optional().parse(first.rows[0])?.since ?? null,
  };
}

const newest = `from requests where created_at > now() - interval '1 day' order by created_at desc`;
const sinceRow = z.object({ since: z.date() });
