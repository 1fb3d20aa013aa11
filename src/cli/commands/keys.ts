/** `tollgate keys create|list|revoke`. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { keyObject } from '../../api/presenters/keys.ts';
import {
  type CallLimit,
  keyLevels,
  type KeyLevel,
  type SpendLimit,
  type Window,
  windows,
} from '../../domain/accounts/key-rules.ts';
import { type ApiKey, createApiKey, listKeys, revokeKey } from '../../accounts/api-keys.ts';
import { withDatabase } from '../administration.ts';
import { moment, wholeNumber } from '../options.ts';
import { print, Refusal, show, table } from '../output.ts';
import { known, positiveAmount } from './accounts.ts';

const countMax = 999_999_999;

interface CreateOptions {
  account: string;
  name: string;
  level: KeyLevel;
  models?: string[];
  callLimit: CallLimit[];
  spendLimit?: SpendLimit;
  maxRunningTasks?: number;
  queue?: boolean;
  expiresAt?: Date;
  json?: boolean;
}

export function addKeyCommands(program: Command): void {
  const keys = program.command('keys').description('create, list and revoke API keys');

  keys
    .command('create')
    .description('create a key; it is shown only once')
    .requiredOption('--account <id>', 'the account that pays')
    .option('--name <name>', 'a display name', 'key')
    .addOption(new Option('--level <level>', 'permission level').choices(keyLevels).default('standard'))
    .option('--models <ids>', 'allowed models, comma-separated', modelIds)
    .option('--call-limit <calls/window>', 'such as 60/minute; repeatable, one per window', callLimits, [])
    .option('--spend-limit <amount/window>', 'such as 10/day', spendLimit)
    .option('--max-running-tasks <count>', 'maximum number of running tasks', wholeNumber(countMax))
    .option('--queue', 'tasks beyond --max-running-tasks wait for their turn instead of being refused')
    .option('--expires-at <time>', 'ISO 8601, such as 2027-01-31T00:00:00Z', moment)
    .option('--json', 'print the key as JSON')
    .action(async (options: CreateOptions) =>
      withDatabase(async ({ database, configuration, by }) => {
        const account = await known(database, options.account);
        requireModels(options.models ?? [], [...configuration.models.keys()]);
        const { key, secret } = await createApiKey(by, account.id, {
          name: options.name,
          level: options.level,
          models: options.models ?? null,
          callLimits: options.callLimit,
          spendLimit: options.spendLimit ?? null,
          maxRunningTasks: options.maxRunningTasks ?? null,
          queue: options.queue ?? false,
          expiresAt: options.expiresAt ?? null,
        });
        show(
          { ...keyObject(key), key: secret },
          options.json,
          `${key.id}  ${key.level}\n${secret}\nThe key is shown only once.`,
        );
      }),
    );

  keys
    .command('list')
    .description("list an account's keys")
    .requiredOption('--account <id>', 'whose keys')
    .option('--json', 'print JSON')
    .action(async ({ account, json }: { account: string; json?: boolean }) =>
      withDatabase(async ({ database }) => {
        const { id } = await known(database, account);
        const all = await listKeys(database, id);
        if (json === true)
          print(JSON.stringify({ object: 'list', data: all.map(keyObject), has_more: false, next_cursor: null }));
        else print(table(['ID', 'NAME', 'LEVEL', 'KEY', 'STATE'], all.map(rowOf)));
      }),
    );

  keys
    .command('revoke <id>')
    .description('revoke a key permanently')
    .option('--json', 'print the key as JSON')
    .action(async (id: string, { json }: { json?: boolean }) =>
      withDatabase(async ({ by }) => {
        const key = await revokeKey(by, id);
        if (!key) throw new Refusal(`Key ${id} not found.`);
        show(keyObject(key), json, `${key.id} is revoked.`);
      }),
    );
}

const rowOf = ({ id, name, level, start, last4, revoked }: ApiKey) => [
  id,
  name,
  level,
  `${start}…${last4}`,
  revoked ? 'revoked' : 'active',
];

function modelIds(text: string): string[] {
  const ids = text.split(',').map((id) => id.trim());
  if (ids.every((id) => id !== '')) return ids;
  throw new InvalidArgumentError('Must be model ids, separated by commas.');
}

/** A key for a misspelt model could call nothing, which would be noticed only when it is used. */
function requireModels(wanted: readonly string[], configured: readonly string[]): void {
  const unknown = wanted.filter((id) => !configured.includes(id));
  if (unknown.length === 0) return;
  throw new Refusal(
    `The configuration has no model ${unknown.join(', ')}. Allowed: ${[...configured].sort().join(', ')}. 'tollgate models list' shows them.`,
  );
}

function callLimits(text: string, before: CallLimit[]): CallLimit[] {
  const { count, per } = perWindow(text);
  if (before.some((limit) => limit.per === per)) throw new InvalidArgumentError(`There is already a limit per ${per}.`);
  return [...before, { calls: wholeNumber(countMax)(count), per }];
}

function spendLimit(text: string): SpendLimit {
  const { count, per } = perWindow(text);
  return { amount: positiveAmount(count), per };
}

function perWindow(text: string): { count: string; per: Window } {
  const [count = '', name = '', ...rest] = text.split('/');
  const per = windows.find((window) => window === name);
  if (per && rest.length === 0) return { count, per };
  throw new InvalidArgumentError(`Must be a number, a slash and one of ${windows.join(', ')}.`);
}
