/** What a key with limits may give to keys: no more than it has itself, or it could lift its own limits through another. */
import { GatewayError } from '../errors.ts';
import { areWithin } from './allowed-ips.ts';
import type { KeyRules } from './key-rules.ts';
import { toAmount } from '../money.ts';

/**
 * Refuses limits that reach beyond those of the key that sets them, with `permission_denied`, the field and what is allowed.
 * Only the fields that are there are looked at.
 */
export function refuseBeyond(own: KeyRules, wanted: Partial<KeyRules>): void {
  const { models, callLimits, spendLimit, maxRunningTasks, queue, expiresAt, allowedIps } = wanted;
  if (own.models && models !== undefined && !models?.every((id) => own.models?.includes(id)))
    throw refusal('models', `contain only ${own.models.join(', ')}`);
  for (const { calls, per } of callLimits === undefined ? [] : own.callLimits) {
    const isWithin = callLimits?.some((limit) => limit.per === per && limit.calls <= calls);
    if (isWithin !== true) throw refusal('call_limits', `include a limit of at most ${calls} calls per ${per}`);
  }
  if (own.spendLimit && spendLimit !== undefined) {
    const { amount, per } = own.spendLimit;
    if (spendLimit?.per !== per || spendLimit.amount > amount)
      throw refusal('spend_limit', `be at most ${toAmount(amount)} per ${per}`);
  }
  if (own.maxRunningTasks !== null && maxRunningTasks !== undefined) {
    if (maxRunningTasks === null || maxRunningTasks > own.maxRunningTasks)
      throw refusal('max_running_tasks', `be at most ${own.maxRunningTasks}`);
  }
  if (own.maxRunningTasks !== null && !own.queue && queue === true) throw refusal('queue', 'be false');
  if (own.expiresAt && expiresAt !== undefined) {
    if (expiresAt === null || expiresAt > own.expiresAt)
      throw refusal('expires_at', `be no later than ${own.expiresAt.toISOString()}`);
  }
  if (own.allowedIps && allowedIps !== undefined && !areWithin(allowedIps, own.allowedIps))
    throw refusal('allowed_ips', `contain only addresses within ${own.allowedIps.join(', ')}`);
}

const refusal = (param: string, rule: string): GatewayError =>
  new GatewayError(
    'permission_denied',
    `This API key has limits and can't grant more than it has itself: '${param}' must ${rule}. Use a key without this limit, or the console.`,
    { param },
  );
