/** What was charged, and what that cost the operator, by one dimension or by two: of an account, or of all. */
import * as z from 'zod';
import { inputUnits, outputUnits } from '../domain/billing/line-units.ts';
import { type AccountId, taskIdPrefixes } from '../domain/ids.ts';
import { type Spans, spansIn } from '../domain/time-zone.ts';
import { type CrossSums, type Dimension, readCrossTable } from '../postgres/cross-table.ts';
import type { Database } from '../postgres/database.ts';
import { isMoment, momentDimension, type MomentName, spanDimension } from '../postgres/moment-dimensions.ts';
import { money, row, type RowOf } from '../postgres/row.ts';
import { marginSums } from './margin-report.ts';

const count = z.bigint().transform(Number);
const thousandths = z.bigint().transform((number) => Number(number) / 1_000);
const chargeRow = row({
  ...{ calls: count, inputTokens: count, outputTokens: count, images: thousandths, seconds: thousandths },
  /** Of chat, and 1,000 for each second of avatar-talk. */
  tokens: count,
  /** What customers paid. */
  revenue: money,
  writtenOff: money,
  /** Calls and tasks whose cost to the operator is not known, and what was paid for them. */
  ...{ callsWithoutCost: count, revenueWithoutCost: money },
  /** What the others cost the operator. */
  cost: money,
});
export type Charges = RowOf<typeof chargeRow>;

const columns = {
  ...{ model: `coalesce(e.model, '')`, key: `coalesce(e.key_id, '')`, provider: `coalesce(e.provider, '')` },
  ...{ user: `coalesce(marked.end_user, '')`, tag: `coalesce(marked.tag, '')`, account: 'e.account_id' },
};
type ChargeDimension = keyof typeof columns;

export interface ChargeQuery {
  group: ChargeDimension | MomentName;
  by?: ChargeDimension | undefined;
  /** Of this key only. */
  key?: string | undefined;
  /** By which the largest are chosen. */
  largestBy: 'revenue' | 'cost' | 'calls' | 'tokens';
  groupsMax: number;
  columnsMax: number;
  from: Date;
  to: Date;
  /** Of hours, days and months. */
  timeZone: string;
}

/** Of an account: captures by their own time, as its ledger and its statement have them; `above` and `upTo` bound their numbers. */
export function chargesOfAccount(
  database: Database,
  account: AccountId,
  { above, upTo }: { above: bigint; upTo: bigint },
  query: ChargeQuery,
): Promise<CrossSums<Charges>> {
  return readCharges(database, query, {
    source: `${recordsIfNeeded(query, recordsOfAccount)} where e.account_id = $3 and e.type = 'capture'
      and e.seq > $4 and e.seq <= $5 and e.created_at >= $1::timestamptz and e.created_at < $2::timestamptz
      ${query.key === undefined ? '' : 'and e.key_id = $6'}`,
    values: [account, above, upTo, ...(query.key === undefined ? [] : [query.key])],
    momentOf: (spans, starts) => momentDimension(spans, 'e.created_at', starts),
  });
}

/** Of all accounts: captures and write-offs by the time of their admission, as the margin report has them. */
export function chargesOfAll(database: Database, query: ChargeQuery): Promise<CrossSums<Charges>> {
  return readCharges(database, query, {
    source: `${recordsIfNeeded(query, recordsOfAll)} where e.type in ('capture', 'write_off')
      and e.transfer_id >= tollgate_uuid_floor($1::timestamptz) and e.transfer_id < tollgate_uuid_floor($2::timestamptz)`,
    values: [],
    // Transfer ids are in the order of their times.
    momentOf: (spans, starts) => spanDimension(spans, 'e.transfer_id', floorsOf(starts)),
  });
}

interface Source {
  /** Behind `from entries e`; $1 and $2 are the range. */
  source: string;
  /** From $3 on. */
  values: readonly unknown[];
  momentOf: (spans: Spans, starts: string) => Dimension;
}

const floorsOf = (starts: string) =>
  `(select array_agg(tollgate_uuid_floor(start) order by start) from unnest(${starts}) as start)`;

async function readCharges(
  { pool }: Database,
  { group, by, from, to, timeZone, ...bounds }: ChargeQuery,
  { source, values, momentOf }: Source,
): Promise<CrossSums<Charges>> {
  const all = [from, to, ...values];
  const dimension = (name: MomentName) => {
    const spans = spansIn(timeZone, name, { from, to });
    return momentOf(spans, `$${all.push(spans.starts)}::timestamptz[]`);
  };
  return readCrossTable(pool, {
    group: isMoment(group) ? dimension(group) : { value: columns[group] },
    by: by && { value: columns[by] },
    source: `from entries e ${tokensOfLines} ${source}`,
    values: all,
    sums: { ...usageSums, ...marginSums },
    sumsRow: chargeRow,
    ...bounds,
  });
}

const quoted = (units: readonly string[]) => units.map((unit) => `'${unit}'`).join(', ');
const tokensOfLines = `left join lateral (
    select sum((line ->> 'units')::bigint) filter (where line ->> 'unit' in (${quoted(inputUnits)})) as input,
      sum((line ->> 'units')::bigint) filter (where line ->> 'unit' in (${quoted(outputUnits)})) as output
    from jsonb_array_elements(e.lines) as line
  ) as tokens on e.lines is not null and e.type = 'capture'`;

const talkSecond = `e.unit = 'second' and e.type = 'capture' and starts_with(e.task_id, '${taskIdPrefixes.avatar_talk}')`;
const unitsOf = (unit: string) =>
  `coalesce(sum(e.units * 1000) filter (where e.unit = '${unit}' and e.type = 'capture'), 0)::bigint`;
const usageSums = {
  inputTokens: 'coalesce(sum(tokens.input), 0)::bigint',
  outputTokens: 'coalesce(sum(tokens.output), 0)::bigint',
  images: unitsOf('image'),
  seconds: unitsOf('second'),
  tokens: `(coalesce(sum(tokens.input), 0) + coalesce(sum(tokens.output), 0)
    + coalesce(sum(e.units * 1000) filter (where ${talkSecond}), 0))::bigint`,
};

// End users and tags are in the records of requests, and what nothing is recorded of has none: the sums stay the ledger's.
// A request id that a caller sent again stands for one request here, so that no charge counts twice.
const recordsIfNeeded = ({ group, by }: ChargeQuery, records: string): string =>
  [group, by].some((name) => name === 'user' || name === 'tag')
    ? `left join (${records}) as marked on marked.request_id = e.request_id and marked.account_id = e.account_id`
    : '';

const marks = 'account_id, request_id, max(end_user) as end_user, max(tag) as tag';
const isMarked = '(end_user is not null or tag is not null)';
// A call is charged within an hour of its request; a task up to a week later, if it waits for its turn.
const recordsOfAccount = `select ${marks} from (
    select account_id, request_id, end_user, tag from requests where account_id = $3 and ${isMarked} and task_id is null
      and created_at >= $1::timestamptz - interval '1 hour' and created_at < $2::timestamptz
    union all
    select account_id, request_id, end_user, tag from requests where account_id = $3 and ${isMarked}
      and task_id is not null and created_at >= $1::timestamptz - interval '8 days' and created_at < $2::timestamptz
  ) as r group by account_id, request_id`;
const recordsOfAll = `select ${marks} from requests where ${isMarked}
    and created_at >= $1::timestamptz - interval '1 hour' and created_at < $2::timestamptz group by account_id, request_id`;
