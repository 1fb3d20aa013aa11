/** Captures and write-offs as rows of figures: whole hours as their sums, and all else, such as the newest, as entries. */
import type { AccountId } from '../domain/ids.ts';
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

/** Of which rows. */
interface Asked extends Range {
  /** Whether whole hours may be one row each: nothing is asked that only entries say. */
  byHours: boolean;
}

/** The captures of an account by their own time. The stretch bounds their numbers, as far as they are not summed yet. */
export function rowsOfAccount(
  account: AccountId,
  { above, upTo }: Stretch,
  { from, to, byHours, key }: Asked & { key?: string | undefined },
): ChargeRows {
  const values: unknown[] = [from, to, account, above, upTo];
  const moment = (value: Date) => `$${values.push(value)}::timestamptz`;
  const whoseKey = key === undefined ? '' : `and key_id = $${values.push(key)}`;
  const captures = `account_id = $3 and type = 'capture' ${whoseKey}`;
  const [first, past] = ['$1::timestamptz', '$2::timestamptz'];
  const isIn = (column: string, from: string, to: string) => `${column} >= ${from} and ${column} < ${to}`;
  const entries = (where: string, from = first, to = past) =>
    entriesText('e.created_at', `${captures} and ${isIn('created_at', from, to)} and ${where}`);
  const position = 'coalesce((select p.seq from charge_positions p where p.account_id = $3), 0)';
  // The sums of their hours say where they are among the account's.
  const older = (from: string, to: string) => {
    const number = (which: string) =>
      `(select ${which} from charge_sums where account_id = $3
        and ${isIn('charged_hour', `date_trunc('hour', ${from}, 'UTC')`, to)})`;
    const numbers = `seq between ${number('min(first_seq)')} and ${number('max(last_seq)')}`;
    return entries(`seq <= ${position} and ${numbers}`, from, to);
  };
  const newest = entries(`seq > greatest($4, ${position}) and seq <= $5`);
  const hours = byHours ? wholeHours({ from, to }) : undefined;
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
