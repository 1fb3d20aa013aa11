/** What was charged, and what that cost the operator, by one dimension or by two: of an account, or of all. */
import * as z from 'zod';
import type { AccountId } from '../domain/ids.ts';
import { spansIn } from '../domain/time-zone.ts';
import { type CrossSums, readCrossTable } from '../postgres/cross-table.ts';
import type { Database } from '../postgres/database.ts';
import { isMoment, momentDimension, type MomentName } from '../postgres/moment-dimensions.ts';
import { money, row, type RowOf } from '../postgres/row.ts';
import { areWholeHours, type ChargeRows, entriesOfAccount, rowsOfAccount, rowsOfAll } from './charge-rows.ts';
import { entriesNotSummed } from './charge-sums.ts';
import type { Stretch } from './sequence-range.ts';

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
  ...{ model: 'e.model', key: 'e.key_id', provider: 'e.provider', account: 'e.account_id' },
  ...{ user: `coalesce(marked.end_user, '')`, tag: `coalesce(marked.tag, '')` },
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

/** Of an account: captures by their own time, as its ledger and its statement have them. The stretch bounds their numbers. */
export async function chargesOfAccount(
  database: Database,
  account: AccountId,
  stretch: Stretch,
  query: ChargeQuery,
): Promise<CrossSums<Charges>> {
  const rows = areHoursEnough(query)
    ? rowsOfAccount(account, stretch, query)
    : await entriesOfAccount(database, account, stretch, query);
  return readCharges(database, query, rows, recordsOfAccount);
}

/** Of all accounts: captures and write-offs by the time of their admission, as the margin report has them. */
export async function chargesOfAll(database: Database, query: ChargeQuery): Promise<CrossSums<Charges>> {
  // Entries above the sums are read whatever their time is: while very many are, a range is read by itself.
  const byHours = areHoursEnough(query) && (await entriesNotSummed(database)) <= newestMax;
  return readCharges(database, query, rowsOfAll({ ...query, byHours }), recordsOfAll);
}

/** Takes a tenth of a second. */
const newestMax = 30_000n;

/** Whether the sums of hours say all that is asked: they know no end users and tags, and fit no zone of half hours. */
function areHoursEnough(query: ChargeQuery): boolean {
  const { group, by, timeZone } = query;
  if (isMarked(group) || isMarked(by)) return false;
  return !isMoment(group) || areWholeHours(spansIn(timeZone, group, query).starts);
}

async function readCharges(
  { pool }: Database,
  { group, by, from, to, timeZone, ...bounds }: ChargeQuery,
  rows: ChargeRows,
  records: string,
): Promise<CrossSums<Charges>> {
  const all = [...rows.values];
  const dimension = (name: MomentName) => {
    const spans = spansIn(timeZone, name, { from, to });
    return momentDimension(spans, 'e.at', `$${all.push(spans.starts)}::timestamptz[]`);
  };
  const marks = `left join (${records}) as marked on marked.request_id = e.request_id and marked.account_id = e.account_id`;
  return readCrossTable(pool, {
    group: isMoment(group) ? dimension(group) : { value: columns[group] },
    by: by && { value: columns[by] },
    source: `from (${rows.text}) as e ${isMarked(group) || isMarked(by) ? marks : ''}`,
    values: all,
    sums: sumsOfFigures,
    sumsRow: chargeRow,
    ...bounds,
  });
}

const sumOf = (figure: string) => `coalesce(sum(e.${figure}), 0)::bigint`;
const sumsOfFigures: Record<keyof Charges, string> = {
  ...{ calls: sumOf('calls'), callsWithoutCost: sumOf('calls_without_cost'), tokens: sumOf('tokens') },
  ...{ inputTokens: sumOf('input_tokens'), outputTokens: sumOf('output_tokens') },
  ...{ images: sumOf('images'), seconds: sumOf('seconds') },
  ...{ revenue: sumOf('revenue'), revenueWithoutCost: sumOf('revenue_without_cost') },
  ...{ writtenOff: sumOf('written_off'), cost: sumOf('cost') },
};

const isMarked = (dimension: string | undefined): boolean => dimension === 'user' || dimension === 'tag';

// End users and tags are in the records of requests, and what nothing is recorded of has none: the sums stay the ledger's.
// A request id that a caller sent again stands for one request here, so that no charge counts twice.
const marks = 'account_id, request_id, max(end_user) as end_user, max(tag) as tag';
const hasMark = '(end_user is not null or tag is not null)';
// A call is charged within an hour of its request; a task up to a week later, if it waits for its turn.
const recordsOfAccount = `select ${marks} from (
    select account_id, request_id, end_user, tag from requests where account_id = $3 and ${hasMark} and task_id is null
      and created_at >= $1::timestamptz - interval '1 hour' and created_at < $2::timestamptz
    union all
    select account_id, request_id, end_user, tag from requests where account_id = $3 and ${hasMark}
      and task_id is not null and created_at >= $1::timestamptz - interval '8 days' and created_at < $2::timestamptz
  ) as r group by account_id, request_id`;
const recordsOfAll = `select ${marks} from requests where ${hasMark}
    and created_at >= $1::timestamptz - interval '1 hour' and created_at < $2::timestamptz group by account_id, request_id`;
