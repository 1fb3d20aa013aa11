/** Leases: the holds of a process that died come back with the reason, those of a process that lives stay. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { after, before, test } from 'node:test';
import { type Database, openDatabase } from '../../src/postgres/database.ts';
import { type CallHold, CallLedger } from '../../src/ledger/call-ledger.ts';
import { GroupCommitter } from '../../src/ledger/commit/group-commit.ts';
import { type LeaseTimes, Owner } from '../../src/ledger/sweep.ts';
import { openedBefore } from '../support/aged-database.ts';
import { admittedCall, callPrice, entriesOf } from '../support/calls.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';
import { openLine } from '../support/line.ts';
import { until } from '../support/process.ts';
import { assertLedgerAddsUp, ledgerKey, newCustomer, newLedger, stateOf } from '../support/money.ts';

let made: TestDatabase;
let calls: CallLedger;
before(async () => {
  made = await freshDatabase();
  calls = new CallLedger(new GroupCommitter(made.database, ledgerKey));
});
after(() => made.drop());

/** A lease of a second, and a sweep as soon as it may be. */
const quick: LeaseTimes = { renewalMs: 100, leaseSeconds: 1, admitsMsMax: 500, streamsMsMax: 800, sweepEveryMs: 50 };
const slow: LeaseTimes = { ...quick, renewalMs: 60_000, sweepEveryMs: 60_000 };
const customer = () => newCustomer(made.database, newLedger(made.database), 1000n);

async function openOwner(
  times: LeaseTimes = quick,
  database: Database = made.database,
): Promise<{ owner: Owner; swept: CallHold[]; news: EventEmitter }> {
  const swept: CallHold[] = [];
  const news = new EventEmitter();
  const owner = new Owner({
    ...{ database, calls, times },
    onError: (error) => news.emit('error', error),
    onSwept: (hold) => {
      swept.push(hold);
      news.emit('swept');
    },
  });
  await owner.open();
  return { owner, swept, news };
}

test('the holds of dead owners are released with the reason, and a late settlement is a write-off', async () => {
  const who = await customer();
  const living = await openOwner();
  const own = await admittedCall(calls, who, 10n, living.owner.id);
  const neverSeen = await admittedCall(calls, who, 20n, randomUUID());
  const expired = randomUUID();
  await made.database.pool.query(`insert into owners (id, expires_at) values ($1, now() - interval '1 second')`, [
    expired,
  ]);
  const ofExpired = await admittedCall(calls, who, 30n, expired);
  while (living.swept.length < 2) await once(living.news, 'swept');
  assert.deepEqual(living.swept.map(({ amount }) => amount).sort(), [20n, 30n]);
  const { available, held } = await stateOf(made.database, who);
  assert.deepEqual([available, held], [990n, 10n]);
  const { rows } = await made.database.pool.query<{ reason: string; request_id: string; model: string }>(
    `select reason, request_id, model from entries where account_id = $1 and type = 'release' order by d_available`,
    [who.account],
  );
  assert.deepEqual(
    rows.map((row) => ({ ...row })),
    [neverSeen, ofExpired].map(({ requestId, model }) => ({ reason: 'owner_lost', request_id: requestId, model })),
  );
  assert.equal(await calls.settle(ofExpired, callPrice(25n)), 0n);
  assert.equal(await calls.settle(own, callPrice(4n)), 4n);
  assert.deepEqual((await entriesOf(made.database, who)).slice(-3), ['write_off', 'capture', 'release']);
  assert.equal((await stateOf(made.database, who)).in_arrears, false);
  await living.owner.close();
});

test('an owner whose own lease has run out by the database’s clock judges no holds, its own least of all', async (t) => {
  const who = await customer();
  const database = openDatabase(made.url, { onIdleError: () => undefined });
  const asked = t.mock.method(database.pool, 'query');
  // It renews nothing for a minute, and believes in its lease for as long.
  const { owner, swept } = await openOwner({ ...slow, sweepEveryMs: 50 }, database);
  const own = await admittedCall(calls, who, 10n, owner.id);
  const sweeps = () => asked.mock.calls.filter(({ arguments: [text] }) => text.includes('from holds h')).length;
  await until('its lease to run out', async () => {
    const { rowCount } = await made.database.pool.query(
      'select 1 from owners where id = $1 and expires_at <= clock_timestamp()',
      [owner.id],
    );
    return rowCount === 1 ? true : undefined;
  });
  // Not sooner: from a second after it asked for its lease it may judge until that has run out, which is later if it waited.
  const ofDead = await admittedCall(calls, who, 20n, randomUUID());
  const before = sweeps();
  await until('two more looks for holds', () => (sweeps() >= before + 2 ? true : undefined));
  assert.deepEqual(swept, []);
  assert.equal((await stateOf(made.database, who)).held, 30n);
  await owner.close();
  await database.close();
  assert.equal(await calls.settle(own, callPrice(10n)), 10n);
  assert.equal(await calls.settle(ofDead, callPrice(20n)), 20n);
});

