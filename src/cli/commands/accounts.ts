/** `tollgate accounts create|list|credit|suspend`. */
import { type Command, InvalidArgumentError } from 'commander';
import { type MicroYuan, parseYuan, yuanText } from '../../domain/money.ts';
import { accountObject } from '../../api/presenters/account.ts';
import { type Account, createAccount, findAccount, listAccounts, suspendAccount } from '../../storage/accounts.ts';
import type { Database } from '../../storage/database.ts';
import { withDatabase } from '../administration.ts';
import { print, Refusal, show, table } from '../output.ts';

export function addAccountCommands(program: Command): void {
  const accounts = program.command('accounts').description('make, list, credit and suspend accounts');

  accounts
    .command('create')
    .description('make an account')
    .requiredOption('--name <name>', 'what people call it', nameOf)
    .option('--balance <yuan>', 'credit it at once', positiveYuan)
    .option('--json', 'print the account as JSON')
    .action(async ({ name, balance, json }: { name: string; balance?: MicroYuan; json?: boolean }) =>
      withDatabase(async ({ database, ledger, secrets }) => {
        const account = await createAccount(database, secrets.first.ledger, name);
        if (balance !== undefined) await ledger.credit(account.id, balance, 'opening balance');
        showAccount(await known(database, account.id), json);
      }),
    );

  accounts
    .command('list')
    .description('list all accounts')
    .option('--json', 'print them as JSON')
    .action(async ({ json }: { json?: boolean }) =>
      withDatabase(async ({ database }) => {
        const all = await listAccounts(database);
        if (json === true)
          print(JSON.stringify({ object: 'list', data: all.map(described), has_more: false, next_cursor: null }));
        else print(table(['ID', 'NAME', 'STATUS', 'BALANCE', 'HELD'], all.map(rowOf)));
      }),
    );

  accounts
    .command('credit')
    .description('add money to an account')
    .argument('<id>', 'the account')
    .argument('<yuan>', 'how much', positiveYuan)
    .option('--reason <text>', 'kept with the entry', 'credited by the operator')
    .option('--json', 'print the account as JSON')
    .action(async (id: string, amount: MicroYuan, { reason, json }: { reason: string; json?: boolean }) => {
      await withDatabase(async ({ database, ledger }) => {
        const account = await known(database, id);
        await ledger.credit(account.id, amount, reason);
        showAccount(await known(database, id), json);
      });
    });

  accounts
    .command('suspend <id>')
    .description('refuse all keys of an account from now on')
    .option('--json', 'print the account as JSON')
    .action(async (id: string, { json }: { json?: boolean }) =>
      withDatabase(async ({ database }) => showAccount((await suspendAccount(database, id)) ?? unknown(id), json)),
    );
}

/** The account of this id; refuses with one line when there is none. */
export async function known(database: Database, id: string): Promise<Account> {
  return (await findAccount(database, id)) ?? unknown(id);
}

function unknown(id: string): never {
  throw new Refusal(`There is no account ${id}.`);
}

/** An amount above zero; refuses what is none as bad usage. */
export function positiveYuan(text: string): MicroYuan {
  const amount = parseYuan(text);
  if (amount !== undefined && amount > 0n) return amount;
  throw new InvalidArgumentError('it must be yuan above 0 with at most six decimals, such as 10 or 0.5.');
}

function nameOf(text: string): string {
  if (text.length >= 1 && text.length <= 200) return text;
  throw new InvalidArgumentError('it must have 1 to 200 characters.');
}

const described = (account: Account) => ({ ...accountObject(account), status: account.status });
const rowOf = ({ id, name, status, available, held }: Account) => [
  id,
  name,
  status,
  yuanText(available),
  yuanText(held),
];

function showAccount(account: Account, json: boolean | undefined): void {
  const { id, name, status, available, held } = account;
  show(
    described(account),
    json,
    `${id}  ${name}  ${status}  balance ${yuanText(available)} yuan, held ${yuanText(held)}`,
  );
}
