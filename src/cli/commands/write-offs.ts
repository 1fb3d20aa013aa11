/** `tollgate write-offs list`: what was earned and not charged, over all accounts, and why. */
import type { Command } from 'commander';
import { unixSeconds } from '../../domain/unix-seconds.ts';
import { toAmount, amountText } from '../../domain/money.ts';
import { listWriteOffs, type WriteOff } from '../../ledger/write-offs.ts';
import { withDatabase } from '../administration.ts';
import { wholeNumber } from '../options.ts';
import { print, table } from '../output.ts';
import { known } from './accounts.ts';

const limitMax = 1_000;
const daysMax = 3_650;
const dayMs = 86_400_000;

interface ListOptions {
  account?: string;
  reason?: string;
  days: number;
  limit: number;
  json?: boolean;
}

export function addWriteOffCommands(program: Command): void {
  const writeOffs = program.command('write-offs').description('list write-offs of all accounts');

  writeOffs
    .command('list')
    .description('list write-offs, newest first, with the amounts charged')
    .option('--account <id>', 'only of this account')
    .option('--reason <reason>', 'only with this reason, such as implausible_usage or owner_lost')
    .option('--days <count>', 'calls and tasks of the last N days', wholeNumber(daysMax), 30)
    .option('--limit <count>', 'maximum number of rows', wholeNumber(limitMax), 50)
    .option('--json', 'print JSON')
    .action(async ({ account, reason, days, limit, json }: ListOptions) =>
      withDatabase(async ({ currency, database }) => {
        const of = account === undefined ? undefined : (await known(database, account)).id;
        const now = new Date();
        const filter = {
          ...(of && { account: of }),
          ...(reason !== undefined && { reason }),
          since: new Date(now.getTime() - days * dayMs),
          limit: limit + 1, // one more than is shown, to see whether there are more
        };
        const found = await listWriteOffs(database, filter, now);
        const [shown, has_more] = [found.slice(0, limit), found.length > limit];
        if (json === true) {
          print(JSON.stringify({ object: 'list', data: shown.map(writeOffObject), has_more, next_cursor: null }));
          return;
        }
        print(table(head(currency), shown.map(rowOf)));
        if (has_more) print(`More than ${limit} rows match. Use --limit to show more.`);
      }),
    );
}

const writeOffObject = (writeOff: WriteOff) => ({
  object: 'write_off',
  id: `${writeOff.transferId}.write_off`,
  created: unixSeconds(writeOff.createdAt),
  account_id: writeOff.accountId,
  task_id: writeOff.taskId,
  request_id: writeOff.requestId,
  model: writeOff.model,
  amount: toAmount(writeOff.amount),
  charged: toAmount(writeOff.charged),
  reason: writeOff.reason,
});

const head = (currency: string) => [
  ...['WHEN', 'ACCOUNT', 'TASK OR REQUEST', 'MODEL', `AMOUNT (${currency})`, `CHARGED (${currency})`, 'REASON'],
];
const rowOf = (writeOff: WriteOff) => [
  writeOff.createdAt.toISOString().replace(/\.\d+Z$/, 'Z'),
  writeOff.accountId,
  writeOff.taskId ?? writeOff.requestId ?? '-',
  writeOff.model ?? '-',
  amountText(writeOff.amount),
  amountText(writeOff.charged),
  writeOff.reason ?? 'insufficient balance',
];
