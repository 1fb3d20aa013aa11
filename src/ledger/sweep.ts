/**
 * Leases and the sweep. A process that holds money for calls renews a lease; the holds of a process that died are found
 * by its expired lease and released whole, with the reason on the entry.
 */
import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { soldUnits } from '../domain/billing/line-units.ts';
import { LiveSet } from '../domain/live-set.ts';
import { canonicalJson } from '../domain/json/canonical-json.ts';
import type { AccountId, KeyId, TransferId } from '../domain/ids.ts';
import { type ClockLook, ClockWatch } from './commit/clock-watch.ts';
import type { Database } from '../postgres/database.ts';
import { computed, id, money, row } from '../postgres/row.ts';
import type { CallHold, CallLedger } from './call-ledger.ts';

const sweepHoldsMax = 256;
/** Any number, as long as no other program uses it in the same database. */
export const sweepLock = 7_018_552;

export interface LeaseTimes {
  renewalMs: number;
  leaseSeconds: number;
  /** Without a renewal for this long nothing more is admitted... */
  admitsMsMax: number;
  /** ...and for this long, what is under way is broken off, before another process may sweep it. */
  streamsMsMax: number;
  sweepEveryMs: number;
}

/** Ten seconds lie between the end of a process's streams and the sweep of their holds. */
const timesDefault: LeaseTimes = {
  renewalMs: 10_000,
  leaseSeconds: 60,
  admitsMsMax: 30_000,
  streamsMsMax: 50_000,
  sweepEveryMs: 15_000,
};

export interface OwnerTools {
  database: Database;
  calls: CallLedger;
  onError: (error: unknown) => void;
  onSwept: (hold: CallHold) => void;
  /** Called once when the database's clock has jumped, by so much: forward, or back below 0. */
  onClockJump?: (ms: number) => void;
  times?: LeaseTimes;
}

/** Why calls have to end: the lease on their holds is about to be `lost`, or this process stops. */
type CallsEnd = 'lost' | 'drained';

/** This process as the owner of holds. */
export class Owner {
  readonly #tools: OwnerTools;
  readonly #times: LeaseTimes;
  readonly #clock = new ClockWatch();
  /** Until then leases are not judged: their processes have had no time to renew them by the clock as it is now. */
  #heldOffUntilMs = -Infinity;
  #id = randomUUID();
  #renewedAtMs = -Infinity;
  #unbrokenSinceMs = -Infinity;
  #lost = new AbortController();
  /** Calls under way: each is notified once that it has to end. No signals, which cost where they are joined by the thousand. */
  readonly #underWay = new LiveSet<(reason: CallsEnd) => void>();
  #isDrained = false;
  #timers: NodeJS.Timeout[] = [];
  #sweeping: Promise<void> | undefined;
  /** Of the newest renewal: one that the database answers late changes nothing any more. */
  #turn = 0;
  /** After a failure: calls are refused without a lease, so it is tried again sooner. */
  #soon: NodeJS.Timeout | undefined;
  #isClosing = false;
  /** While another lease is taken there is none to renew; a renewal that found it gone would take a second one. */
  #isTaking = false;

  constructor(tools: OwnerTools) {
    this.#tools = tools;
    this.#times = tools.times ?? timesDefault;
  }

