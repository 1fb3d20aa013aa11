/**
 * Eight processes take random sequences over the same few accounts, and any of them may be killed and any connection cut
 * at any moment. Their ledger is looked at while they go on, and to the last row when they rest.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { compileTests } from '../../scripts/compile-tests.mjs';
import type { KeyLimits } from '../../src/domain/accounts/key-rules.ts';
import { micros } from '../../src/domain/money.ts';
import { createApiKey, noLimits } from '../../src/accounts/api-keys.ts';
import type { Database } from '../../src/postgres/database.ts';
import { Ledger } from '../../src/ledger/ledger.ts';
import { CallLedger } from '../../src/ledger/call-ledger.ts';
import { GroupCommitter } from '../../src/ledger/commit/group-commit.ts';
import { freshDatabase } from './database.ts';
import type { Report, Sequence } from './ledger-child.ts';
import { assertSnapshotAddsUp } from './ledger-snapshot.ts';
import { arbitraryStep, type Step, type Reported } from './ledger-steps.ts';
import {
  administrator,
  assertLedgerAddsUp,
  type Customer,
  failureOf,
  ledgerKey,
  newCustomer,
  successOf,
} from './money.ts';
import { until } from './process.ts';
import { generator } from './random.ts';

export interface Drill {
  seed: number;
  sequences: number;
  /** After about so many sequences each. */
  killEvery: number;
  cutEvery: number;
  lookEvery: number;
}

const childFile = join(import.meta.dirname, 'ledger-child.ts');
const processes = 8;
/** Sequences of one process that go on at once. */
const lanes = 3;
/** Then other accounts are taken. */
const roundSequences = 100;
const opening = 1500n;

/** Runs the drill, and answers what happened how often. */
export async function drillLedger(drill: Drill): Promise<Record<string, number>> {
  const made = await freshDatabase();
  // Each process that is killed has a successor: made by a loader of TypeScript, these took half of the drill's time.
  const codeFolder = await mkdtemp(join(tmpdir(), 'tollgate-drill-'));
  const childCode = (await compileTests([childFile], codeFolder))(childFile);
  const crew = new Crew({ url: made.url, childCode }, made.database, drill);
  try {
    const all = fc.sample(fc.array(arbitraryStep, { minLength: 4, maxLength: 12, size: 'max' }), {
      seed: drill.seed,
      numRuns: drill.sequences,
    });
    for (let first = 0; first < all.length; first += roundSequences) {
      await crew.round(all.slice(first, first + roundSequences));
    }
    const { rows } = await made.database.pool.query<{ deadlocks: bigint }>(
      'select deadlocks from pg_stat_database where datname = current_database()',
    );
    assert.equal(rows[0]?.deadlocks, 0n, 'all lock in the same order');
    return crew.counts;
  } finally {
    await crew.end();
    await made.drop();
    await rm(codeFolder, { recursive: true });
  }
}

interface Child {
  process: ChildProcess;
  name: string;
  under_way: Map<number, Sequence>;
}

class Crew {
  readonly counts: Record<string, number> = { sequences: 0, killed: 0, cut: 0, looked: 0 };
  readonly #place: { url: string; childCode: string };
  readonly #database: Database;
  readonly #drill: Drill;
  readonly #random: () => number;
  readonly #groups: GroupCommitter;
  readonly #children = new Set<Child>();
  #forked = 0;
  #waiting: Sequence[] = [];
  #reported: Reported[] = [];
  #accounts: string[] = [];
  #left = 0;
  #isOver = () => {};
  #hasFailed: (failure: Error) => void = () => {};
  #disturbing: Promise<void> = Promise.resolve();

  constructor(place: { url: string; childCode: string }, database: Database, drill: Drill) {
    this.#place = place;
    this.#database = database;
    this.#drill = drill;
    this.#random = generator(drill.seed);
    this.#groups = new GroupCommitter(database, ledgerKey);
  }

