/**
 * When a create may go: a concurrency slot among the provider's unfinished jobs, and a slot of its create rate. Providers without
 * such limits pay nothing for it.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { sleep } from '@temporalio/activity';
import {
  findIntent,
  type Intent,
  type Opened,
  openIntent,
  sendingWindowMs,
  withdrawIntent,
} from '../tasks/provider-calls/intents.ts';
import { hasRoom } from '../tasks/provider-calls/provider-jobs.ts';
import { takeSlot } from '../tasks/provider-calls/provider-slots.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { ComeBackLater } from './activity-failures.ts';
import type { TaskOnRoute } from './job.ts';

const fullDelayMs = 2_000;
const awayDelayMsMax = 30_000;
const lateDelayMs = 1_000;
const slotsMax = 5;
/** Of all slots together: with the call and its slack it has to fit into the activity's time, `timeoutMs` + 60 s. */
const waitingMsMax = 15_000;
/** So long before its slot an intent is opened, which usually takes a few milliseconds; at least as long as it last took. */
const leadMs = 50;
const leadMsMax = 1_000;

/**
 * Opens the intent when the provider's limits admit the task; after `now` the create must be sent at once. `maySendAgain`
 * decides whether an intent that is there is opened anew.
 */
export async function openWhenAdmitted(
  deps: ActivityDependencies,
  { task: { id: task }, route: { provider }, provider: { abilities } }: TaskOnRoute,
  route: number,
  maySendAgain: (intent: Intent) => boolean,
): Promise<Opened> {
  const { maxPerSecond, maxConcurrent } = deps.limits(provider);
  const isFull = () => comeBack(deps, fullDelayMs, `${provider} has as many unfinished jobs as it may.`);
  if (maxPerSecond !== undefined || maxConcurrent !== undefined) {
    const intent = await findIntent(deps.database, task, route);
    if (intent && !maySendAgain(intent)) return { opened: 'before', intent };
  }
  if (maxConcurrent !== undefined && !(await hasRoom(deps.database, provider, task, maxConcurrent))) throw isFull();
  const open = async (): Promise<Opened> => {
    const startedAt = performance.now();
    const opened = await openIntent(deps.database, task, route, provider, maxConcurrent);
    if (opened.opened === 'not' && opened.because === 'provider is full') throw isFull();
    if (opened.opened === 'now' && performance.now() - startedAt > sendingWindowMs) {
      await withdrawIntent(deps.database, task, route, opened.nonce);
      throw new Error('the intent took too long; nothing was sent');
    }
    return opened;
  };
  if (maxPerSecond === undefined) return open();
  return await inSlot(deps, provider, maxPerSecond, open, async (opened) => {
    // What may be sent again keeps its intent: another attempt may be sending by it already.
    if (opened.opened !== 'now' || abilities.idempotent) return;
    if (await withdrawIntent(deps.database, task, route, opened.nonce)) return;
    throw new Error('the intent was closed by another attempt; nothing was sent');
  });
}

/** Waits for a slot, where the provider has a create rate, to send again what has an intent. */
export async function waitForSlot(deps: ActivityDependencies, provider: string): Promise<void> {
  const { maxPerSecond } = deps.limits(provider);
  if (maxPerSecond === undefined) return;
  const nothing = () => Promise.resolve();
  await inSlot(deps, provider, maxPerSecond, () => Promise.resolve({ opened: 'now' }), nothing);
}

/**
 * Prepares shortly before a slot and answers within it, so that what is sent then keeps the rate. Too late: what was
 * prepared is undone, and the next slot is taken. Until it prepares it can be cancelled without a trace.
 */
async function inSlot<T extends { opened: string }>(
  deps: ActivityDependencies,
  provider: string,
  maxPerSecond: number,
  prepare: () => Promise<T>,
  undo: (prepared: T) => Promise<void>,
): Promise<T> {
  const waitUntil = performance.now() + waitingMsMax;
  let lead = leadMs;
  for (let slots = 0; slots < slotsMax; slots++) {
    const slot = await takeSlot(deps.database, provider, maxPerSecond, waitUntil - performance.now());
    // Somewhat earlier than then, as the slot only has to be near enough; and not all at the same time.
    if (!slot.taken) {
      const delayMs = Math.min(awayDelayMsMax, slot.awayMs) * (0.8 + 0.2 * Math.random());
      throw comeBack(deps, delayMs, `The next create slot of ${provider} is too far away.`);
    }
    await sleep(Math.max(0, Math.ceil(slot.from - lead - performance.now())));
    const startedAt = performance.now();
    if (startedAt > slot.until) continue;
    const prepared = await prepare();
    if (prepared.opened !== 'now') return prepared;
    lead = Math.min(leadMsMax, Math.max(lead, performance.now() - startedAt));
    await pause(Math.max(0, Math.ceil(slot.from - performance.now())));
    if (performance.now() <= slot.until) return prepared;
    await undo(prepared);
  }
  throw comeBack(deps, lateDelayMs, `The task missed ${slotsMax} create slots of ${provider}.`);
}

function comeBack(deps: ActivityDependencies, delayMs: number, message: string): ComeBackLater {
  // Others would find the same for a while. They wait where accounts take turns, and only a few look again.
  deps.submitLimiter?.closeFor(delayMs / 4);
  return new ComeBackLater(delayMs, message);
}
