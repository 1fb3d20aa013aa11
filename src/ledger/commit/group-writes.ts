/** Writes what a group of moves decided: the money in one statement, then tasks and idempotency keys. */
import type pg from 'pg';
import * as z from 'zod';
import type { AccountId } from '../../domain/ids.ts';
import { beginsWindow, clockBackMs } from '../../domain/billing/admission.ts';
import { micros } from '../../domain/money.ts';
import { type NewAct, writeActs } from '../audit-log.ts';
import { inOneWrite } from '../../postgres/joined-writes.ts';
import { row } from '../../postgres/row.ts';
import { chainLink } from '../chain.ts';
import { noteBalance } from '../low-balance.ts';
import type { Effects, EndedTask, NewEntry, NewTask } from './ledger-operation.ts';
import { type EndedLine, endLines, sendLines, type SentLine } from './line-rows.ts';
import { boundJson, canonicalEntry, endJson, eventJson, type Json, taskJson } from './written-rows.ts';
import { bindKeys, closeKeys, endTasks, insertEvents, insertTasks } from './statements.ts';
import { type LockedAccount, type LockedKey, type LockedTask, type RowVersion, version } from './locked-rows.ts';
import type { Committed } from './ledger-watch.ts';
import { type HoldRow, type LinkedEntryRow, writeMoney } from './write-money.ts';

/** What the accounts and keys of a group have become, once it is durable. */
export interface Written {
  version: RowVersion;
  /** The database's clock. */
  now: Date;
}

/**
 * An entry that is there, with this link, if and only if the whole group was committed. Without the link it might be
 * another process's: two may close the same hold.
 */
export interface Witness {
  account: AccountId;
  transferId: string;
  type: string;
  link: Buffer;
}

/** What a group has decided so far, as rows to be written. Applies each decision to the rows on the way. */
export class Writes implements Committed {
  readonly newTasks: NewTask[] = [];
  readonly endedTasks: { task: LockedTask; end: EndedTask }[] = [];
  clockBackMs = 0;
  readonly #ledgerKey: Buffer;
  readonly #now: Date;
  readonly #accounts = new Map<AccountId, LockedAccount>();
  readonly #entries = new Map<AccountId, LinkedEntryRow[]>();
  readonly #keys = new Map<string, LockedKey>();
  readonly #holds: HoldRow[] = [];
  readonly #captured: string[] = [];
  readonly #released: string[] = [];
  readonly #tasks: Json[] = [];
  readonly #ended: Json[] = [];
  readonly #bound: Json[] = [];
  readonly #closedKeys: Json[] = [];
  readonly #sentLines: SentLine[] = [];
  readonly #endedLines: EndedLine[] = [];
  readonly #events: Json[] = [];
  readonly #acts: NewAct[] = [];
  #beginsWindow = false;
  #witness: Witness | undefined;

  constructor(now: Date, ledgerKey: Buffer) {
    this.#now = now;
    this.#ledgerKey = ledgerKey;
  }

