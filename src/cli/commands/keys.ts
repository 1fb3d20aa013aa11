/** `tollgate keys create|list|update|revoke`. */
import { type Command, Option } from 'commander';
import { keyObject } from '../../api/presenters/keys.ts';
import { type CallLimit, keyLevels, type KeyLevel, type SpendLimit } from '../../domain/accounts/key-rules.ts';
import { type ApiKey, createApiKey, listKeys, revokeKey } from '../../accounts/api-keys.ts';
import { withDatabase } from '../administration.ts';
import { addressRanges, callLimits, keyCountMax, modelIds, requireModels, spendLimit } from '../key-options.ts';
import { moment, wholeNumber } from '../options.ts';
import { print, Refusal, show, table } from '../output.ts';
import { known } from './accounts.ts';
import { addUpdateKey } from './update-key.ts';

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
  allowedIps?: string[];
  json?: boolean;
}

export function addKeyCommands(program: Command): void {
  const keys = program.command('keys').description('create, list, update and revoke API keys');

  keys
    .command('create')
    .description('create a key; it is shown only once')
    .requiredOption('--account <id>', 'the account that pays')
    .option('--name <name>', 'a display name', 'key')
    .addOption(new Option('--level <level>', 'permission level').choices(keyLevels).default('standard'))
    .option('--models <ids>', 'allowed models, comma-separated', modelIds)
    .option('--call-limit <calls/window>', 'such as 60/minute; repeatable, one per window', callLimits, [])
    .option('--spend-limit <amount/window>', 'such as 10/day', spendLimit)
    .option('--max-running-tasks <count>', 'maximum number of running tasks', wholeNumber(keyCountMax))
    .option('--queue', 'tasks beyond --max-running-tasks wait for their turn instead of being refused')
    .option('--expires-at <time>', 'ISO 8601, such as 2027-01-31T00:00:00Z', moment)
    .option(
      '--allowed-ips <addresses>',
      'addresses and CIDR ranges it may be used from, comma-separated',
      addressRanges,
    )
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
          allowedIps: options.allowedIps ?? null,
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
        else print(table(['ID', 'NAME', 'LEVEL', 'KEY', 'STATE', 'CREATED BY'], all.map(rowOf)));
      }),
    );

  addUpdateKey(keys);

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

const rowOf = ({ id, name, level, start, last4, revoked, createdBy }: ApiKey) => [
  id,
  name,
  level,
  `${start}…${last4}`,
  revoked ? 'revoked' : 'active',
  createdBy ?? '-',
];