  /** Takes a lease, and renews it and sweeps from now on. */
  async open(): Promise<void> {
    await this.#take(this.#turn);
    this.#timers = [
      setInterval(() => void this.#renew(), this.#times.renewalMs).unref(),
      setInterval(() => this.#sweepUnlessSweeping(), this.#times.sweepEveryMs).unref(),
    ];
  }

  get id(): string {
    return this.#id;
  }

  /** Whether the lease is fresh enough to hold more. */
  get mayAdmit(): boolean {
    return performance.now() - this.#renewedAtMs < this.#times.admitsMsMax;
  }

  /** Aborts when the lease is about to be lost: calls under way have to end. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Calls back when calls under way have to end; returns how to stop listening. */
  whenCallsEnd(heard: (reason: CallsEnd) => void): () => void {
    if (this.#lost.signal.aborted) heard('lost');
    else if (this.#isDrained) heard('drained');
    else {
      const place = this.#underWay.add(heard);
      return () => this.#underWay.remove(place);
    }
    return () => undefined;
  }

  /** Has calls under way end, and those that begin from now on. */
  endCalls(): void {
    this.#isDrained = true;
    this.#tellCalls('drained');
  }

  /** Gives the lease up; without the database it runs out by itself. To be called when every hold is settled. */
  async close(): Promise<void> {
    this.#isClosing = true;
    for (const timer of this.#timers) clearInterval(timer);
    clearTimeout(this.#soon);
    await this.#sweeping;
    await this.#tools.database.pool.query('delete from owners where id = $1', [this.#id]).catch(this.#tools.onError);
  }

  #lose(): void {
    this.#lost.abort();
    this.#tellCalls('lost');
  }

  #tellCalls(reason: CallsEnd): void {
    for (const heard of this.#underWay.clear()) heard(reason);
  }

  /** Takes another lease, unless a newer renewal has begun: of two that find the lease gone, one would take a lease that is never renewed. */
  async #take(turn: number): Promise<void> {
    const askedAtMs = performance.now();
    const id = randomUUID();
    const { rows } = await this.#tools.database.pool.query(
      `insert into owners (id, expires_at) values ($1, clock_timestamp() + make_interval(secs => $2)) returning clock_timestamp() as now`,
      [id, this.#times.leaseSeconds],
    );
    this.#look(rows, askedAtMs);
    if (turn !== this.#turn) return; // nothing was admitted under it, and it runs out by itself
    this.#id = id;
    this.#renewedAtMs = askedAtMs;
    this.#unbrokenSinceMs = askedAtMs;
    this.#lost = new AbortController();
  }

  /** Never fails. */
  async #renew(): Promise<void> {
    const askedAtMs = performance.now();
    const { renewalMs, streamsMsMax, leaseSeconds } = this.#times;
    // Looked at before asking: a database that never answers gives no error either.
    if (askedAtMs - this.#renewedAtMs > streamsMsMax - renewalMs) this.#lose();
    if (this.#isTaking) return;
    const turn = ++this.#turn;
    try {
      const { rowCount, rows } = await this.#tools.database.pool.query(
        `update owners set expires_at = clock_timestamp() + make_interval(secs => $2)
         where id = $1 and expires_at > clock_timestamp() returning clock_timestamp() as now`,
        [this.#id, leaseSeconds],
      );
      this.#look(rows, askedAtMs);
      if (turn !== this.#turn || this.#isClosing) return; // a process that closes takes no other lease
      if (rowCount === 1) {
        this.#renewedAtMs = askedAtMs;
        if (this.#lost.signal.aborted) this.#lost = new AbortController();
      } else {
        this.#lose();
        this.#isTaking = true;
        await this.#take(turn).finally(() => (this.#isTaking = false));
      }
    } catch (error) {
      this.#tools.onError(error);
      clearTimeout(this.#soon);
      if (!this.#isClosing) this.#soon = setTimeout(() => void this.#renew(), renewalMs / 10).unref();
    }
  }

  #sweepUnlessSweeping(): void {
    this.#sweeping ??= this.#sweep().finally(() => (this.#sweeping = undefined));
  }

  /** Never fails. */
  async #sweep(): Promise<void> {
    try {
      await this.#giveBackLost();
      if (!this.#mayJudge()) return;
      const askedAtMs = performance.now();
      this.#look((await this.#tools.database.pool.query('select clock_timestamp() as now')).rows, askedAtMs);
      if (!this.#mayJudge()) return;
      await this.#releaseOrphans();
      await this.#tools.database.pool.query(
        `delete from owners where expires_at < clock_timestamp() - interval '1 day'`,
      );
    } catch (error) {
      this.#tools.onError(error);
    }
  }

  /** Compares the database's clock with this process's time; after a jump no lease is judged for the length of one. */
  #look(rows: unknown[], askedAtMs: number): void {
    const [row] = rows.map((each) => clockRow.parse(each));
    if (!row) return;
    const look: ClockLook = { clockMs: row.now.getTime(), askedAtMs, answeredAtMs: performance.now() };
    const jumpMs = this.#clock.jumpAt(look);
    if (jumpMs === 0) return;
    this.#heldOffUntilMs = look.answeredAtMs + this.#times.leaseSeconds * 1000;
    this.#tools.onClockJump?.(jumpMs);
  }

  /** Only a process with a long unbroken lease judges others. */
  #mayJudge(): boolean {
    const now = performance.now();
    const { leaseSeconds, renewalMs } = this.#times;
    if (now < this.#heldOffUntilMs) return false;
    return now - this.#unbrokenSinceMs >= leaseSeconds * 1000 && now - this.#renewedAtMs <= renewalMs * 2;
  }

  /** Holds of calls that were refused because it wasn't known, in time, whether they had been made. */
  async #giveBackLost(): Promise<void> {
    const { database, calls } = this.#tools;
    const lost = calls.lostAdmissions();
    if (lost.length > 0) await this.#releaseAll(await heldAmong(database, lost));
  }

  /** Releases the holds of owners whose lease has run out. */
  async #releaseOrphans(): Promise<void> {
    const { database } = this.#tools;
    if ((await orphanedHolds(database, this.#id, 1)).length === 0) return;
    // One process sweeps at a time: of two that release the same hold one is refused, and with it a whole group.
    await underLock(database, sweepLock, async () => {
      for (let isMore = true; isMore && !this.#isClosing && this.#mayJudge();) {
        const holds = await orphanedHolds(database, this.#id, sweepHoldsMax);
        await this.#releaseAll(holds);
        isMore = holds.length === sweepHoldsMax;
      }
    });
  }

  /** All at once, so that the ledger commits them in groups. What fails is found again; the first failure is thrown. */
  async #releaseAll(holds: readonly CallHold[]): Promise<void> {
    const releases = await Promise.allSettled(
      holds.map(async (hold) => {
        await this.#tools.calls.release(hold, 'owner_lost', { mustCommit: false });
        this.#tools.onSwept(hold);
      }),
    );
    const failure = releases.find((release) => release.status === 'rejected');
    if (failure) throw failure.reason;
  }
}

/** Does the work unless another process has the lock; it ends with the connection, so a process that dies frees it. */
async function underLock(database: Database, lock: number, work: () => Promise<void>): Promise<void> {
  const client = await database.pool.connect();
  let broken: Error | undefined;
  try {
    const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [lock]);
    if (rows[0]?.locked !== true) return;
    try {
      await work();
    } finally {
      await client.query('select pg_advisory_unlock($1)', [lock]);
    }
  } catch (error) {
    broken = error instanceof Error ? error : new Error('the sweep failed', { cause: error });
    throw error;
  } finally {
    client.release(broken); // a connection whose lock could not be given back is closed
  }
}

const clockRow = z.object({ now: z.date() });

const orphanRow = row({
  transferId: id<TransferId>(),
  account: computed('h.account_id', id<AccountId>()),
  key: computed('h.key_id', id<KeyId>()),
  amount: money,
  admittedAt: computed('h.created_at', z.date()),
  requestId: computed('h.subject', z.string()),
  seq: computed('e.seq', z.bigint()),
  model: computed('e.model', z.string()),
  unit: computed('e.unit', z.enum(soldUnits)),
  units: computed('e.units::text', z.string()),
  lines: computed('e.lines', z.unknown()),
  priceVersion: computed('e.price_version', z.string()),
}).as(({ unit, units, lines, priceVersion, ...hold }): CallHold => ({
  ...hold,
  sale: { unit, units, ...(lines !== null && { lines: canonicalJson(lines) }), priceVersion },
  isKeyed: true,
}));

const openHolds = `select ${orphanRow.columnsOf('h')} from holds h
  join entries e on e.transfer_id = h.transfer_id and e.type = 'hold'
  where h.state = 'held' and h.owner is not null`;

/** Those of the transfers that are held. */
async function heldAmong(database: Database, transfers: readonly TransferId[]): Promise<CallHold[]> {
  const { rows } = await database.pool.query(`${openHolds} and h.transfer_id = any($1::uuid[])`, [transfers]);
  return rows.map((row) => orphanRow.parse(row));
}

/**
 * Holds whose owner's lease has run out, as the owner `by` may judge it: by a clock that jumped, or that of another server
 * after a failover, its own lease would have run out as well, and then it judges no other. It never finds its own holds.
 */
async function orphanedHolds(database: Database, by: string, count: number): Promise<CallHold[]> {
  const { rows } = await database.pool.query(
    `${openHolds} and h.owner <> $2
       and not exists (select 1 from owners o where o.id = h.owner and o.expires_at > clock_timestamp())
       and exists (select 1 from owners o where o.id = $2 and o.expires_at > clock_timestamp())
     limit $1`,
    [count, by],
  );
  return rows.map((row) => orphanRow.parse(row));
}
