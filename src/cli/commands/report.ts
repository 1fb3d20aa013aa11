/** `tollgate report`: what all accounts paid, what serving them cost the operator, and what is left. */
import { type Command, Option } from 'commander';
import { amountText, zero } from '../../domain/money.ts';
import { marginRange } from '../../api/lists/margin-list.ts';
import { csvHeader, csvLine } from '../../api/presenters/csv.ts';
import { marginColumns, marginObject } from '../../api/presenters/margin.ts';
import {
  listMargins,
  type Margin,
  type MarginGroup,
  marginGroups,
  type MarginRange,
  marginOf,
  marginPercentOf,
  plusMargin,
} from '../../ledger/margin-report.ts';
import type { Database } from '../../postgres/database.ts';
import { withDatabase } from '../administration.ts';
import { moment } from '../options.ts';
import { print, Refusal, table } from '../output.ts';

/** All that fit in the memory of a command. */
const groupsMax = 1_000_000;

interface ReportOptions {
  from?: Date;
  to?: Date;
  by: MarginGroup;
  csv?: boolean;
  json?: boolean;
}

export function addReportCommand(program: Command): void {
  program
    .command('report')
    .description('sum revenue, cost and margin of all accounts')
    .option('--from <time>', 'calls and tasks from this ISO 8601 time; default: 30 days before the end', moment)
    .option('--to <time>', 'and before this one; default: now', moment)
    .addOption(new Option('--by <what>', 'group by').choices([...marginGroups]).default('day'))
    .addOption(new Option('--csv', 'print CSV').conflicts('json'))
    .option('--json', 'print JSON')
    .action(async ({ from, to, by, csv, json }: ReportOptions) => {
      const range = marginRange({ from, to });
      if (range.from >= range.to) throw new Refusal('--to must be later than --from.');
      await withDatabase(async ({ currency, database }) => {
        const margins = await readAllMargins(database, by, range);
        const records = margins.map((margin) => marginObject(by, margin));
        if (json === true) {
          print(JSON.stringify({ object: 'list', data: records, has_more: false, next_cursor: null }));
        } else if (csv === true) {
          const columns = [...marginColumns(by), 'currency'];
          const lines = records.map((record) => csvLine(columns, { ...record, currency }));
          process.stdout.write(csvHeader(columns) + lines.join(''));
        } else {
          printTable(by, margins, currency);
        }
      });
    });
}

/** Returns all groups, however long a ledger of years takes. */
async function readAllMargins({ longRunning }: Database, by: MarginGroup, range: MarginRange): Promise<Margin[]> {
  const client = await longRunning.connect();
  try {
    await client.query('set statement_timeout = 0');
    return await listMargins(client, by, range, { limit: groupsMax, after: undefined });
  } finally {
    client.release(true); // with its setting
  }
}

function printTable(by: MarginGroup, margins: readonly Margin[], currency: string): void {
  const total = margins.reduce(plusMargin, nothing);
  const amounts = ['REVENUE', 'WRITTEN OFF', 'COST', 'MARGIN'].map((name) => `${name} (${currency})`);
  const head = [by.toUpperCase(), 'CALLS', ...amounts, 'MARGIN %', 'COST UNKNOWN'];
  print(table(head, [...margins, total].map(rowOf)));
  if (total.callsWithoutCost > 0)
    print(
      `The cost is unknown for ${total.callsWithoutCost} of ${total.calls} calls and tasks, ` +
        `which paid ${amountText(total.revenueWithoutCost)} ${currency}; no margin is worked out for these.`,
    );
}

const nothing: Margin = {
  ...{ group: 'TOTAL', name: null, calls: 0, callsWithoutCost: 0 },
  ...{ revenue: zero, revenueWithoutCost: zero, writtenOff: zero, cost: zero },
};

function rowOf(margin: Margin): string[] {
  const { group, name, calls, callsWithoutCost, revenue, writtenOff, cost } = margin;
  const isKnown = callsWithoutCost < calls;
  const percent = marginPercentOf(margin);
  return [
    name === null ? group || '(unknown)' : `${group} ${name}`,
    String(calls),
    amountText(revenue),
    amountText(writtenOff),
    ...(isKnown
      ? [amountText(cost), amountText(marginOf(margin)), percent === null ? '-' : percent.toFixed(2)]
      : ['-', '-', '-']),
    callsWithoutCost === 0 ? '-' : `${callsWithoutCost} of ${calls}`,
  ];
}
