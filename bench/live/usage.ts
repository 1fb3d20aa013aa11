/** What the gateway's processes use over a stretch of time: CPU time by part, and the most memory. */
import { type CpuTimes, cpuBetween, cpuTimes, machineMs, residentMB, sumOf } from '../processes.ts';

const sampleMs = 5_000;

export interface Usage {
  beganAt: number;
  endedAt: number;
  cpuMs: CpuTimes;
  /** MB of the process that is API and worker, and of all with the servers. */
  ownMBMax: number;
  allMBMax: number;
  /** How many processors were used by what is neither the gateway nor the benchmark. */
  otherCores: number;
}

export interface UsageWatch {
  stop: () => void;
  /** What was used until it was stopped. */
  read: () => Usage;
}

/** Watches the tree below a process from now on. */
export function watchUsage(pid: number): UsageWatch {
  const beganAt = Date.now();
  const [before, machineBefore, ourselvesBefore] = [cpuTimes(pid), machineMs(), sumOf(cpuTimes(process.pid))];
  let [ownMBMax, allMBMax] = [0, 0];
  const look = (): Usage => {
    ownMBMax = Math.max(ownMBMax, residentMB(pid, ['own']));
    allMBMax = Math.max(allMBMax, residentMB(pid));
    const endedAt = Date.now();
    // The gateway is a child of the benchmark, so its time is in ours.
    const others = machineMs() - machineBefore - (sumOf(cpuTimes(process.pid)) - ourselvesBefore);
    const otherCores = Math.max(0, others / Math.max(1, endedAt - beganAt));
    return { beganAt, endedAt, cpuMs: cpuBetween(before, cpuTimes(pid)), ownMBMax, allMBMax, otherCores };
  };
  let last = look();
  const timer = setInterval(() => {
    last = look();
  }, sampleMs);
  const stop = () => {
    clearInterval(timer);
    last = look();
  };
  return { stop, read: () => last };
}
