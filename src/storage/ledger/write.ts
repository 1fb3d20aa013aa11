/** Writes what a group of moves decided: the money in one statement, then tasks and idempotency keys. */
import type pg from 'pg';
import type { AccountId } from '../../domain/ids.ts';
import { micros } from '../../domain/money.ts';
import { chainLink } from './chain.ts';
import type { Decision, NewEntry } from './move.ts';
import {
  accountJson,
  boundJson,
  canonicalEntry,
  endJson,
  entryJson,
  holdJson,
  type Json,
  keyJson,
  taskJson,
} from './rows.ts';
import { bindKeys, closeKeys, endTasks, insertTasks, writeMoney } from './statements.ts';
import type { LockedAccount, LockedKey, LockedTask } from './view.ts';

/** What a group has decided so far, as rows to be written. Applies each decision to the locked rows on the way. */
export class Writes {
  readonly #ledgerKey: Buffer;
  readonly #now: Date;
  readonly #accounts = new Map<AccountId, LockedAccount>();
  readonly #entries = new Map<AccountId, Json[]>();
  readonly #keys = new Map<string, LockedKey>();
  readonly #holds: Json[] = [];
  readonly #captured: string[] = [];
  readonly #released: string[] = [];
  readonly #tasks: Json[] = [];
  readonly #ended: Json[] = [];
  readonly #bound: Json[] = [];
  readonly #closedKeys: Json[] = [];
  #witness: { transferId: string; type: string } | undefined;

  constructor(now: Date, ledgerKey: Buffer) {
    this.#now = now;
    this.#ledgerKey = ledgerKey;
  }

  get isEmpty(): boolean {
    return [this.#accounts, this.#keys].every((map) => map.size === 0) && this.#ended.length === 0;
  }

  /** An entry that is there if and only if the whole group was committed. */
  get witness(): { transferId: string; type: string } | undefined {
    return this.#witness;
  }

  add(
    decision: Decision<unknown>,
    account: LockedAccount,
    key: LockedKey | undefined,
    task: LockedTask | undefined,
  ): void {
    for (const entry of decision.entries ?? []) this.#enter(entry, account);
    if (decision.inArrears !== undefined) {
      account.inArrears = decision.inArrears;
      this.#accounts.set(account.id, account);
    }
    if (decision.counters && key) {
      key.counters = decision.counters;
      this.#keys.set(key.id, key);
    }
    if (decision.newHold) this.#holds.push(holdJson(decision.newHold, account.id, this.#now));
    if (decision.closedHold) {
      const { transferId, state } = decision.closedHold;
      (state === 'captured' ? this.#captured : this.#released).push(transferId);
    }
    if (decision.newTask) this.#tasks.push(taskJson(decision.newTask, account.id, this.#now));
    if (decision.endedTask) {
      if (task) task.state = decision.endedTask.state;
      this.#ended.push(endJson(decision.endedTask, this.#now));
    }
    if (decision.closedKey) {
      this.#closedKeys.push({ transfer_id: decision.closedKey.transferId, answer: decision.closedKey.answer });
    }
    if (decision.boundKey) {
      this.#bound.push(boundJson(decision.boundKey, account.id));
    }
  }

  /** Sends everything and the commit at once; one round trip. Refuses, with nothing written, if a guard did not hold. */
  async commit(client: pg.PoolClient): Promise<void> {
    const entries = [...this.#accounts.values()].flatMap((account) => this.#chained(account));
    const statements = [
      client.query({
        ...writeMoney,
        values: [
          JSON.stringify([...this.#accounts.values()].map(accountJson)),
          JSON.stringify([...this.#keys.values()].map(keyJson)),
          JSON.stringify(this.#holds),
          this.#captured,
          JSON.stringify(entries),
          this.#now,
          this.#released,
        ],
      }),
    ];
    if (this.#tasks.length > 0) {
      statements.push(client.query({ ...insertTasks, values: [JSON.stringify(this.#tasks)] }));
    }
    if (this.#ended.length > 0) {
      statements.push(client.query({ ...endTasks, values: [JSON.stringify(this.#ended), this.#ended.length] }));
    }
    if (this.#bound.length > 0) {
      statements.push(
        client.query({ ...bindKeys, values: [JSON.stringify(this.#bound), this.#now, this.#bound.length] }),
      );
    }
    if (this.#closedKeys.length > 0) {
      statements.push(client.query({ ...closeKeys, values: [JSON.stringify(this.#closedKeys)] }));
    }
    const commit = client.query('commit');
    const answers = await Promise.allSettled([...statements, commit]);
    const failed = answers.find((answer) => answer.status === 'rejected');
    if (failed) throw failed.reason;
    if ((await commit).command !== 'COMMIT') throw new Error('the ledger transaction was rolled back');
  }

  #enter(entry: NewEntry, account: LockedAccount): void {
    account.available = micros(account.available + entry.legs.available);
    account.held = micros(account.held + entry.legs.held);
    account.seq += 1n;
    this.#witness ??= { transferId: entry.transferId, type: entry.type };
    const rows = this.#entries.get(account.id) ?? [];
    rows.push(entryJson(entry, account, this.#now));
    this.#entries.set(account.id, rows);
    this.#accounts.set(account.id, account);
  }

  /** The account's new entries, the last one carrying the chain's new head. */
  #chained(account: LockedAccount): Json[] {
    const rows = this.#entries.get(account.id) ?? [];
    const last = rows.at(-1);
    if (!last) return [];
    account.chain = chainLink(this.#ledgerKey, account.chain, rows.map(canonicalEntry));
    last['link'] = account.chain.toString('hex');
    return rows;
  }
}
