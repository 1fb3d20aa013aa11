/** Captures and write-offs as rows of figures: whole hours as their sums, and all else, such as the newest, as entries. */
import * as z from 'zod';
import type { AccountId } from '../domain/ids.ts';
import type { Database } from '../postgres/database.ts';
import { chargeFigures, figureNames, tokensOfLines } from './charge-figures.ts';
import type { Stretch } from './sequence-range.ts';

const hourMs = 3_600_000;

interface Range {
  from: Date;
  to: Date;
}

/** SQL of rows with account, key, model, provider, request, the time `at`, and `chargeFigures`; with its parameters from $1 on. */
export interface ChargeRows {
  text: string;
  values: readonly unknown[];
}

interface OfAccount extends Range {
  /** Of this key only. */
  key?: string | undefined;
}

const isIn = (column: string, from: string, to: string) => `${column} >= ${from} and ${column} < ${to}`;
const [first, past] = ['$1::timestamptz', '$2::timestamptz'];
const positionText = 'coalesce((select p.seq from charge_positions p where p.account_id = $3), 0)';
const numberText = (which: string, from: string, to: string) =>
  `(select ${which} from charge_sums where account_id = $3
    and ${isIn('charged_hour', `date_trunc('hour', ${from}, 'UTC')`, to)})`;

/** The captures of an account by their own time. The stretch bounds their numbers, as far as they are not summed yet. */
export function rowsOfAccount(account: AccountId, { above, upTo }: Stretch, { from, to, key }: OfAccount): ChargeRows {
  const values: unknown[] = [from, to, account, above, upTo];
  const moment = (value: Date) => `$${values.push(value)}::timestamptz`;
  const captures = `account_id = $3 and type = 'capture' ${key === undefined ? '' : `and key_id = $${values.push(key)}`}`;
  const entries = (where: string, from = first, to = past) =>
    entriesText('e.created_at', `${captures} and ${isIn('created_at', from, to)} and ${where}`);
  // The sums of their hours say where they are among the account's.
  const older = (from: string, to: string) =>
    entries(
      `seq <= ${positionText} and seq between ${numberText('min(first_seq)', from, to)} and ${numberText('max(last_seq)', from, to)}`,
      from,
      to,
    );
  const newest = entries(`seq > greatest($4, ${positionText}) and seq <= $5`);
  const hours = wholeHours({ from, to });
  if (!hours) return { text: [older(first, past), newest].join(' union all '), values };
  const [firstHour, pastHour] = [moment(hours.from), moment(hours.to)];
  return {
    text: [
      sumsText('charged_hour', `${captures} and ${isIn('charged_hour', firstHour, pastHour)}`),
      newest,
      ...(from < hours.from ? [older(first, firstHour)] : []),
      ...(hours.to < to ? [older(pastHour, past)] : []),
    ].join(' union all '),
    values,
  };
}

/** The same, each as itself. Their numbers are asked for first: a join with them is planned by how many they are. */
export async function entriesOfAccount(
  { pool }: Pick<Database, 'pool'>,
  account: AccountId,
  { above, upTo }: Stretch,
  { from, to, key }: OfAccount,
): Promise<ChargeRows> {
  const { rows } = await pool.query({
    name: 'numbers-of-charges',
    text: `select ${positionText} as position, coalesce(${numberText('min(first_seq)', first, past)}, 1) as first,
      coalesce(${numberText('max(last_seq)', first, past)}, 0) as last`,
    values: [from, to, account],
  });
  const summed = z.object({ position: z.bigint(), first: z.bigint(), last: z.bigint() }).parse(rows[0]);
  const newest = summed.position > above ? summed.position : above;
  const values: unknown[] = [from, to, account, newest, upTo, summed.first, summed.last];
  const whoseKey = key === undefined ? '' : `and key_id = $${values.push(key)}`;
  const entries = (where: string) =>
    entriesText(
      'e.created_at',
      `account_id = $3 and type = 'capture' ${whoseKey} and ${isIn('created_at', first, past)} and ${where}`,
    );
  return { text: [entries('seq between $6 and $7'), entries('seq > $4 and seq <= $5')].join(' union all '), values };
}

/** Of all. */
interface Asked extends Range {
  /** Whether whole hours may be one row each: nothing is asked that only entries say. */
  byHours: boolean;
}

/** The captures and write-offs of all accounts by the time of their admission. */
export function rowsOfAll({ from, to, byHours }: Asked): ChargeRows {
  const values: unknown[] = [from, to];
  const sold = `type in ('capture', 'write_off')`;
  const at = 'tollgate_uuid_moment(e.transfer_id)';
  // Transfer ids are in the order of their times, and the months are cut by them.
  const between = (first: string, past: string) =>
    `e.transfer_id >= tollgate_uuid_floor(${first}::timestamptz) and e.transfer_id < tollgate_uuid_floor(${past}::timestamptz)`;
  const hours = byHours ? wholeHours({ from, to }) : undefined;
  if (!hours) return { text: entriesText(at, `${sold} and ${between('$1', '$2')}`), values };
  const first = `$${values.push(hours.from)}`;
  const past = `$${values.push(hours.to)}`;
  const summed = 'e.seq <= (select p.seq from charge_positions p where p.account_id = e.account_id)';
  const edge = (from: string, past: string) => entriesText(at, `${sold} and ${between(from, past)} and ${summed}`);
  // The bounds stand outside, or each account's entries would be sought by them and not by their numbers.
  const newest = `select e.* from accounts a left join charge_positions p on p.account_id = a.id
      cross join lateral (
        ${entriesText(at, `e.account_id = a.id and e.seq > coalesce(p.seq, 0) and ${sold} offset 0`)}
      ) as e
    where a.seq > coalesce(p.seq, 0) and e.at >= $1::timestamptz and e.at < $2::timestamptz`;
  return {
    text: [
      sumsText('admitted_hour', `admitted_hour >= ${first}::timestamptz and admitted_hour < ${past}::timestamptz`),
      newest,
      ...(from < hours.from ? [edge('$1', first)] : []),
      ...(hours.to < to ? [edge(past, '$2')] : []),
    ].join(' union all '),
    values,
  };
}

const isWhole = (moment: Date): boolean => moment.getTime() % hourMs === 0;
const hourOf = (moment: Date): Date => new Date(Math.floor(moment.getTime() / hourMs) * hourMs);

/** Whether all of them begin with an hour of UTC: the days of most zones do. */
export const areWholeHours = (starts: readonly Date[]): boolean => starts.every(isWhole);

/** The whole hours of a range, if there are any. */
function wholeHours({ from, to }: Range): Range | undefined {
  const hours = { from: new Date(Math.ceil(from.getTime() / hourMs) * hourMs), to: hourOf(to) };
  return hours.from < hours.to ? hours : undefined;
}

const sumsText = (at: string, where: string) =>
  `select account_id, key_id, model, provider, null as request_id, ${at} as at, ${figureNames.join(', ')}
    from charge_sums where ${where}`;

const entriesText = (at: string, where: string) =>
  `select e.account_id, coalesce(e.key_id, '') as key_id, coalesce(e.model, '') as model, coalesce(e.provider, '') as provider,
      e.request_id, ${at} as at, ${Object.entries(chargeFigures)
        .map(([name, figure]) => `${figure} as ${name}`)
        .join(', ')}
    from entries e ${tokensOfLines} where ${where}`;
