/**
 * A point of the hot account's simulation beside real processes: commits are timed without other load, the simulation
 * is fed with these times, and processes call on a real PostgreSQL.
 */
import { percentile, sum } from '../statistics.ts';
import { call_ms, simulateFleet } from './hot-account.ts';
import { type Calibrated, calibratedSchema, calledSchema } from './messages.ts';
import type { RealWorld } from './real-world.ts';
import type { GroupCosts } from './simulated-groups.ts';

const groupSizes = [1, 4, 16, 64];
const rounds = 30;
const warm_up_ms = 1_500;
/** A group's commit before and after a point may differ by so much, or the machine has other things to do. */
export const unrestMax = 1.5;
const attemptsMax = 3;

export interface Played {
  processes: number;
  rate: number;
  calibrated: GroupCosts;
  /** How much a commit alone changed meanwhile. */
  unrest: number;
  real: Point;
  simulated: Point;
}

interface Point {
  admittedPerSecond: number;
  p50Ms: number;
  p99Ms: number;
  movesPerGroup: number;
}

/** Times commits before and after, and does it again if they differ much; returns the quietest attempt. */
export async function play(
  world: RealWorld,
  { processes, rate }: { processes: number; rate: number },
  seconds: number,
) {
  let quietest: Played | undefined;
  for (let attempt = 1; attempt <= attemptsMax; attempt++) {
    const before = await calibrate(world);
    const works = Array.from({ length: processes }, (_, seed) => ({
      ...({ order: 'call', callsPerSecond: rate / processes, callMs: call_ms } as const),
      ...{ warmUpMs: warm_up_ms, seconds, seed: 10 * attempt + seed },
    }));
    const answers = await world.run(works, calledSchema);
    const after = await calibrate(world);
    const heldMs = answers.flatMap((answer) => answer.heldMs);
    const real: Point = {
      admittedPerSecond: heldMs.length / seconds,
      p50Ms: percentile(heldMs, 0.5),
      p99Ms: percentile(heldMs, 0.99),
      movesPerGroup: sum(answers.map(({ moves }) => moves)) / Math.max(1, sum(answers.map(({ groups }) => groups))),
    };
    const calibrated = costsOf([before, after]);
    const fleet = { processes, way: 'any', hotPerSecond: rate, seconds, seed: attempt } as const;
    const { hot, movesPerGroup } = simulateFleet(fleet, calibrated);
    const unrest = ratioBetween(before.lockedMs, after.lockedMs);
    const played: Played = { processes, rate, calibrated, unrest, real, simulated: { ...hot, movesPerGroup } };
    if (!quietest || unrest < quietest.unrest) quietest = played;
    if (unrest <= unrestMax) break;
  }
  if (!quietest) throw new Error('nothing was played');
  return quietest;
}

export const ratioBetween = (one: number, other: number): number => Math.max(one, other) / Math.min(one, other);

async function calibrate(world: RealWorld): Promise<GroupCosts> {
  const [measured] = await world.run([{ order: 'calibrate', sizes: groupSizes, rounds }], calibratedSchema);
  if (!measured) throw new Error('nothing was calibrated');
  return groupCostsFrom(measured, groupSizes);
}

/** The straight lines through the times of groups of these sizes. */
export function groupCostsFrom({ known, locked, ...rest }: Calibrated, sizes: readonly number[]): GroupCosts {
  const line = (times: readonly number[]): [base: number, each: number] => {
    const [size, time] = [sum(sizes) / sizes.length, sum(times) / times.length];
    const together = sum(sizes.map((of, at) => (of - size) * ((times[at] ?? 0) - time)));
    const each = Math.max(0, together / sum(sizes.map((of) => (of - size) ** 2)));
    return [time - each * size, each];
  };
  const [[knownMs, knownMsPerMove], [lockedMs, lockedMsPerMove]] = [line(known), line(locked)];
  return { ...{ knownMs, knownMsPerMove, lockedMs, lockedMsPerMove }, ...rest };
}

/** Their mean. */
export function costsOf(all: readonly GroupCosts[]): GroupCosts {
  const mean = (value: (of: GroupCosts) => number) => sum(all.map(value)) / all.length;
  return {
    knownMs: mean(({ knownMs }) => knownMs),
    knownMsPerMove: mean(({ knownMsPerMove }) => knownMsPerMove),
    lockedMs: mean(({ lockedMs }) => lockedMs),
    lockedMsPerMove: mean(({ lockedMsPerMove }) => lockedMsPerMove),
    roundTripMs: mean(({ roundTripMs }) => roundTripMs),
    flushMs: mean(({ flushMs }) => flushMs),
  };
}
