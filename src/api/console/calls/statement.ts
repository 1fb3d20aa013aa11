/** The statement of a month, and the same as a file. Months are the calendar's, in the account's time zone. */
import * as z from 'zod';
import { GatewayError } from '../../../domain/errors.ts';
import { toAmount } from '../../../domain/money.ts';
import { invalid } from '../../../domain/requests/parse.ts';
import { dayIn, monthAfter, startOfDay } from '../../../domain/time-zone.ts';
import { findAccount } from '../../../accounts/accounts.ts';
import { type Funds, type Statement, statementOf, type SumOf, total } from '../../../ledger/statement.ts';
import { answerCsv } from '../../lists/list-answer.ts';
import { byteOrderMark, csvHeader, csvLine } from '../../presenters/csv.ts';
import { currencyField } from '../../presenters/currency.ts';
import { usageFields, usageSums } from '../../presenters/usage.ts';
import { type AccountAsk, accountCall } from '../console-call.ts';

const monthRule = 'must be a month such as 2026-11, not before 2000-01 and not in the future';
const month = z.string(monthRule).regex(/^2\d{3}-(0[1-9]|1[0-2])$/, monthRule);
const query = z.object({ month });

const funds = z.strictObject({ balance: z.number(), held: z.number(), total: z.number() });
const sum = z.strictObject({ count: z.int(), amount: z.number() });

const getStatement = accountCall({
  method: 'get',
  path: '/accounts/{account}/statement',
  id: 'getStatement',
  summary: 'A month in sums: what was there, came in, was charged and is left',
  needs: 'member',
  query,
  answer: z.strictObject({
    object: z.literal('statement'),
    account: z.strictObject({ id: z.string(), name: z.string() }),
    currency: currencyField,
    month: z.string(),
    time_zone: z.string().describe('Of the month.'),
    first_month: z.string().describe('That the account was made in.'),
    is_complete: z.boolean().describe('Whether the month is over.'),
    opening: funds,
    top_ups: sum,
    adjustments: sum,
    charges: z.array(z.strictObject({ model: z.string(), ...usageFields })),
    charged: z.number().describe('The sum of all charges.'),
    write_offs: sum.describe('Borne by the operator, and no part of the sums.'),
    closing: funds,
  }),
  handle: async (ask) => {
    const { account, statement, isComplete } = await read(ask);
    return {
      object: 'statement' as const,
      account: { id: account.id, name: account.name },
      currency: ask.deps.configuration.currency,
      month: ask.query.month,
      time_zone: account.timeZone,
      first_month: dayIn(account.timeZone, account.createdAt).slice(0, 7),
      is_complete: isComplete,
      opening: fundsObject(statement.opening),
      top_ups: sumObject(statement.credits),
      adjustments: sumObject(statement.adjustments),
      charges: statement.charges.map((usage) => ({ model: usage.group, ...usageSums(usage) })),
      charged: toAmount(statement.charged),
      write_offs: sumObject(statement.writeOffs),
      closing: fundsObject(statement.closing),
    };
  },
});

const statementFile = accountCall({
  method: 'get',
  path: '/accounts/{account}/statement.csv',
  id: 'downloadStatement',
  summary: 'The same as CSV; its amounts from the opening to the charges add up to the closing balance',
  needs: 'member',
  query,
  answer: z.void(),
  media: 'text/csv',
  handle: async (ask) => {
    const { statement } = await read(ask);
    const { currency } = ask.deps.configuration;
    const name = `statement-${ask.query.month}`;
    answerCsv(
      ask.ctx,
      byteOrderMark +
        csvHeader(columns) +
        linesOf(statement)
          .map((line) => csvLine(columns, { ...line, currency }))
          .join(''),
      { name },
    );
  },
});

export const statementCalls = [getStatement, statementFile];

async function read({
  deps: { calls, database },
  account,
  query: { month },
}: AccountAsk<z.output<typeof query>, unknown>) {
  await calls.settled(account);
  const found = await findAccount(database, account);
  if (!found) throw new GatewayError('internal_error', 'This account no longer exists.');
  const from = startOfDay(found.timeZone, `${month}-01`);
  const to = startOfDay(found.timeZone, `${monthAfter(month)}-01`);
  const now = new Date();
  if (from > now) throw invalid('month', monthRule);
  return {
    account: found,
    isComplete: to <= now,
    statement: await statementOf(database, account, found.seq, { from, to }),
  };
}

const units = ['input_tokens', 'output_tokens', 'images', 'seconds'] as const;
const columns = ['line', 'model', 'count', ...units, 'amount', 'currency'] as const;

/** Signed amounts; what is only a part of a line before, or none of the account's money, stands below the closing balance. */
const linesOf = ({ opening, credits, adjustments, charges, writeOffs, closing }: Statement) => [
  { line: 'opening_balance', amount: toAmount(total(opening)) },
  { line: 'top_ups', ...sumObject(credits) },
  { line: 'adjustments', ...sumObject(adjustments) },
  ...charges.map((usage) => {
    const { calls: count, cost, ...units } = usageSums(usage);
    return { line: 'charges', model: usage.group, count, ...units, amount: cost === 0 ? 0 : -cost };
  }),
  { line: 'closing_balance', amount: toAmount(total(closing)) },
  { line: 'of_which_held', amount: toAmount(closing.held) },
  { line: 'write_offs', ...sumObject(writeOffs) },
];

const fundsObject = (funds: Funds) => ({
  balance: toAmount(funds.available),
  held: toAmount(funds.held),
  total: toAmount(total(funds)),
});
const sumObject = ({ count, amount }: SumOf): { count: number; amount: number } => ({
  count,
  amount: toAmount(amount),
});
