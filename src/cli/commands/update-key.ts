/** `tollgate keys update`: what is named is set, `none` lifts a limit, the rest stays. */
import type { Command } from 'commander';
import { changeKey, findKey, type KeyChanges } from '../../accounts/api-keys.ts';
import { keyObject } from '../../api/presenters/keys.ts';
import type { CallLimit, SpendLimit } from '../../domain/accounts/key-rules.ts';
import { withDatabase } from '../administration.ts';
import { addressRanges, callLimits, keyCountMax, modelIds, requireModels, spendLimit } from '../key-options.ts';
import { moment, wholeNumber } from '../options.ts';
import { Refusal, show } from '../output.ts';

/** What an option was given: Commander would make an empty text of a bare null. */
interface Given<Value> {
  value: Value | null;
}

interface UpdateOptions extends Pick<KeyChanges, 'name' | 'queue'> {
  models?: Given<string[]>;
  callLimit?: CallLimit[];
  spendLimit?: Given<SpendLimit>;
  maxRunningTasks?: Given<number>;
  expiresAt?: Given<Date>;
  allowedIps?: Given<string[]>;
  json?: boolean;
}

export function addUpdateKey(keys: Command): void {
  keys
    .command('update <id>')
    .description("change a key's name and limits; `none` lifts a limit, what is not named stays")
    .option('--name <name>', 'a display name')
    .option('--models <ids>', 'allowed models, comma-separated, or none', orNone(modelIds))
    .option('--call-limit <calls/window>', 'such as 60/minute, or none; repeatable, replaces all', callLimitsOrNone)
    .option('--spend-limit <amount/window>', 'such as 10/day, or none', orNone(spendLimit))
    .option('--max-running-tasks <count>', 'maximum number of running tasks, or none', orNone(wholeNumber(keyCountMax)))
    .option('--queue', 'tasks beyond --max-running-tasks wait for their turn')
    .option('--no-queue', 'tasks beyond --max-running-tasks are refused')
    .option('--expires-at <time>', 'ISO 8601, such as 2027-01-31T00:00:00Z, or none', orNone(moment))
    .option('--allowed-ips <addresses>', 'addresses and CIDR ranges, comma-separated, or none', orNone(addressRanges))
    .option('--json', 'print the key as JSON')
    .action(async (id: string, { json, ...options }: UpdateOptions) =>
      withDatabase(async ({ database, configuration, by }) => {
        const changes = changesOf(options);
        if (Object.keys(changes).length === 0) throw new Refusal('Name what to change, such as --spend-limit 10/day.');
        requireModels(changes.models ?? [], [...configuration.models.keys()]);
        const before = await findKey(database, id);
        if (!before) throw new Refusal(`Key ${id} not found.`);
        if (before.revoked) throw new Refusal(`Key ${id} is revoked and can't be changed.`);
        const key = await changeKey(by, id, changes);
        if (!key) throw new Refusal(`Key ${id} not found.`);
        show(keyObject(key), json, `${key.id} is updated.`);
      }),
    );
}

function changesOf({ name, queue, models, callLimit, spendLimit, ...others }: Omit<UpdateOptions, 'json'>): KeyChanges {
  const { maxRunningTasks, expiresAt, allowedIps } = others;
  return {
    ...(name !== undefined && { name }),
    ...(queue !== undefined && { queue }),
    ...(models && { models: models.value }),
    ...(callLimit && { callLimits: callLimit }),
    ...(spendLimit && { spendLimit: spendLimit.value }),
    ...(maxRunningTasks && { maxRunningTasks: maxRunningTasks.value }),
    ...(expiresAt && { expiresAt: expiresAt.value }),
    ...(allowedIps && { allowedIps: allowedIps.value }),
  };
}

const none = 'none';

const orNone =
  <Value>(parse: (text: string) => Value) =>
  (text: string): Given<Value> => ({ value: text === none ? null : parse(text) });

const callLimitsOrNone = (text: string, before: CallLimit[] = []): CallLimit[] =>
  text === none ? [] : callLimits(text, before);
