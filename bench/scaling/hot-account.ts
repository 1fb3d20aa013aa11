/**
 * Chat calls of a hot account and of many others over several API processes, simulated: how many are admitted a second, and
 * how long their holds take. The same seed gives the same figures.
 */
import { percentile } from '../statistics.ts';
import { chanceOf, EventQueue, waitOf } from './event-queue.ts';
import { SimulatedDatabase } from './simulated-database.ts';
import { type GroupCosts, SimulatedGroups } from './simulated-groups.ts';

/** Where a call of an account goes: to any process; to the account's own; to any, each with a slice of the balance as its own row. */
export type Way = 'any' | 'own' | 'slices';

export interface Fleet {
  processes: number;
  way: Way;
  /** Of the hot account. */
  hotPerSecond: number;
  /** Of all the others together, which call equally often. */
  othersPerSecond?: number;
  others?: number;
  seconds: number;
  seed: number;
}

interface Holds {
  admittedPerSecond: number;
  /** How long their holds took. */
  p50Ms: number;
  p99Ms: number;
  /** A share. */
  refused: number;
}

export interface FleetOutcome {
  hot: Holds;
  others: Holds;
  /** Share of the groups that had to lock their rows first. */
  underLocks: number;
  movesPerGroup: number;
  groupsPerSecond: number;
}

/** From the answer of a hold to the settlement, on average. */
export const call_ms = 1_000;
/** Not counted: processes begin with no known rows and no queues. */
const warmUpMs = 1_000;
const hot = 0;

/** Plays the calls of a fleet through its processes and its database. */
export function simulateFleet(fleet: Fleet, costs: GroupCosts): FleetOutcome {
  const { processes, way, hotPerSecond, othersPerSecond = 0, others = 0, seconds, seed } = fleet;
  const queue = new EventQueue();
  const database = new SimulatedDatabase(queue, costs.flushMs);
  const members = Array.from({ length: processes }, () => new SimulatedGroups(queue, database, costs));
  const [arrivals, places, lengths] = [chanceOf(seed), chanceOf(seed + 1), chanceOf(seed + 2)];
  const ofHot = new Tally();
  const ofOthers = new Tally();

  const call = (account: number) => {
    const at = way === 'own' ? account % processes : Math.floor(places() * processes);
    const groups = members[at];
    if (!groups) return;
    const row = way === 'slices' ? account * processes + at : account;
    const calledAtMs = queue.nowMs;
    const tally = account === hot ? ofHot : ofOthers;
    const done = (isAdmitted: boolean) => {
      // By when it ended, so that no queue hides those that still wait.
      if (queue.nowMs >= warmUpMs) tally.add(isAdmitted, queue.nowMs - calledAtMs);
      if (!isAdmitted) return;
      const settlement = { row, done: () => undefined };
      queue.in(waitOf(lengths, call_ms), () => groups.commit(settlement, { isPatient: true }));
    };
    groups.commit({ row, done }, { isPatient: false });
  };
  const repeat = (perSecond: number, account: () => number) => {
    const next = () => {
      call(account());
      queue.in(waitOf(arrivals, 1_000 / perSecond), next);
    };
    if (perSecond > 0) queue.in(waitOf(arrivals, 1_000 / perSecond), next);
  };
  repeat(hotPerSecond, () => hot);
  repeat(othersPerSecond, () => 1 + Math.floor(places() * others));

  queue.runUntil(warmUpMs);
  const before = countOf(members);
  queue.runUntil(warmUpMs + seconds * 1_000);
  const after = countOf(members);
  const groups = Math.max(1, after.groups - before.groups);
  return {
    hot: ofHot.outcome(seconds),
    others: ofOthers.outcome(seconds),
    underLocks: (after.locked - before.locked) / groups,
    movesPerGroup: (after.moves - before.moves) / groups,
    groupsPerSecond: groups / seconds,
  };
}

class Tally {
  readonly #ms: number[] = [];
  #refused = 0;

  add(isAdmitted: boolean, ms: number): void {
    if (isAdmitted) this.#ms.push(ms);
    else this.#refused++;
  }

  outcome(seconds: number): Holds {
    return {
      admittedPerSecond: this.#ms.length / seconds,
      p50Ms: percentile(this.#ms, 0.5),
      p99Ms: percentile(this.#ms, 0.99),
      refused: this.#refused / Math.max(1, this.#refused + this.#ms.length),
    };
  }
}

function countOf(members: readonly SimulatedGroups[]): SimulatedGroups['count'] {
  const total = { groups: 0, moves: 0, locked: 0 };
  for (const { count } of members) {
    total.groups += count.groups;
    total.moves += count.moves;
    total.locked += count.locked;
  }
  return total;
}