  get isEmpty(): boolean {
    return (
      [this.#accounts, this.#keys].every((map) => map.size === 0) &&
      this.#ended.length === 0 &&
      this.#sentLines.length === 0
    );
  }

  get now(): Date {
    return this.#now;
  }

  *entries(): Iterable<NewEntry> {
    for (const rows of this.#entries.values()) for (const { entry } of rows) yield entry;
  }

  /** Known once the group was sent. */
  get witness(): Witness | undefined {
    return this.#witness;
  }

  add(
    decision: Effects<unknown>,
    account: LockedAccount,
    key: LockedKey | undefined,
    task: LockedTask | undefined,
  ): void {
    this.#enterAll(decision.entries ?? [], account);
    if (decision.inArrears !== undefined) {
      account.inArrears = decision.inArrears;
      this.#accounts.set(account.id, account);
    }
    if (decision.counters && key) {
      this.clockBackMs = Math.max(this.clockBackMs, clockBackMs(key.counters, decision.counters));
      this.#beginsWindow ||= beginsWindow(key.counters, decision.counters);
      key.counters = decision.counters;
      this.#keys.set(key.id, key);
    }
    if (decision.newHold) this.#holds.push({ ...decision.newHold, accountId: account.id });
    if (decision.closedHold) {
      const { transferId, state } = decision.closedHold;
      (state === 'captured' ? this.#captured : this.#released).push(transferId);
    }
    if (decision.newTask) {
      this.newTasks.push(decision.newTask);
      this.#tasks.push(taskJson(decision.newTask, account.id, this.#now, this.#ledgerKey));
    }
    if (decision.endedTask) {
      if (task) {
        task.state = decision.endedTask.state;
        this.endedTasks.push({ task, end: decision.endedTask });
      }
      this.#ended.push(endJson(decision.endedTask, this.#now, this.#ledgerKey));
    }
    if (decision.closedKey) {
      this.#closedKeys.push({ transfer_id: decision.closedKey.transferId, answer: decision.closedKey.answer });
    }
    if (decision.boundKey) {
      this.#bound.push(boundJson(decision.boundKey, account.id));
    }
    if (decision.sentLine) this.#sentLines.push(decision.sentLine);
    if (decision.endedLine) this.#endedLines.push(decision.endedLine);
    if (decision.newEvent) this.#events.push(eventJson(decision.newEvent, this.#now));
    if (decision.act) this.#acts.push(decision.act);
  }

  /** Has these rows written as they are, changed or not, so that the statement proves that they were what they seemed. */
  prove(accounts: Iterable<LockedAccount>, keys: Iterable<LockedKey>): void {
    for (const account of accounts) this.#accounts.set(account.id, account);
    for (const key of keys) this.#keys.set(key.id, key);
  }

  /**
   * Sends everything and the commit at once; one round trip. `isOpen` says whether a transaction is open already; a
   * statement alone needs none. Refuses, with nothing written, if a guard did not hold.
   */
  async commit(client: pg.PoolClient, { isOpen }: { isOpen: boolean }): Promise<Written> {
    const accounts = byId(this.#accounts.values());
    const rows = {
      accounts,
      keys: byId(this.#keys.values()),
      beginsWindow: this.#beginsWindow,
      holds: this.#holds,
      captured: this.#captured,
      released: this.#released,
      entries: accounts.flatMap((account) => this.#chained(account)),
      now: this.#now,
    };
    const money = writeMoney(rows, { isLocked: isOpen });
    const others = this.#others();
    if (this.#acts.length > 0) await writeActs(client, this.#ledgerKey, this.#acts);
    if (!isOpen && others.length === 0) return writtenOf((await client.query(money)).rows);
    const { begin, statements, commit } = inOneWrite(client, () => ({
      begin: isOpen ? [] : [client.query('begin')],
      statements: [client.query(money), ...others.map((statement) => client.query(statement))],
      commit: client.query('commit'),
    }));
    const answers = await Promise.allSettled([...begin, ...statements, commit]);
    const failed = answers.find((answer) => answer.status === 'rejected');
    if (failed) throw failed.reason;
    if ((await commit).command !== 'COMMIT') throw new Error('the ledger transaction was rolled back');
    return writtenOf((await statements[0])?.rows);
  }

  #others(): pg.QueryConfig[] {
    const statements: pg.QueryConfig[] = [];
    if (this.#tasks.length > 0) statements.push({ ...insertTasks, values: [JSON.stringify(this.#tasks)] });
    if (this.#ended.length > 0) {
      statements.push({ ...endTasks(this.#ended.length), values: [JSON.stringify(this.#ended), this.#ended.length] });
    }
    if (this.#bound.length > 0) {
      statements.push({ ...bindKeys, values: [JSON.stringify(this.#bound), this.#now, this.#bound.length] });
    }
    if (this.#closedKeys.length > 0) statements.push({ ...closeKeys, values: [JSON.stringify(this.#closedKeys)] });
    if (this.#sentLines.length > 0) statements.push(sendLines(this.#sentLines));
    if (this.#endedLines.length > 0) statements.push(endLines(this.#endedLines, this.#now));
    if (this.#events.length > 0) statements.push({ ...insertEvents, values: [JSON.stringify(this.#events)] });
    return statements;
  }

  #enterAll(entries: readonly NewEntry[], account: LockedAccount): void {
    if (entries.length === 0) return;
    for (const entry of entries) this.#enter(entry, account);
    // Only now: what a capture leaves held is given back by the entry that follows.
    const event = noteBalance(account);
    if (event) this.#events.push(eventJson(event, this.#now));
  }

  #enter(entry: NewEntry, account: LockedAccount): void {
    account.available = micros(account.available + entry.legs.available);
    account.held = micros(account.held + entry.legs.held);
    account.seq += 1n;
    const rows = this.#entries.get(account.id) ?? [];
    rows.push({
      accountId: account.id,
      seq: account.seq,
      createdAt: this.#now,
      entry,
      availableAfter: account.available,
      heldAfter: account.held,
      link: undefined,
    });
    this.#entries.set(account.id, rows);
    this.#accounts.set(account.id, account);
  }

  /** The account's new entries, the last one carrying the chain's new head. */
  #chained(account: LockedAccount): LinkedEntryRow[] {
    const rows = this.#entries.get(account.id) ?? [];
    const last = rows.at(-1);
    if (!last) return [];
    account.chain = chainLink(this.#ledgerKey, account.chain, rows.map(canonicalEntry));
    last.link = account.chain;
    const { subject, type } = last.entry;
    this.#witness ??= { account: account.id, transferId: subject.transferId, type, link: last.link };
    return rows;
  }
}

/** As rows are locked everywhere, so that two groups never wait for each other. */
const byId = <Row extends { id: string }>(rows: Iterable<Row>): Row[] =>
  [...rows].sort((a, b) => (a.id < b.id ? -1 : 1));

const writtenRow = row({ version, now: z.date() });
const writtenOf = (rows: readonly unknown[] | undefined): Written => writtenRow.parse(rows?.[0]);
