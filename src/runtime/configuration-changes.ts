/** What a reload would change, as a line for the log, and what can't change while the gateway runs. */
import { isDeepStrictEqual } from 'node:util';
import type { Configuration } from '../config/configuration.ts';
import { otherCurrency } from './check-currency.ts';
import type { ProviderInUse } from '../tasks/rows/providers-in-use.ts';

const namesMax = 20;

/** The changes in words, such as `models changed: poster; providers added: ark`. */
export function changesBetween(before: Configuration, next: Configuration): string {
  const changes = [
    ...changesOf('models', before.models, next.models),
    ...changesOf('providers', before.providers, next.providers),
    ...(isDeepStrictEqual(before.limits, next.limits) ? [] : ['limits changed']),
    ...(before.retentionDays === next.retentionDays ? [] : ['retention_days changed']),
    ...(before.requestRetentionDays === next.requestRetentionDays ? [] : ['request_retention_days changed']),
    ...(isDeepStrictEqual(before.requestBodies, next.requestBodies) ? [] : ['request_bodies changed']),
  ];
  return changes.length === 0 ? 'none' : changes.join('; ');
}

/** Mistakes of a configuration that could be started with, but not changed to. */
export function unchangeable(before: Configuration, next: Configuration): string[] {
  return [
    ...(isDeepStrictEqual(before.deployments, next.deployments)
      ? []
      : ["deployments: can't change while the gateway is running; revert the change, or restart"]),
    ...(before.currency === next.currency ? [] : [otherCurrency(before.currency, next.currency)]),
  ];
}

/** Why providers that tasks are on can be neither removed nor become another kind. */
export function refusalsOf(inUse: readonly ProviderInUse[], next: Configuration): string[] {
  return inUse.map(({ provider, count, taskIds }) => {
    const isRemoved = !next.providers.has(provider);
    const what = isRemoved ? "can't be removed" : "can't become another kind";
    const more = count > taskIds.length ? ', …' : '';
    const tasks = `${count} ${count === 1 ? 'unfinished task' : 'unfinished tasks'} may need it`;
    return `providers.${provider}: ${what}: ${tasks} (${taskIds.join(', ')}${more})`;
  });
}

function changesOf(what: string, before: ReadonlyMap<string, unknown>, next: ReadonlyMap<string, unknown>): string[] {
  const added = [...next.keys()].filter((name) => !before.has(name));
  const removed = [...before.keys()].filter((name) => !next.has(name));
  const changed = [...next.keys()].filter(
    (name) => before.has(name) && !isDeepStrictEqual(before.get(name), next.get(name)),
  );
  return Object.entries({ added, removed, changed })
    .filter(([, names]) => names.length > 0)
    .map(([how, names]) => `${what} ${how}: ${listed(names)}`);
}

const listed = (names: readonly string[]): string =>
  names.length <= namesMax
    ? names.join(', ')
    : `${names.slice(0, namesMax).join(', ')} and ${names.length - namesMax} more`;