test('renewals that had to wait for the database together take one lease', async () => {
  const before = await countOwners();
  const { owner, news } = await openOwner(quick);
  news.on('error', () => undefined);
  const client = await made.database.pool.connect();
  try {
    await client.query('begin');
    await client.query('lock table owners');
    await client.query('delete from owners where id = $1', [owner.id]);
    const { lost } = owner;
    if (!lost.aborted) await once(lost, 'abort'); // so long nothing was renewed, and eight renewals were due
    await client.query('commit');
  } finally {
    client.release();
  }
  await until('another lease', () => (owner.mayAdmit ? true : undefined));
  await until('a renewal of it', async () => {
    const { rows } = await made.database.pool.query<{ ours: number }>(
      'select count(*)::int as ours from owners where id = $1 and expires_at > clock_timestamp()',
      [owner.id],
    );
    return rows[0]?.ours === 1 ? true : undefined;
  });
  assert.equal(await countOwners(), before + 1);
  await owner.close();
});

for (const [name, behind] of [
  ['back', '1 hour'],
  ['forward', '-1 hour'],
] as const) {
  test(`a clock that jumps ${name} is reported once, and no lease is judged by it for the length of one`, async () => {
    const own = await freshDatabase();
    const database = await openedBefore(own, '0 seconds');
    const jumps: { ms: number; atMs: number }[] = [];
    const news = new EventEmitter();
    const ledger = new CallLedger(new GroupCommitter(own.database, ledgerKey));
    const owner = new Owner({
      ...{ database, calls: ledger, times: quick },
      onError: (error) => news.emit('error', error),
      onSwept: () => news.emit('swept', performance.now()),
      onClockJump: (ms) => {
        jumps.push({ ms, atMs: performance.now() });
        news.emit('jumped');
      },
    });
    await owner.open();
    const who = await newCustomer(own.database, newLedger(own.database), 1000n);
    await admittedCall(ledger, who, 10n, randomUUID());
    await once(news, 'swept'); // its lease is old enough to judge others
    const jumped = once(news, 'jumped');
    const other = await openedBefore(own, behind);
    await jumped;
    await admittedCall(ledger, who, 20n, randomUUID());
    const [sweptAtMs] = (await once(news, 'swept')) as [number];
    const [jump, ...more] = jumps;
    assert.ok(jump);
    assert.deepEqual(more, []);
    assert.ok(sweptAtMs - jump.atMs >= quick.leaseSeconds * 1000, `${sweptAtMs - jump.atMs} ms after the jump`);
    assert.ok(Math.abs(jump.ms) > 3_000_000 && jump.ms < 0 === (name === 'back'), `${jump.ms} ms`);
    await owner.close();
    await Promise.all([database.close(), other.close()]);
    await own.drop();
  });
}

const countOwners = async (): Promise<number> =>
  (await made.database.pool.query<{ count: number }>('select count(*)::int as count from owners')).rows[0]?.count ?? 0;

test('an owner whose row is gone ends what is under way, and goes on under another lease', async () => {
  const { owner } = await openOwner();
  const { id, lost } = owner;
  assert.ok(owner.mayAdmit);
  await made.database.pool.query('delete from owners where id = $1', [id]);
  await once(lost, 'abort');
  while (owner.lost === lost) await new Promise((resolve) => setTimeout(resolve, 10));
  assert.deepEqual([owner.id === id, owner.mayAdmit, owner.lost.aborted], [false, true, false]);
  await owner.close();
});

test('an owner that the database does not answer ends what is under way, and takes calls again when it does', async () => {
  const silence = { isAway: false };
  const pool = new Proxy(made.database.pool, {
    get: (target, name) => {
      if (name === 'query' && silence.isAway) return () => new Promise(() => undefined);
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
  // A lease that outlives the silence, so that the same one goes on.
  const { owner } = await openOwner({ ...quick, leaseSeconds: 60 }, { ...made.database, pool });
  const { id, lost } = owner;
  silence.isAway = true;
  await once(lost, 'abort');
  assert.equal(owner.mayAdmit, false);
  silence.isAway = false;
  while (owner.lost === lost) await new Promise((resolve) => setTimeout(resolve, 10));
  assert.deepEqual([owner.id, owner.lost.aborted], [id, false]);
  await owner.close();
});

test('an owner with a young lease judges no other owner', async () => {
  const who = await customer();
  const { owner, swept } = await openOwner({ ...quick, leaseSeconds: 60, sweepEveryMs: 10 });
  const hold = await admittedCall(calls, who, 20n, randomUUID());
  await new Promise((resolve) => setTimeout(resolve, 200));
  assert.deepEqual(swept, []);
  await calls.release(hold, 'upstream_error');
  await owner.close();
});

test('an owner that closes gives its lease up', async () => {
  const { owner } = await openOwner();
  await owner.close();
  const { rowCount } = await made.database.pool.query('select 1 from owners where id = $1', [owner.id]);
  assert.equal(rowCount, 0);
});

test('an owner closes without the database, where its lease runs out by itself', async () => {
  const line = await openLine(made.url);
  const cut = openDatabase(line.url, { onIdleError: () => undefined });
  const { owner, news } = await openOwner(slow, cut);
  const errors: unknown[] = [];
  news.on('error', (error) => errors.push(error));
  await line.cut();
  await owner.close();
  assert.equal(errors.length, 1);
  await cut.close();
  await line.close();
});

test('the ledger adds up', () => assertLedgerAddsUp(made.database));
