/**
 * Many tasks at a provider at once: how late their ends are heard, and what waiting for them costs. All are admitted
 * and sent; they wait for some poll intervals; then they end at even distances, and each is heard at its next poll.
 */
import { say } from '../report.ts';
import { latenessOf, type Lateness, taskMinutes } from './figures.ts';
import type { Parts } from './parts.ts';
import type { RunClock } from './run-clock.ts';
import { models } from './setting.ts';
import { countUnfinished, tasksOf } from './task-rows.ts';
import { type Usage, watchUsage } from './usage.ts';

const accountsCount = 5;
const openingBalance = 1_000_000;
const connections = 64;
/** Poll intervals in which all wait: one for the first polls, which are more frequent, to be over; two are measured. */
const settlingIntervals = 1;
const waitingIntervals = 2;
/** Beyond the time that things are given. */
const patienceMs = 300_000;
/** Of each task, on a machine that is far too busy. */
const slowestSendMs = 150;

export interface LivePlan {
  tasks: number;
  /** From the first end to the last. */
  overMs: number;
  pollMs: number;
}

/** A stretch of the run, and what it cost. */
export interface Stretch extends Usage {
  taskMinutes: number;
  polls: number;
}

export interface LiveFigures {
  /** From the first create to the last task's being at the provider. */
  admissionSeconds: number;
  overloaded: number;
  /** While all wait, and while they end. */
  waiting: Stretch;
  ending: Stretch;
  late: Lateness[];
  /** Tasks that did not succeed. */
  failed: number;
}

export async function measureLive(
  { gateway, provider, callers }: Parts,
  { tasks: count, overMs, pollMs }: LivePlan,
  clock: RunClock,
): Promise<LiveFigures> {
  const keys: string[] = [];
  while (keys.length < accountsCount) keys.push((await gateway.customer(openingBalance)).secret);
  const word = 'live';
  say(`Creating ${count} tasks for ${accountsCount} accounts.`);
  const { ids, beganAt, overloaded } = await callers.create(
    { url: gateway.url, model: models.live, keys, word, count, connections },
    (accepted) => clock.report(`${accepted} of ${count} tasks are accepted`),
  );
  const sent = async () => (await provider.count()).created;
  await clock.until('all tasks to reach the provider', async () => (await sent()) >= count, {
    waitMs: patienceMs + count * slowestSendMs,
    progress: async () => `${await sent()} of ${count} tasks are at the provider`,
  });
  const admissionSeconds = (Date.now() - beganAt) / 1000;
  const waitSeconds = ((settlingIntervals + waitingIntervals) * pollMs) / 1000;
  say(`All are at the provider after ${admissionSeconds.toFixed(0)} s. Now they wait for ${waitSeconds} s.`);

  const during = async (run: () => Promise<void>): Promise<Usage & { polls: number }> => {
    const { polls } = await provider.count();
    const usage = watchUsage(gateway.pid);
    await run().finally(usage.stop);
    return { ...usage.read(), polls: (await provider.count()).polls - polls };
  };
  await clock.sleep(settlingIntervals * pollMs);
  const waiting = await during(() => clock.sleep(waitingIntervals * pollMs));
  say(`They end over ${(overMs / 60_000).toFixed(1)} minutes.`);
  const ending = await during(async () => {
    await provider.end(overMs);
    await clock.until('all tasks to end', async () => (await countUnfinished(gateway.databaseUrl)) === 0, {
      waitMs: overMs + 4 * pollMs + patienceMs,
      progress: async () => {
        const { done, reported } = await provider.count();
        return `${done} of ${count} jobs are done, ${reported} of them were heard of`;
      },
    });
  });

  const tasks = await tasksOf(gateway.databaseUrl, word, ids);
  const late = latenessOf(await provider.report(), tasks);
  const measured = (usage: Usage & { polls: number }): Stretch => {
    return { ...usage, taskMinutes: taskMinutes(tasks, usage.beganAt, usage.endedAt) };
  };
  return {
    ...{ admissionSeconds, overloaded, late, failed: count - late.length },
    ...{ waiting: measured(waiting), ending: measured(ending) },
  };
}
