/** What the phases' figures are made of: how late ends were, how many tasks were live, how fast creates came. */
import { percentile } from '../statistics.ts';
import type { SeenJob } from './messages.ts';

/** A task as the gateway's row has it. */
export interface EndedTask {
  prompt: string;
  account: string;
  state: string;
  finishedAt: number | null;
}

export interface Lateness {
  prompt: string;
  account: string;
  lateMs: number;
}

/** From a job's end at the provider to its task's end here; only of tasks that succeeded. */
export function latenessOf(jobs: readonly SeenJob[], tasks: readonly EndedTask[]): Lateness[] {
  const doneAt = new Map(jobs.map((job) => [job.prompt, job.doneAt]));
  return tasks.flatMap(({ prompt, account, state, finishedAt }) => {
    const done = doneAt.get(prompt) ?? null;
    return state === 'succeeded' && finishedAt !== null && done !== null
      ? [{ prompt, account, lateMs: finishedAt - done }]
      : [];
  });
}

/** The p99 of each account, the lowest and the highest of them. */
export function spreadOf(late: readonly Lateness[]): { lowestMs: number; highestMs: number } {
  const byAccount = new Map<string, number[]>();
  for (const { account, lateMs } of late) byAccount.set(account, [...(byAccount.get(account) ?? []), lateMs]);
  const p99s = [...byAccount.values()].map((times) => percentile(times, 0.99));
  return { lowestMs: Math.min(...p99s), highestMs: Math.max(...p99s) };
}

/** Minutes that tasks were at the provider between two moments; one that has no end was there to the last. */
export function taskMinutes(tasks: readonly EndedTask[], from: number, until: number): number {
  const ms = tasks.reduce((total, { finishedAt }) => {
    return total + Math.max(0, Math.min(finishedAt ?? until, until) - from);
  }, 0);
  return ms / 60_000;
}

/** From the moment that a caller began to ask until the last of its jobs was created at the provider. */
export function reachMs(jobs: readonly SeenJob[], word: string, beganAt: number): number {
  return Math.max(...jobs.filter(({ prompt }) => isOf(prompt, word)).map(({ createdAt }) => createdAt)) - beganAt;
}

/** How many jobs of another word came to the provider before the last of these, from that moment on. */
export function othersBetween(jobs: readonly SeenJob[], word: string, beganAt: number): number {
  const until = beganAt + reachMs(jobs, word, beganAt);
  return jobs.filter(({ prompt, createdAt }) => !isOf(prompt, word) && createdAt >= beganAt && createdAt <= until)
    .length;
}

export const countOf = (jobs: readonly SeenJob[], word: string): number =>
  jobs.filter(({ prompt }) => isOf(prompt, word)).length;

/** The most creates in any second. */
export function mostInASecond(jobs: readonly SeenJob[]): number {
  const times = jobs.map(({ createdAt }) => createdAt).sort((a, b) => a - b);
  let [first, most] = [0, 0];
  for (const [index, time] of times.entries()) {
    while (time - (times[first] ?? time) >= 1000) first++;
    most = Math.max(most, index - first + 1);
  }
  return most;
}

const isOf = (prompt: string, word: string): boolean => prompt.startsWith(`${word} `);
