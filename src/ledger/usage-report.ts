/** What an account used and paid, summed by day, model or key over the ledger's captures: one statement a page. */
import * as z from 'zod';
import { inputUnits, outputUnits } from '../domain/billing/line-units.ts';
import { taskIdPrefixes, type AccountId } from '../domain/ids.ts';
import { type Spans, spansIn, startOfDay } from '../domain/time-zone.ts';
import type { Database } from '../postgres/database.ts';
import { money, row, type RowOf } from '../postgres/row.ts';

export const usageGroups = ['day', 'model', 'key'] as const;
export type UsageGroup = (typeof usageGroups)[number];

const count = z.bigint().transform(Number);
const decimals = z.string().transform(Number);
const usageRow = row({
  /** The day as `2026-11-21`, the model's id or the key's. */
  group: z.string(),
  /** Calls and tasks that were charged, those that cost nothing included. */
  calls: count,
  /** Cached ones included. */
  inputTokens: count,
  outputTokens: count,
  images: decimals,
  seconds: decimals,
  /** Of chat, and 1,000 for each second of avatar-talk. */
  tokens: count,
  /** What the customer paid. */
  cost: money,
});
export type Usage = RowOf<typeof usageRow>;

export interface UsageFilter {
  from?: Date | undefined;
  to?: Date | undefined;
  /** The number of the newest entry that counts, so that several pages show the same ledger. */
  upTo?: bigint | undefined;
  /** A number up to which all entries are before `from`: they need not be read. */
  above?: bigint | undefined;
  /** Of days. */
  timeZone: string;
}

/** Up to `limit` groups behind the group `after`, or the first: days newest first, models and keys by their ids. */
export async function listUsage(
  database: Database,
  account: AccountId,
  by: UsageGroup,
  { from, to, upTo, above, timeZone }: UsageFilter,
  { limit, after }: { limit: number; after: string | undefined },
): Promise<Usage[]> {
  const days = by === 'day' && timeZone !== 'UTC' ? daysOf(timeZone, { from, to }) : undefined;
  const { rows } = await database.pool.query({
    name: `list-usage-by-${days ? 'zoned-day' : by}`,
    text: days ? zonedDays : statements[by],
    values: [
      account,
      upTo ?? null,
      from ?? null,
      to ?? null,
      days && after !== undefined ? startOfDay(timeZone, after) : (after ?? null),
      taskIdPrefixes.avatar_talk,
      limit,
      above ?? 0n,
      ...(days ? [days.starts] : []),
    ],
  });
  return rows.map((row) => {
    const usage = usageRow.parse(row);
    return days ? { ...usage, group: days.labels[Number(usage.group) - 1] ?? '' } : usage;
  });
}

const quoted = (units: readonly string[]) => units.map((unit) => `'${unit}'`).join(', ');

interface UsageForm {
  group: string;
  shown: string;
  /** What is behind the group $5, which has this type. */
  behind: string;
  type: 'text' | 'timestamptz';
  order: string;
}

const usageOf = ({ group, shown, behind, type, order }: UsageForm) => `
  select ${shown} as "group", count(*) as calls,
    coalesce(sum(tokens.input), 0)::bigint as "inputTokens", coalesce(sum(tokens.output), 0)::bigint as "outputTokens",
    coalesce(sum(units) filter (where unit = 'image'), 0) as images,
    coalesce(sum(units) filter (where unit = 'second'), 0) as seconds,
    (coalesce(sum(tokens.input), 0) + coalesce(sum(tokens.output), 0)
      + coalesce(sum(units * 1000) filter (where unit = 'second' and starts_with(task_id, $6)), 0))::bigint as tokens,
    sum(d_revenue)::bigint as cost
  from entries left join lateral (
    select sum((line ->> 'units')::bigint) filter (where line ->> 'unit' in (${quoted(inputUnits)})) as input,
      sum((line ->> 'units')::bigint) filter (where line ->> 'unit' in (${quoted(outputUnits)})) as output
    from jsonb_array_elements(lines) as line
  ) as tokens on lines is not null
  where account_id = $1 and type = 'capture' and seq > $8 and seq <= coalesce($2, 9223372036854775807)
    and ($3::timestamptz is null or created_at >= $3) and ($4::timestamptz is null or created_at < $4)
    and ($5::${type} is null or ${behind})
  group by ${group} order by ${group} ${order} limit $7`;

const by = (column: string) => ({
  // In the order of their bytes, whatever the database's collation is.
  group: `${column} collate "C"`,
  shown: `${column} collate "C"`,
  behind: `${column} collate "C" > $5`,
  type: 'text' as const,
  order: 'asc',
});

const day = `(created_at at time zone 'UTC')::date`;
const statements: Record<UsageGroup, string> = {
  day: usageOf({
    group: day,
    shown: `to_char(${day}, 'YYYY-MM-DD')`,
    behind: `created_at < $5::date::timestamp at time zone 'UTC'`,
    type: 'text',
    order: 'desc',
  }),
  model: usageOf(by('model')),
  key: usageOf(by('key_id')),
};

/** The number of the day: 1 is the first. A clock that was set back may have timed an entry before it. */
const number = 'greatest(1, width_bucket(created_at, $9::timestamptz[]))';
/** Of other zones than UTC: the database need not know them, and gets the days' starts. */
const zonedDays = usageOf({
  ...{ group: number, shown: `(${number})::text`, order: 'desc' },
  ...{ behind: 'created_at < $5', type: 'timestamptz' },
});

const dayMs = 86_400_000;

/** No installation has entries of before: it bounds the days of a range. */
const firstEver = new Date('2020-01-01');

/** The days of the range in which there can be entries. */
function daysOf(timeZone: string, { from, to }: Pick<UsageFilter, 'from' | 'to'>): Spans {
  const end = new Date(Date.now() + dayMs);
  return spansIn(timeZone, 'day', {
    from: from !== undefined && from > firstEver ? from : firstEver,
    to: to !== undefined && to < end ? to : end,
  });
}
