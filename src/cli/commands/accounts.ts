/** `tollgate accounts create|list|credit|adjust|suspend|resume|update|bodies`. */
import { type Command, InvalidArgumentError } from 'commander';
import { type Money, parseAmount, amountText } from '../../domain/money.ts';
import { timeZoneNamed } from '../../domain/time-zone.ts';
import { accountObject } from '../../api/presenters/account.ts';
import {
  type Account,
  changeAccount,
  createAccount,
  findAccount,
  listAccounts,
  resumeAccount,
  suspendAccount,
} from '../../accounts/accounts.ts';
import { changeBodyRecording, deleteBodies, findBodyRecording } from '../../bodies/recording-settings.ts';
import type { Database } from '../../postgres/database.ts';
import { withDatabase } from '../administration.ts';
import { print, Refusal, show, table } from '../output.ts';

export function addAccountCommands(program: Command): void {
  const accounts = program.command('accounts').description('create, list, credit, adjust, update and suspend accounts');

  accounts
    .command('create')
    .description('create an account')
    .requiredOption('--name <name>', 'a display name', nameOf)
    .option('--balance <amount>', 'initial balance; 0 for none', openingAmount)
    .option('--json', 'print the account as JSON')
    .action(async ({ name, balance, json }: { name: string; balance?: Money; json?: boolean }) =>
      withDatabase(async ({ currency, database, ledger, by }) => {
        const account = await createAccount(by, name);
        if (balance !== undefined && balance > 0n)
          await ledger.credit(account.id, balance, 'opening balance', by.actor);
        showAccount(await known(database, account.id), currency, json);
      }),
    );

  accounts
    .command('list')
    .description('list all accounts')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: boolean }) =>
      withDatabase(async ({ currency, database }) => {
        const all = await listAccounts(database);
        if (json === true)
          print(
            JSON.stringify({
              object: 'list',
              data: all.map((account) => accountWithStatus(account, currency)),
              has_more: false,
              next_cursor: null,
            }),
          );
        else print(table(['ID', 'NAME', 'STATUS', `BALANCE (${currency})`, `HELD (${currency})`], all.map(rowOf)));
      }),
    );

  accounts
    .command('credit')
    .description('add money to an account')
    .argument('<id>', 'the account')
    .argument('<amount>', 'how much', positiveAmount)
    .option('--reason <text>', 'stored with the ledger entry', 'credited by the operator')
    .option('--json', 'print the account as JSON')
    .action(async (id: string, amount: Money, { reason, json }: { reason: string; json?: boolean }) => {
      await withDatabase(async ({ currency, database, ledger, by }) => {
        const account = await known(database, id);
        await ledger.credit(account.id, amount, reason, by.actor);
        showAccount(await known(database, id), currency, json);
      });
    });

  accounts
    .command('adjust')
    .description('adjust a balance with a separate entry; never below zero')
    .argument('<id>', 'the account')
    .argument('<amount>', '5 adds, -5 deducts', signedAmount)
    .requiredOption('--reason <text>', 'stored with the ledger entry', reasonOf)
    .option('--json', 'print the account as JSON')
    .action(async (id: string, amount: Money, { reason, json }: { reason: string; json?: boolean }) => {
      await withDatabase(async ({ currency, database, ledger, by }) => {
        const account = await known(database, id);
        const { adjusted, available } = await ledger.adjust(account.id, amount, reason, by.actor);
        if (!adjusted) {
          throw new Refusal(
            `${id} has only ${amountText(available)} ${currency} available; ${amountText(amount)} exceeds that.`,
          );
        }
        showAccount(await known(database, id), currency, json);
      });
    });

  accounts
    .command('suspend <id>')
    .description('suspend an account: all its keys are rejected')
    .option('--reason <text>', 'stored in the audit log', reasonOf)
    .option('--json', 'print the account as JSON')
    .action(async (id: string, { reason, json }: { reason?: string; json?: boolean }) =>
      withDatabase(async ({ by, currency }) =>
        showAccount((await suspendAccount(by, id, reason)) ?? unknown(id), currency, json),
      ),
    );

  accounts
    .command('resume <id>')
    .description('resume a suspended account')
    .option('--reason <text>', 'stored in the audit log', reasonOf)
    .option('--json', 'print the account as JSON')
    .action(async (id: string, { reason, json }: { reason?: string; json?: boolean }) =>
      withDatabase(async ({ by, currency }) =>
        showAccount((await resumeAccount(by, id, reason)) ?? unknown(id), currency, json),
      ),
    );

  accounts
    .command('update <id>')
    .description("set an account's webhook, low-balance threshold and time zone; options not given are unchanged")
    .option('--webhook-url <url>', "where its events go, or 'none'", webhookUrlOf)
    .option('--low-balance <amount>', "notify the webhook below this balance, or 'none'", thresholdOf)
    .option('--time-zone <name>', 'of its days and months, such as Asia/Shanghai', timeZoneOf)
    .option('--json', 'print the account as JSON')
    .action(async (id: string, { webhookUrl, lowBalance, timeZone, json }: UpdateOptions, command: Command) => {
      if (!webhookUrl && !lowBalance && timeZone === undefined)
        command.error("error: specify '--webhook-url', '--low-balance' or '--time-zone'");
      const changes = {
        ...(webhookUrl && { webhookUrl: webhookUrl.value }),
        ...(lowBalance && { lowBalance: lowBalance.value }),
        ...(timeZone !== undefined && { timeZone }),
      };
      await withDatabase(async ({ by, currency }) =>
        showAccount((await changeAccount(by, id, changes)) ?? unknown(id), currency, json),
      );
    });

  accounts
    .command('bodies <id>')
    .description(
      'show whether the bodies of its requests are recorded, or switch that off; only its owners switch it on',
    )
    .option('--off', 'record none from now on')
    .option('--delete', 'delete all that were recorded')
    .option('--json', 'print JSON')
    .action(async (id: string, { off, delete: deletes, json }: { off?: boolean; delete?: boolean; json?: boolean }) =>
      withDatabase(async ({ database, by }) => {
        const { id: account } = await known(database, id);
        if (off === true) await changeBodyRecording(by, account, { isOn: false });
        const deleted = deletes === true ? await deleteBodies(by, account) : undefined;
        const { isOn, retentionDays, redactedFields } = await findBodyRecording(database, account);
        const shown = { record_bodies: isOn, retention_days: retentionDays, redacted_fields: redactedFields };
        const line = isOn
          ? `bodies are recorded and kept for ${retentionDays} days, without ${redactedFields.join(', ') || 'any redaction'}`
          : 'bodies are not recorded';
        show(
          { id, ...shown, ...(deleted !== undefined && { deleted }) },
          json,
          `${id}  ${line}${deleted === undefined ? '' : `; ${deleted} deleted`}`,
        );
      }),
    );
}