  /** All of these over accounts of their own, then a rest, and a look at everything. */
  async round(all: readonly (readonly Step[])[]): Promise<void> {
    const customers = await this.#newCustomers();
    this.#accounts = [...new Set(customers.map(({ account }) => account))];
    this.#reported = [];
    const poor = await newCustomer(this.#database, new Ledger(this.#groups), 105n);
    await this.#takeAll(
      Array.from({ length: processes * lanes }, () => ({ customers: [poor], steps: [tenOf, tenOf, tenOf] })),
    );
    await this.#assertTenHeld(poor);
    await this.#takeAll(all.map((steps) => ({ customers, steps })));
    this.counts['sequences'] = (this.counts['sequences'] ?? 0) + all.length;
    await this.#rest();
    this.#accounts.push(poor.account);
    await this.#closeAll();
    await assertSnapshotAddsUp(this.#database, this.#accounts);
    await assertLedgerAddsUp(this.#database, ledgerKey, this.#accounts);
    await assertReportsAreTrue(this.#database, this.#accounts, this.#reported);
  }

  async end(): Promise<void> {
    this.#hasFailed = () => {};
    const children = [...this.#children];
    this.#children.clear();
    for (const { process } of children) process.kill('SIGKILL');
    await Promise.all(
      children.map(async ({ process }) => {
        if (process.exitCode === null && process.signalCode === null) await once(process, 'exit');
      }),
    );
    await this.#disturbing.catch(() => undefined);
  }

  /** Two accounts with two keys each, the second with limits. */
  async #newCustomers(): Promise<Customer[]> {
    const ledger = new Ledger(this.#groups);
    const limits = {
      callLimits: [
        { calls: 60, per: 'minute' as const },
        { calls: 70, per: 'total' as const },
      ],
      spendLimit: { amount: micros(1200n), per: 'day' as const },
      maxRunningTasks: 4,
    };
    const pairs = [0, 1].map(async () => {
      const who = await newCustomer(this.#database, ledger, opening);
      return [who, await withKey(this.#database, who, limits)];
    });
    return (await Promise.all(pairs)).flat();
  }

  async #takeAll(sequences: readonly Omit<Sequence, 'id'>[]): Promise<void> {
    this.#waiting = sequences.map((sequence, id) => ({ ...sequence, id }));
    this.#left = sequences.length;
    await new Promise<void>((resolve, reject) => {
      this.#isOver = resolve;
      this.#hasFailed = reject;
      while (this.#children.size < processes) this.#fork();
      for (const child of this.#children) this.#feed(child);
    });
    await this.#disturbing;
  }

  #fork(): void {
    const name = `tollgate-drill-${this.#forked++}`;
    const url = new URL(this.#place.url);
    url.searchParams.set('application_name', name);
    const process = fork(this.#place.childCode, [url.href]);
    const child: Child = { process, name, under_way: new Map() };
    this.#children.add(child);
    process.on('message', (report: Report) => this.#hear(child, report));
    process.on('exit', (code) => {
      if (!this.#children.delete(child)) return;
      if (code !== null) this.#hasFailed(new Error(`a process ended by itself with ${code}`));
      // The callers of the process that was killed ask another one, with the same idempotency keys.
      this.#waiting.unshift(...child.under_way.values());
      this.#fork();
    });
  }

  #hear(child: Child, { id, reported, failure }: Report): void {
    if (failure !== undefined) this.#hasFailed(new Error(failure));
    this.#reported.push(...reported);
    for (const { that, code = that } of reported) this.counts[code] = (this.counts[code] ?? 0) + 1;
    if (id !== undefined && child.under_way.delete(id)) {
      this.#left -= 1;
      if (this.#left === 0) this.#isOver();
      else this.#disturb();
    }
    this.#feed(child, id === undefined ? lanes : 1);
  }

  #feed(child: Child, count = lanes): void {
    // A child that is not ready yet gets them when it is: its channel keeps them. One that was killed may be heard of first
    // by its channel; what it had, and what can't be sent any more, goes to others when its end is heard.
    for (let given = 0; given < count && child.under_way.size < lanes; given++) {
      if (!child.process.connected) return;
      const sequence = this.#waiting.shift();
      if (!sequence) return;
      child.under_way.set(sequence.id, sequence);
      child.process.send(sequence, () => undefined);
    }
  }

  /** Now and then, one at a time: a process is killed, a connection is cut, the ledger is looked at. */
  #disturb(): void {
    const { killEvery, cutEvery, lookEvery } = this.#drill;
    const [kill, cut, look, which] = [this.#random(), this.#random(), this.#random(), this.#random()];
    if (kill < 1 / killEvery) {
      const child = [...this.#children][Math.floor(which * this.#children.size)];
      child?.process.kill('SIGKILL');
      this.#count('killed');
    }
    if (cut < 1 / cutEvery) this.#also(() => this.#cut(which));
    if (look < 1 / lookEvery) this.#also(() => this.#look());
  }

  #also(work: () => Promise<void>): void {
    this.#disturbing = this.#disturbing.then(work);
    this.#disturbing.catch((error: unknown) => this.#hasFailed(error as Error));
  }

  /** A connection that is in the middle of something, if there is one. */
  async #cut(which: number): Promise<void> {
    const { rows } = await this.#database.pool.query<{ pid: number }>(
      `select pid from pg_stat_activity where application_name like 'tollgate-drill-%' and datname = current_database()
       order by state = 'idle', pid`,
    );
    const busy = rows[Math.floor(which * Math.min(rows.length, processes))];
    if (!busy) return;
    await this.#database.pool.query('select pg_terminate_backend($1)', [busy.pid]);
    this.#count('cut');
  }

  async #look(): Promise<void> {
    await assertSnapshotAddsUp(this.#database, this.#accounts);
    this.#count('looked');
  }

  /** Money for ten admits exactly ten; besides, what was given back of a process that died may be held again. */
  async #assertTenHeld({ account, key }: Customer): Promise<void> {
    const { rows } = await this.#database.pool.query<{ admitted: bigint }>(
      `select calls_total - (select count(*) from holds where account_id = $1 and state = 'released') as admitted
       from api_keys where id = $2`,
      [account, key],
    );
    assert.equal(rows[0]?.admitted, 10n, 'money for ten admits exactly ten of many at once');
  }

  /** Until no connection of a killed process is left: what it had sent may still be committed. */
  async #rest(): Promise<void> {
    const living = [...this.#children].map(({ name }) => name);
    await until('the end of what killed processes had begun', async () => {
      const { rowCount } = await this.#database.pool.query(
        `select 1 from pg_stat_activity where application_name like 'tollgate-drill-%' and datname = current_database()
         and application_name <> all($1::text[])`,
        [living],
      );
      return rowCount === 0 ? true : undefined;
    });
  }

  /** Ends what is still open: tasks as a worker would, calls as the sweep does. */
  async #closeAll(): Promise<void> {
    const [ledger, calls] = [new Ledger(this.#groups), new CallLedger(this.#groups)];
    const { rows: tasks } = await this.#database.pool.query(
      `select account_id as account, key_id as key, id as task, hold_amount as amount from tasks
       where account_id = any($1::text[]) and finished_at is null`,
      [this.#accounts],
    );
    const { rows: holds } = await this.#database.pool.query(
      `select account_id as account, key_id as key, transfer_id as "transferId", amount, created_at as "admittedAt",
         (select seq from entries e where e.transfer_id = h.transfer_id and e.type = 'hold') as seq,
         subject as "requestId", 'sim-chat' as model, true as "isKeyed" from holds h
       where account_id = any($1::text[]) and state = 'held' and owner is not null`,
      [this.#accounts],
    );
    await Promise.all([
      ...tasks.map((found, index) =>
        index % 2 === 0
          ? ledger.settleTask(successOf(found, found.task, found.amount))
          : ledger.releaseTask(failureOf(found, found.task)),
      ),
      ...holds.map((hold) => calls.release(hold, 'owner_lost')),
    ]);
    const { rows: open } = await this.#database.pool.query(
      'select id, held from accounts where id = any($1::text[]) and held <> 0',
      [this.#accounts],
    );
    assert.deepEqual(open, [], 'nothing is held when everything has ended');
  }

  #count(what: string): void {
    this.counts[what] = (this.counts[what] ?? 0) + 1;
  }
}

const tenOf: Step = { move: 'admitCall', who: 0, amount: 10, nth: 0, idempotencyKey: null };

async function withKey(database: Database, { account }: Customer, limits: Partial<KeyLimits>): Promise<Customer> {
  const wanted = { ...noLimits, ...limits, name: 'limited', level: 'standard' as const };
  return { account, key: (await createApiKey(administrator(database), account, wanted)).key.id };
}

/** What was reported is in the ledger, whatever died afterwards; and no end was reported twice. */
async function assertReportsAreTrue(
  database: Database,
  accounts: readonly string[],
  reported: readonly Reported[],
): Promise<void> {
  const { rows } = await database.pool.query<{ id: string; state: string; amount: bigint; charged: bigint | null }>(
    `select coalesce(t.id, h.transfer_id::text) as id, coalesce(t.state, h.state) as state, h.amount, c.d_revenue as charged
     from holds h left join tasks t on t.transfer_id = h.transfer_id
     left join entries c on c.transfer_id = h.transfer_id and c.type = 'capture' where h.account_id = any($1::text[])`,
    [accounts],
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  const ends = new Set<string>();
  for (const { that, id, amount } of reported) {
    const row = byId.get(id);
    if (that.endsWith('admitted')) assert.equal(row?.amount, BigInt(amount), `${that}: ${id} holds ${amount}`);
    if (that === 'call charged') assert.equal(row?.charged, BigInt(amount), `${id} was charged ${amount}`);
    const [, state] = /^task (succeeded|failed|cancelled)$/.exec(that) ?? [];
    if (state !== undefined) assert.equal(row?.state, state, `${id} is ${state}`);
    if (state === undefined && that !== 'call charged') continue;
    assert.ok(!ends.has(id), `${id} ended once`);
    ends.add(id);
  }
  for (const account of accounts) {
    const credited = reported.filter((one) => one.that === 'credited' && one.account === account);
    const { rows: sums } = await database.pool.query<{ credited: bigint }>(
      `select coalesce(sum(d_available), 0)::bigint as credited from entries where account_id = $1 and type = 'credit'`,
      [account],
    );
    const least = credited.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
    assert.ok((sums[0]?.credited ?? 0n) >= least, 'every credit that was reported is there');
  }
}
