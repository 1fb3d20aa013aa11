/** One measurement: a warm-up, then one scenario on one target, with the CPU time that it cost around it. */
import type { CallCounts } from './ledger-check.ts';
import type { LoadResult } from './load-messages.ts';
import type { LoadGenerator } from './parts.ts';
import { type CpuTimes, cpuBetween, cpuTimes, machineMs, residentMB, sumOf } from '../processes.ts';
import { type Scenario, scenarios, warmUpOf } from './scenarios.ts';
import type { Target } from './targets.ts';

export interface Measurement extends LoadResult {
  round: number;
  scenario: string;
  target: string;
  /** Of the whole load, by part. */
  cpuMs: CpuTimes;
  /** What is compared: of the target's counted parts. */
  cpuMsPerCall: number;
  residentMB: number;
  /** How many processors were used by programs that have no part in this. */
  otherCores: number;
  /** Errors of the warm-up, too, make the run fail. */
  warmUp: { calls: number; errors: number; firstError?: string | undefined };
}

/** Most time for one load, beyond the time in which calls begin. */
const drainMsMax = 60_000;

/** Measures; `round` is only noted, and 0 is none of the rounds but a target's first warm-up. */
export async function measure(
  load: LoadGenerator,
  { target, scenario, round, warmUpMs }: { target: Target; scenario: Scenario; round: number; warmUpMs?: number },
): Promise<Measurement> {
  const put = (wanted: Scenario) => {
    const { url, headers } = target;
    const model =
      (wanted.isTranslated && target.translatedModel) ||
      (wanted.form === 'embeddings' && target.embeddingModel) ||
      target.model;
    return load.run({ url, model, headers, scenario: wanted, limitMs: wanted.measureMs + drainMsMax });
  };
  const warmUp = await put(warmUpOf(scenario, warmUpMs));
  const [before, machineBefore, ourselvesBefore] = [cpuTimes(target.pid), machineMs(), sumOf(cpuTimes(process.pid))];
  const result = await put(scenario);
  const cpuMs = cpuBetween(before, cpuTimes(target.pid));
  const others = machineMs() - machineBefore - (sumOf(cpuTimes(process.pid)) - ourselvesBefore);
  return {
    round,
    scenario: scenario.name,
    target: target.name,
    ...result,
    cpuMs,
    cpuMsPerCall: sumOf(cpuMs, target.counted) / Math.max(1, result.calls),
    residentMB: residentMB(target.pid, target.counted),
    otherCores: Math.max(0, others / 1000 / result.seconds),
    warmUp,
  };
}

/** How many calls of each kind were answered well. */
export function countCalls(measurements: readonly Measurement[]): CallCounts {
  const counts = { whole: 0, streamed: 0 };
  for (const { scenario, calls, warmUp } of measurements) {
    const isStream = scenarios.find(({ name }) => name === scenario)?.stream === true;
    counts[isStream ? 'streamed' : 'whole'] += calls + warmUp.calls;
  }
  return counts;
}
