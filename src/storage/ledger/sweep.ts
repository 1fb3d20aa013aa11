/**
 * Leases and the sweep. A process that holds money for calls renews a lease; the holds of a process that died are found
 * by its expired lease and released whole, with the reason on the entry.
 */
import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import type { AccountId, KeyId, TransferId } from '../../domain/ids.ts';
import { micros } from '../../domain/money.ts';
import type { Database } from '../database.ts';
import type { CallHold, CallLedger } from './calls.ts';

const sweep_holds_max = 256;

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
  times?: LeaseTimes;
}

/** This process as the owner of holds. */
export class Owner {
  readonly #tools: OwnerTools;
  readonly #times: LeaseTimes;
  #id = randomUUID();
  #renewedAtMs = -Infinity;
  #unbrokenSinceMs = -Infinity;
  #lost = new AbortController();
  /** Calls under way: each is told once when the lease is lost. A set, since signals joined by the thousand cost. */
  readonly #underWay = new Set<() => void>();
  #timers: NodeJS.Timeout[] = [];

  constructor(tools: OwnerTools) {
    this.#tools = tools;
    this.#times = tools.times ?? timesDefault;
  }

  /** Takes a lease, and renews it and sweeps from now on. */
  async open(): Promise<void> {
    await this.#take();
    this.#timers = [
      setInterval(() => void this.#renew(), this.#times.renewalMs).unref(),
      setInterval(() => void this.#sweep(), this.#times.sweepEveryMs).unref(),
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

  /** Calls back when the lease is about to be lost; answers how to stop listening. */
  whenLost(heard: () => void): () => void {
    if (this.#lost.signal.aborted) heard();
    else this.#underWay.add(heard);
    return () => this.#underWay.delete(heard);
  }

  /** Gives the lease up. To be called when every hold is settled. */
  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    await this.#tools.database.pool.query('delete from owners where id = $1', [this.#id]);
  }

  #lose(): void {
    this.#lost.abort();
    for (const heard of [...this.#underWay]) heard();
    this.#underWay.clear();
  }

  async #take(): Promise<void> {
    const askedAtMs = performance.now();
    const id = randomUUID();
    await this.#tools.database.pool.query(
      `insert into owners (id, expires_at) values ($1, clock_timestamp() + make_interval(secs => $2))`,
      [id, this.#times.leaseSeconds],
    );
    this.#id = id;
    this.#renewedAtMs = askedAtMs;
    this.#unbrokenSinceMs = askedAtMs;
    this.#lost = new AbortController();
  }

  async #renew(): Promise<void> {
    const askedAtMs = performance.now();
    const { renewalMs, streamsMsMax, leaseSeconds } = this.#times;
    // Looked at before asking: a database that never answers gives no error either.
    if (askedAtMs - this.#renewedAtMs > streamsMsMax - renewalMs) this.#lose();
    try {
      const { rowCount } = await this.#tools.database.pool.query(
        `update owners set expires_at = clock_timestamp() + make_interval(secs => $2) where id = $1 and expires_at > clock_timestamp()`,
        [this.#id, leaseSeconds],
      );
      if (rowCount === 1) {
        this.#renewedAtMs = askedAtMs;
        if (this.#lost.signal.aborted) this.#lost = new AbortController();
      } else {
        this.#lose();
        await this.#take();
      }
    } catch (error) {
      this.#tools.onError(error);
    }
  }

  /** Releases the holds of owners whose lease has run out; only a process with a long unbroken lease judges others. */
  async #sweep(): Promise<void> {
    const now = performance.now();
    if (
      now - this.#unbrokenSinceMs < this.#times.leaseSeconds * 1000 ||
      now - this.#renewedAtMs > this.#times.renewalMs * 2
    )
      return;
    try {
      for (const hold of await orphanedHolds(this.#tools.database)) {
        await this.#tools.calls.release(hold, 'owner_lost');
        this.#tools.onSwept(hold);
      }
      await this.#tools.database.pool.query(
        `delete from owners where expires_at < clock_timestamp() - interval '1 day'`,
      );
    } catch (error) {
      this.#tools.onError(error);
    }
  }
}

async function orphanedHolds(database: Database): Promise<CallHold[]> {
  const { rows } = await database.pool.query(
    `select h.transfer_id, h.account_id, h.key_id, h.amount, h.created_at, h.subject, e.model from holds h
     join entries e on e.transfer_id = h.transfer_id and e.type = 'hold'
     where h.state = 'held' and h.owner is not null
       and not exists (select 1 from owners o where o.id = h.owner and o.expires_at > clock_timestamp())
     limit $1`,
    [sweep_holds_max],
  );
  return rows.map((row) => orphanRow.parse(row));
}

const orphanRow = z
  .object({
    transfer_id: z.string(),
    account_id: z.string(),
    key_id: z.string(),
    amount: z.bigint(),
    created_at: z.date(),
    subject: z.string(),
    model: z.string().nullable(),
  })
  .transform((row): CallHold => ({
    transferId: row.transfer_id as TransferId,
    account: row.account_id as AccountId,
    key: row.key_id as KeyId,
    amount: micros(row.amount),
    admittedAt: row.created_at,
    requestId: row.subject,
    model: row.model ?? '',
    isKeyed: true,
  }));
