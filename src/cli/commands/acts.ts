/** `tollgate acts list`: who administered what, when and why. */
import type { Command } from 'commander';
import { unixSeconds } from '../../domain/unix-seconds.ts';
import { micros, amountText } from '../../domain/money.ts';
import { type Act, listActs } from '../../ledger/audit-log.ts';
import { withDatabase } from '../administration.ts';
import { moment, wholeNumber } from '../options.ts';
import { print, table } from '../output.ts';

const limitMax = 1_000;
const cellCharactersMax = 200;

interface ListOptions {
  account?: string;
  subject?: string;
  since?: Date;
  limit: number;
  json?: boolean;
}

export function addActCommands(program: Command): void {
  const acts = program.command('acts').description('show the audit log of administrative actions');

  acts
    .command('list')
    .description('list entries, newest first')
    .option('--account <id>', 'only for this account and its keys')
    .option('--subject <id>', 'only for this account or key')
    .option('--since <time>', 'ISO 8601, such as 2027-01-31T00:00:00Z', moment)
    .option('--limit <count>', 'maximum number of rows', wholeNumber(limitMax), 50)
    .option('--json', 'print JSON')
    .action(async ({ limit, json, ...filter }: ListOptions) =>
      withDatabase(async ({ currency, database }) => {
        // One more than is shown, to see whether there are more.
        const found = await listActs(database, { ...filter, limit: limit + 1 });
        const [shown, has_more] = [found.slice(0, limit), found.length > limit];
        if (json === true) {
          print(JSON.stringify({ object: 'list', data: shown.map(actObject), has_more, next_cursor: null }));
          return;
        }
        print(
          table(
            ['ID', 'WHEN', 'WHO', 'WHAT', 'ON', 'REASON'],
            shown.map((act) => rowOf(act, currency)),
          ),
        );
        if (has_more) print(`More than ${limit} rows match. Use --limit to show more.`);
      }),
    );
}

const actObject = (act: Act) => ({
  object: 'act',
  id: `act_${act.seq}`,
  created: unixSeconds(act.at),
  actor: act.actor,
  action: act.action,
  account_id: act.accountId,
  subject: act.subject,
  details: act.details,
  reason: act.reason,
  facts: act.facts,
});

const rowOf = (act: Act, currency: string) => [
  `act_${act.seq}`,
  act.at.toISOString().replace(/\.\d+Z$/, 'Z'),
  plain(act.actor),
  plain(`${act.action}${amountOf(act, currency)}`),
  plain(act.subject ?? act.accountId),
  plain(act.reason),
];

/** Of a credit or an adjustment. */
function amountOf({ details }: Act, currency: string): string {
  const has = typeof details === 'object' && details !== null && 'amount' in details;
  const amount = has && typeof details.amount === 'string' && /^-?\d{1,18}$/.test(details.amount) ? details.amount : '';
  return amount === '' ? '' : ` ${amountText(micros(BigInt(amount)))} ${currency}`;
}

/** What people wrote, on one line, without what would steer a terminal. */
const plain = (text: string | null): string =>
  text === null ? '-' : text.replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ').slice(0, cellCharactersMax);
