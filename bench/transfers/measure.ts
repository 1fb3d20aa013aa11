/** One measurement: some transfers at once, with the CPU time and the memory that they cost the process they go through. */
import { readFileSync, writeFileSync } from 'node:fs';
import { cpuTimes, sumOf } from '../processes.ts';
import type { Client } from './parts.ts';
import type { Target } from './target.ts';

export const scenarios = ['upload', 'download by link', 'download once'] as const;
export type Scenario = (typeof scenarios)[number];

export interface Measurement {
  target: string;
  scenario: Scenario;
  atOnce: number;
  round: number;
  mbPerSecond: number;
  cpuSecondsPerGB: number;
  /** Of resident memory, its peak over its level before. */
  grownMiB: number;
  failures: string[];
}

export async function measure(
  client: Client,
  {
    target,
    scenario,
    atOnce,
    bytes,
    round,
  }: { target: Target; scenario: Scenario; atOnce: number; bytes: number; round: number },
): Promise<Measurement> {
  const requests = [];
  for (let index = 0; index < atOnce; index++) requests.push(await requestOf(target, scenario));
  const way = scenario === 'upload' ? 'up' : 'down';
  const { pid } = target;
  forgetPeak(pid);
  const before = memoryMiB(pid);
  const cpuBefore = sumOf(cpuTimes(pid));
  const { ms, bytes: moved, answers, failures } = await client.run({ way, requests, bytes });
  const cpuMs = sumOf(cpuTimes(pid)) - cpuBefore;
  const grownMiB = Math.max(0, memoryMiB(pid).peak - before.now);
  if (way === 'up') for (const answer of answers) await target.forget(answer);
  return {
    ...{ target: target.name, scenario, atOnce, round, grownMiB, failures },
    mbPerSecond: moved / 1e6 / (ms / 1000),
    cpuSecondsPerGB: moved === 0 ? 0 : cpuMs / 1000 / (moved / 1e9),
  };
}

function requestOf(target: Target, scenario: Scenario) {
  if (scenario === 'upload') return Promise.resolve(target.upload);
  return scenario === 'download once' ? target.once() : target.linked();
}

/** Resident memory now, and its peak since the last reset. */
export function memoryMiB(pid: number): { now: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const field = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0) / 1024;
  return { now: field('VmRSS'), peak: field('VmHWM') };
}

/** See proc(5), clear_refs. */
export const forgetPeak = (pid: number): void => writeFileSync(`/proc/${pid}/clear_refs`, '5');
