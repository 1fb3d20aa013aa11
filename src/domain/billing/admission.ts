/**
 * Admission: whether a billable call may start, decided over the locked rows of its account and key. Pure, so that
 * the group committer can decide its members one after the other, in the order in which they arrived.
 */
import { type ErrorCode, GatewayError } from '../errors.ts';
import {
  allows,
  type KeyLevel,
  type KeyLimits,
  secondsLeft,
  windowEnd,
  type Window,
  windowStart,
} from '../accounts/key-rules.ts';
import { queuedTasksMax } from '../limits.ts';
import { type MaintenanceSetting, maintenanceRefusal } from '../maintenance.ts';
import { type Money, amountText } from '../money.ts';

export interface AccountState {
  status: 'active' | 'suspended';
  available: Money;
  held: Money;
  inArrears: boolean;
  /** The number of its newest ledger entry. */
  seq: bigint;
}

export type WindowCounts = Readonly<Record<Window, bigint>>;

/** What a key did in the windows that `countedAt` lies in. */
export interface KeyCounters {
  countedAt: Date | null;
  calls: WindowCounts;
  spent: WindowCounts;
  /** The number of the account's entry with which counting began in each window; 0 where that is not known. */
  since: WindowCounts;
  /**
   * When a refusal found the clock more than a minute behind `countedAt`: while it is behind, the windows go on from
   * there. The next call that counts clears it.
   */
  clockBackAt: Date | null;
  /** Tasks that have not ended, those that wait for their turn among them. */
  runningTasks: number;
}

export interface KeyState extends KeyLimits {
  level: KeyLevel;
  revoked: boolean;
  counters: KeyCounters;
}

export interface AdmissionRequest {
  needs: KeyLevel;
  model: string;
  maintenance: MaintenanceSetting;
  hold: Money;
  /** Of all amounts, for the words of a refusal. */
  currency: string;
  isTask: boolean;
}

/** What the key still may do in the window of its tightest call limit. */
export interface RateState {
  limit: number;
  remaining: number;
  resetSeconds: number;
}

/** A refusal has counters to be kept where it is the first to find the clock set back. */
export type AdmissionDecision =
  | { admitted: true; counters: KeyCounters; queued: boolean }
  | { admitted: false; refusal: GatewayError; counters?: KeyCounters };

/** Decides in a fixed order, which tests hold: key and account, maintenance, calls, running tasks, spending, balance. */
export function decideAdmission(
  request: AdmissionRequest,
  account: AccountState,
  key: KeyState,
  now: Date,
): AdmissionDecision {
  const refusal =
    refusalOfKey(request, account, key, now) ??
    maintenanceRefusal(request.model, request.maintenance, now) ??
    refusalOfLimits(request, key, now) ??
    refusalOfBalance(request, account);
  if (!refusal) {
    const counters = counted(key.counters, request, { now, seq: account.seq + 1n });
    return { admitted: true, counters, queued: request.isTask && isFull(key) };
  }
  const counters = foundClockBack(key.counters, now);
  return { admitted: false, refusal, ...(counters && { counters }) };
}

const farShare = 10n;
const farCalls = 100n;

/**
 * Whether a call that would be admitted now is so far from every limit that no other process can bring it to one before
 * it is: the balance is ten times what is about to be held, no limit is nearer than a tenth of it, or a hundred calls.
 */
export function isFarFromLimits(
  { account, key, holding }: { account: AccountState; key: KeyState; holding: Money },
  now: Date,
): boolean {
  if (account.available < farShare * holding) return false;
  const { calls, spent } = countersAt(key.counters, now);
  for (const limit of key.callLimits) {
    const left = BigInt(limit.calls) - calls[limit.per];
    if (left < farCalls || left * farShare < BigInt(limit.calls)) return false;
  }
  const spend = key.spendLimit;
  if (!spend) return true;
  const left = spend.amount - spent[spend.per];
  return left >= farShare * holding && left * farShare >= spend.amount;
}

/** Refuses a key or account that is not good for the call, whatever the limits and the balance say. */
export function refusalOfKey(
  request: { needs: KeyLevel; model?: string },
  account: { status: AccountState['status'] },
  key: Pick<KeyState, 'revoked' | 'expiresAt' | 'level' | 'models'>,
  now: Date,
): GatewayError | undefined {
  if (key.revoked) return new GatewayError('invalid_api_key', 'This API key was revoked.');
  if (key.expiresAt && key.expiresAt <= now) return new GatewayError('invalid_api_key', 'This API key has expired.');
  if (account.status === 'suspended') {
    return new GatewayError('account_suspended', 'This account is suspended. Contact the operator.');
  }
  if (!allows(key.level, request.needs)) {
    return new GatewayError(
      'permission_denied',
      `This requires a key of level '${request.needs}' or higher; this key's level is '${key.level}'.`,
    );
  }
  if (request.model !== undefined && key.models && !key.models.includes(request.model)) {
    return new GatewayError('model_not_allowed', `This API key may not use the model '${request.model}'.`, {
      param: 'model',
    });
  }
  return undefined;
}