interface UpdateOptions {
  webhookUrl?: Setting<string>;
  lowBalance?: Setting<Money>;
  timeZone?: string;
  json?: boolean;
}

/** What an option sets; null for `none`. */
interface Setting<T> {
  value: T | null;
}

/** The account of this id; refuses with one line when there is none. */
export async function known(database: Database, id: string): Promise<Account> {
  return (await findAccount(database, id)) ?? unknown(id);
}

function unknown(id: string): never {
  throw new Refusal(`Account ${id} not found.`);
}

/** An amount of zero or above; refuses what is none as bad usage. */
function openingAmount(text: string): Money {
  const amount = parseAmount(text);
  if (amount !== undefined && amount >= 0n) return amount;
  throw new InvalidArgumentError('Must be an amount of 0 or more with at most six decimals, such as 0, 10 or 0.5.');
}

/** An amount above zero; refuses what is none as bad usage. */
export function positiveAmount(text: string): Money {
  const amount = parseAmount(text);
  if (amount !== undefined && amount > 0n) return amount;
  throw new InvalidArgumentError('Must be an amount above 0 with at most six decimals, such as 10 or 0.5.');
}

function signedAmount(text: string): Money {
  const amount = parseAmount(text);
  if (amount !== undefined && amount !== 0n) return amount;
  throw new InvalidArgumentError('Must be an amount other than 0 with at most six decimals, such as 5 or -0.5.');
}

/** Why something is done, for the log; refuses what is too long as bad usage. */
export function reasonOf(text: string): string {
  const reason = text.trim();
  if (reason.length >= 1 && reason.length <= 500) return reason;
  throw new InvalidArgumentError('Must have 1 to 500 characters.');
}

function webhookUrlOf(text: string): Setting<string> {
  if (text === 'none') return { value: null };
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && ['http:', 'https:'].includes(url.protocol) && text.length <= 2_048) return { value: url.href };
  throw new InvalidArgumentError("Must be a URL that begins with http:// or https://, or 'none'.");
}

function timeZoneOf(text: string): string {
  const zone = timeZoneNamed(text);
  if (zone !== undefined) return zone;
  throw new InvalidArgumentError('Must be the name of a time zone, such as Asia/Shanghai or UTC.');
}

const thresholdOf = (text: string): Setting<Money> => ({ value: text === 'none' ? null : positiveAmount(text) });

function nameOf(text: string): string {
  if (text.length >= 1 && text.length <= 200) return text;
  throw new InvalidArgumentError('Must have 1 to 200 characters.');
}

const accountWithStatus = (account: Account, currency: string) => ({
  ...accountObject(account, currency),
  status: account.status,
});
const rowOf = ({ id, name, status, available, held }: Account) => [
  id,
  name,
  status,
  amountText(available),
  amountText(held),
];

function showAccount(account: Account, currency: string, json: boolean | undefined): void {
  const { id, name, status, available, held } = account;
  show(
    accountWithStatus(account, currency),
    json,
    `${id}  ${name}  ${status}  balance ${amountText(available)} ${currency}, held ${amountText(held)} ${currency}`,
  );
}
