/**
 * The group committer of one API process, as `src/ledger/commit/group-commit.ts` and `known-rows.ts` have it: moves gather while
 * a commit is in flight; rows that this process wrote last are proved by their version, in one round trip; when that
 * fails, and for a fifth of a second afterwards, they are locked first, which takes two.
 */
import type { EventQueue } from './event-queue.ts';
import type { SimulatedDatabase } from './simulated-database.ts';

// As in src/storage/ledger.
const groupMembersMax = 256;
const waitingMembersMax = 4_096;
const patientMs = 25;
const contendedMs = 200;
const lockMsMax = 3_000;

/** Milliseconds of one group's commit without other load, from the API's side. */
export interface GroupCosts {
  /** Over known rows: of any group, and of each of its moves. */
  knownMs: number;
  knownMsPerMove: number;
  /** Under locks. */
  lockedMs: number;
  lockedMsPerMove: number;
  /** Both of these are in the times above. */
  roundTripMs: number;
  flushMs: number;
}

export interface SimulatedMove {
  row: number;
  /** With `false` after it was refused. */
  done: (isBooked: boolean) => void;
}

export class SimulatedGroups {
  readonly #queue: EventQueue;
  readonly #database: SimulatedDatabase;
  readonly #costs: GroupCosts;
  readonly #waiting: SimulatedMove[] = [];
  readonly #known = new Map<number, number>();
  #contendedUntilMs = -Infinity;
  #isFlying = false;
  #isPatient = false;
  /** What was committed. */
  readonly count = { groups: 0, moves: 0, locked: 0 };

  constructor(queue: EventQueue, database: SimulatedDatabase, costs: GroupCosts) {
    this.#queue = queue;
    this.#database = database;
    this.#costs = costs;
  }

  /** A patient move waits a little for others to go with, and is never refused for want of room. */
  commit(move: SimulatedMove, { isPatient }: { isPatient: boolean }): void {
    if (!isPatient && this.#waiting.length >= waitingMembersMax) {
      move.done(false);
      return;
    }
    this.#waiting.push(move);
    if (this.#isFlying) return;
    if (!isPatient) this.#fly();
    else if (!this.#isPatient) {
      this.#isPatient = true;
      this.#queue.in(patientMs, () => {
        if (this.#isPatient && !this.#isFlying) this.#fly();
      });
    }
  }

  #fly(): void {
    this.#isPatient = false;
    const moves = this.#waiting.splice(0, groupMembersMax);
    this.#isFlying = moves.length > 0;
    if (!this.#isFlying) return;
    const rows = [...new Set(moves.map(({ row }) => row))].sort((one, other) => one - other);
    const isKnown = this.#queue.nowMs >= this.#contendedUntilMs && rows.every((row) => this.#known.has(row));
    // What the group writes is sent, and its answer comes, by half a round trip each.
    this.#queue.in(this.#costs.roundTripMs / 2, () =>
      isKnown ? this.#overKnownRows(moves, rows) : this.#underLocks(moves, rows),
    );
  }

  #overKnownRows(moves: readonly SimulatedMove[], rows: readonly number[]): void {
    const { knownMs, knownMsPerMove, roundTripMs, flushMs } = this.#costs;
    const isAsKnown = () => rows.every((row) => this.#database.versionOf(row) === this.#known.get(row));
    const contended = () => {
      this.#known.clear();
      // The answer goes back, and the group comes again for the locks.
      this.#queue.in(roundTripMs, () => this.#underLocks(moves, rows));
      this.#contendedUntilMs = this.#queue.nowMs + roundTripMs / 2 + contendedMs;
    };
    if (!isAsKnown()) {
      contended();
      return;
    }
    this.#database.lock(rows, () => {
      if (!isAsKnown()) {
        this.#database.release(rows);
        contended();
        return;
      }
      const workMs = knownMs + knownMsPerMove * moves.length - roundTripMs - flushMs;
      this.#queue.in(Math.max(0, workMs), () => this.#write(moves, rows));
    });
  }

  #underLocks(moves: readonly SimulatedMove[], rows: readonly number[]): void {
    const { lockedMs, lockedMsPerMove, roundTripMs, flushMs } = this.#costs;
    const askedAtMs = this.#queue.nowMs;
    this.#database.lock(rows, () => {
      if (this.#queue.nowMs - askedAtMs > lockMsMax) {
        this.#database.release(rows);
        this.#landed(moves, false);
        return;
      }
      // The second round trip is made with the rows locked.
      const workMs = lockedMs + lockedMsPerMove * moves.length - roundTripMs - flushMs;
      this.count.locked++;
      this.#queue.in(Math.max(0, workMs), () => this.#write(moves, rows));
    });
  }

  #write(moves: readonly SimulatedMove[], rows: readonly number[]): void {
    this.#database.commit(rows, (version) => {
      this.count.groups++;
      this.count.moves += moves.length;
      this.#queue.in(this.#costs.roundTripMs / 2, () => {
        for (const row of rows) this.#known.set(row, version);
        this.#landed(moves, true);
      });
    });
  }

  #landed(moves: readonly SimulatedMove[], isBooked: boolean): void {
    for (const { done } of moves) done(isBooked);
    this.#fly();
  }
}