/** Clocks of servers that take over from each other differ by less; a clock further behind was set back. */
const clockBackMsMax = 60_000;

/**
 * The counters as they stand at `now`: what belongs to a window that has passed is zero. A window moves back only where
 * the clock was set back by more than a minute. Then the counts are carried over into the windows of `now`: a clock that
 * was ahead must not block a key until that time comes, and one that was set back must open no window anew.
 */
export function countersAt(counters: KeyCounters, now: Date): KeyCounters {
  const { countedAt } = counters;
  if (countedAt === null) return { ...counters, countedAt: now };
  // Nearly always, and every call comes here four times.
  if (now.getTime() >= countedAt.getTime() && sameMinute(now, countedAt)) return { ...counters, countedAt: now };
  const at = laterCounted(countedAt, now);
  const from = countedFrom(counters, countedAt, now);
  const to = from !== counters.clockBackAt ? at : now > from ? now : from;
  if (sameMinute(to, from)) return { ...counters, countedAt: at };
  const current = (counts: WindowCounts): WindowCounts =>
    mapWindows((window) => (sameWindow(window, from, to) ? counts[window] : 0n));
  return { ...counters, countedAt: at, calls: current(counters.calls), spent: current(counters.spent) };
}

/** What a key counts at with a call at `now`, having counted at `countedAt`; milliseconds or dates. */
export const laterCounted = <Time extends Date | number>(countedAt: Time, now: Time): Time =>
  now >= countedAt || isFarBehind(now, countedAt) ? now : countedAt;

/** The time whose windows the counts belong to. */
function countedFrom({ clockBackAt }: KeyCounters, countedAt: Date, now: Date): Date {
  if (now >= countedAt) return countedAt;
  if (clockBackAt && !isFarBehind(now, clockBackAt)) return clockBackAt;
  return isFarBehind(now, countedAt) ? now : countedAt;
}

/**
 * Counters that keep when the clock was first found set back; undefined if it isn't, or that is kept already. Without it
 * each refusal would carry the counts over once more, and the key would stay blocked.
 */
function foundClockBack(counters: KeyCounters, now: Date): KeyCounters | undefined {
  const { countedAt, clockBackAt } = counters;
  if (countedAt === null || !isFarBehind(now, countedAt)) return undefined;
  return clockBackAt && !isFarBehind(now, clockBackAt) ? undefined : { ...counters, clockBackAt: now };
}

/** Whether counting begins anew in some window, or begins to go on from another time: `before` and `after` are a key's counters. */
export const beginsWindow = (before: KeyCounters, after: KeyCounters): boolean =>
  before.since !== after.since || before.clockBackAt !== after.clockBackAt;

/** By how many milliseconds a decision found the clock set back, 0 if it didn't: `before` and `after` are a key's counters. */
export function clockBackMs(before: KeyCounters, after: KeyCounters): number {
  const { countedAt } = before;
  const now = after.clockBackAt !== before.clockBackAt && after.clockBackAt ? after.clockBackAt : after.countedAt;
  return countedAt && now ? Math.max(0, countedAt.getTime() - now.getTime()) : 0;
}

/** The counters after a task or call, whose hold is the account's entry `seq`, was settled at `charged` in place of `held`. */
export function correctedCounters(
  counters: KeyCounters,
  settled: { seq: bigint; admittedAt: Date; held: Money; charged: Money; isTask: boolean },
): KeyCounters {
  const { countedAt, since } = counters;
  const isCounted = (window: Window) =>
    since[window] > 0n
      ? settled.seq >= since[window]
      : countedAt !== null && sameWindow(window, countedAt, settled.admittedAt);
  const spent = mapWindows((window) =>
    isCounted(window) ? atLeastZero(counters.spent[window] + settled.charged - settled.held) : counters.spent[window],
  );
  // A counter that was set too low by hand keeps no task from ending: the audit reports it.
  return { ...counters, spent, runningTasks: Math.max(0, counters.runningTasks - (settled.isTask ? 1 : 0)) };
}

/** The state of the key's tightest call limit, if it has any. */
export function rateState(key: Pick<KeyState, 'callLimits' | 'counters'>, now: Date): RateState | undefined {
  const counters = countersAt(key.counters, now);
  let tightest: RateState | undefined;
  for (const { calls, per } of key.callLimits) {
    const remaining = Math.max(0, calls - Number(counters.calls[per]));
    if (tightest && tightest.remaining <= remaining) continue;
    tightest = { limit: calls, remaining, resetSeconds: secondsLeft(per, counters.countedAt ?? now, now) };
  }
  return tightest;
}

export const noCounts: WindowCounts = { minute: 0n, hour: 0n, day: 0n, month: 0n, total: 0n };

function refusalOfLimits(request: AdmissionRequest, key: KeyState, now: Date): GatewayError | undefined {
  const counters = countersAt(key.counters, now);
  const at = counters.countedAt ?? now;
  for (const { calls, per } of key.callLimits) {
    if (counters.calls[per] >= BigInt(calls)) {
      return limitRefusal(
        'call_limit_exceeded',
        `This key is limited to ${calls} calls ${perText(per)}.`,
        per,
        at,
        now,
      );
    }
  }
  const full = request.isTask ? refusalOfFull(key) : undefined;
  if (full) return full;
  const spend = key.spendLimit;
  if (spend && counters.spent[spend.per] + request.hold > spend.amount) {
    const text = `${spendText(spend, request)}: ${quotaText(windowEnd(spend.per, at))}`;
    return limitRefusal('spend_limit_exceeded', text, spend.per, at, now);
  }
  return undefined;
}

/** Whether as many of the key's tasks are unfinished as may run, or more: another one has to wait for its turn. */
export const isFull = ({ maxRunningTasks, counters }: Pick<KeyState, 'maxRunningTasks' | 'counters'>): boolean =>
  maxRunningTasks !== null && counters.runningTasks >= maxRunningTasks;

/** How many of the key's unfinished tasks run, and how many wait for their turn. */
export function runningAndQueued({ maxRunningTasks, counters }: Pick<KeyState, 'maxRunningTasks' | 'counters'>): {
  running: number;
  queued: number;
} {
  const running = Math.min(counters.runningTasks, maxRunningTasks ?? Infinity);
  return { running, queued: counters.runningTasks - running };
}

function refusalOfFull(key: KeyState): GatewayError | undefined {
  if (!isFull(key) || (key.queue && runningAndQueued(key).queued < queuedTasksMax)) return undefined;
  const also = key.queue ? ` and ${queuedTasksMax} queued ones` : '';
  return new GatewayError(
    'concurrency_limit_exceeded',
    `This key is limited to ${key.maxRunningTasks} running tasks${also}.`,
    { retryAfterSeconds: 5 },
  );
}

const spendText = (
  { amount, per }: NonNullable<KeyState['spendLimit']>,
  { hold, currency }: AdmissionRequest,
): string =>
  `This key is limited to ${amountText(amount)} ${currency} ${perText(per)}, and this call may cost up to ${amountText(hold)} ${currency}`;

/** In the words by which Qwen Code knows that another try is of no use: `quota`, `exceeded`, and `will reset`. */
const quotaText = (end: Date | undefined): string =>
  end
    ? `its quota is exceeded and will reset at ${end.toISOString().replace('.000Z', 'Z')}.`
    : 'its quota is exceeded, and only a higher limit will reset it.';

function refusalOfBalance(request: AdmissionRequest, account: AccountState): GatewayError | undefined {
  if (account.inArrears) {
    return new GatewayError(
      'insufficient_balance',
      'Insufficient balance: an earlier charge could not be paid in full. Add credit to continue.',
    );
  }
  if (request.hold <= account.available) return undefined;
  return new GatewayError(
    'insufficient_balance',
    `Insufficient balance: this may cost up to ${amountText(request.hold)} ${request.currency}, but only ${amountText(account.available)} ${request.currency} is available. Add credit to continue.`,
  );
}

function limitRefusal(code: ErrorCode, message: string, per: Window, at: Date, now: Date): GatewayError {
  return new GatewayError(code, message, per === 'total' ? {} : { retryAfterSeconds: secondsLeft(per, at, now) });
}

/** With a call that is admitted `now`, and whose hold is the account's entry `seq`. */
function counted(
  counters: KeyCounters,
  request: AdmissionRequest,
  { now, seq }: { now: Date; seq: bigint },
): KeyCounters {
  const current = countersAt(counters, now);
  return {
    countedAt: current.countedAt,
    calls: mapWindows((window) => current.calls[window] + 1n),
    spent: mapWindows((window) => current.spent[window] + request.hold),
    // The shortest window lies in all others: where it was counted in, so were they.
    since:
      current.calls.minute > 0n
        ? current.since
        : mapWindows((window) => (current.calls[window] === 0n ? seq : current.since[window])),
    clockBackAt: null,
    runningTasks: current.runningTasks + (request.isTask ? 1 : 0),
  };
}

const isFarBehind = (now: Date | number, at: Date | number) => at.valueOf() - now.valueOf() > clockBackMsMax;
/** Every window begins with a minute, so that within one minute all are the same. */
const sameMinute = (a: Date, b: Date) => Math.floor(a.getTime() / 60_000) === Math.floor(b.getTime() / 60_000);
const sameWindow = (window: Window, a: Date, b: Date) =>
  sameMinute(a, b) || windowStart(window, a).getTime() === windowStart(window, b).getTime();
const perText = (per: Window) => (per === 'total' ? 'in total' : `per ${per}`);
const atLeastZero = (count: bigint) => (count < 0n ? 0n : count);
const mapWindows = (value: (window: Window) => bigint): WindowCounts => ({
  minute: value('minute'),
  hour: value('hour'),
  day: value('day'),
  month: value('month'),
  total: value('total'),
});
