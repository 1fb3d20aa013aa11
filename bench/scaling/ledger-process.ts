/** An API's ledger in a process of its own, forked: carries out orders, and reports what it measured. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { AccountId, KeyId } from '../../src/domain/ids.ts';
import { type Database, openDatabase } from '../../src/postgres/database.ts';
import { CallLedger } from '../../src/ledger/call-ledger.ts';
import { GroupCommitter } from '../../src/ledger/commit/group-commit.ts';
import { Ledger } from '../../src/ledger/ledger.ts';
import { trustedMsMax } from '../../src/ledger/commit/row-cache.ts';
import { median } from '../statistics.ts';
import { chanceOf, waitOf } from './event-queue.ts';
import { type Calibrated, type Called, type Order, orderSchema } from './messages.ts';
import { listen } from './listen.ts';
import { admittedCall, admittedTask, settledCall, settledTask } from './moves.ts';

type OrderOf<Name extends Order['order']> = Extract<Order, { order: Name }>;

interface Tools {
  database: Database;
  ledgerKey: Buffer;
  account: AccountId;
  keys: readonly KeyId[];
  owner: string;
}

const bookedAtOnce = 64;

process.once('message', (message) => void carryOut(orderSchema.parse(message)));

async function carryOut(order: Order): Promise<void> {
  const database = openDatabase(order.databaseUrl, { onIdleError: () => undefined });
  const owner = randomUUID();
  await database.pool.query(`insert into owners (id, expires_at) values ($1, now() + interval '1 day')`, [owner]);
  const tools: Tools = {
    ...{ database, owner, ledgerKey: Buffer.from(order.ledgerKey, 'hex') },
    account: order.account as AccountId,
    keys: order.keys.map((key) => key as KeyId),
  };
  const answer =
    order.order === 'calibrate'
      ? await calibrate(tools, order)
      : order.order === 'call'
        ? await call(tools, order)
        : order.order === 'book'
          ? await book(tools, order)
          : await listen(order);
  await database.close();
  process.send?.(answer, () => process.disconnect());
}

async function calibrate(tools: Tools, { sizes, rounds }: OrderOf<'calibrate'>): Promise<Calibrated> {
  const { database, ledgerKey } = tools;
  const groups = new GroupCommitter(database, ledgerKey);
  const timed = async (size: number, ledger: () => CallLedger) => {
    const times: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const calls = ledger();
      const startedAt = performance.now();
      const holds = await Promise.all(Array.from({ length: size }, () => admittedCall(calls, tools)));
      times.push(performance.now() - startedAt);
      // As a group of its own, not measured: as many moves of the other kind cost about the same.
      await Promise.all(holds.map((hold) => settledCall(calls, hold)));
    }
    return median(times);
  };
  const known: number[] = [];
  const locked: number[] = [];
  for (const size of sizes) {
    known.push(await timed(size, () => new CallLedger(groups)));
    // A ledger that has committed nothing yet knows no rows, and so locks them.
    locked.push(await timed(size, () => new CallLedger(new GroupCommitter(database, ledgerKey))));
  }
  const statement = async (text: string) => {
    const times: number[] = [];
    for (let round = 0; round < 10 * rounds; round++) {
      const startedAt = performance.now();
      await database.pool.query({ name: text.slice(0, 30), text });
      times.push(performance.now() - startedAt);
    }
    return median(times);
  };
  const roundTripMs = await statement('select 1');
  const flushMs = (await statement(`select pg_logical_emit_message(true, 'bench', 'x')`)) - roundTripMs;
  return { known, locked, roundTripMs, flushMs };
}

async function call(tools: Tools, order: OrderOf<'call'>): Promise<Called> {
  const { callsPerSecond, callMs, warmUpMs, seconds, seed } = order;
  const count = { groups: 0, moves: 0 };
  let isCounting = false;
  const watch = {
    committed: () => undefined,
    failed: () => undefined,
    took: (moves: number) => {
      if (!isCounting) return;
      count.groups++;
      count.moves += moves;
    },
  };
  const groups = new GroupCommitter(tools.database, tools.ledgerKey, trustedMsMax, watch);
  const calls = new CallLedger(groups);
  const [arrivals, lengths] = [chanceOf(seed), chanceOf(seed + 1)];
  const heldMs: number[] = [];
  let refused = 0;
  const under = new Set<Promise<void>>();
  const one = async () => {
    const isCounted = isCounting;
    const startedAt = performance.now();
    try {
      const hold = await admittedCall(calls, tools);
      if (isCounted) heldMs.push(performance.now() - startedAt);
      await pause(waitOf(lengths, callMs));
      await settledCall(calls, hold);
    } catch {
      if (isCounted) refused++;
    }
  };
  const startedAt = performance.now();
  const endMs = warmUpMs + seconds * 1_000;
  for (let dueMs = waitOf(arrivals, 1_000 / callsPerSecond); dueMs < endMs;) {
    const sinceMs = performance.now() - startedAt;
    isCounting = sinceMs >= warmUpMs;
    if (sinceMs < dueMs) await pause(dueMs - sinceMs);
    const running = one().finally(() => under.delete(running));
    under.add(running);
    dueMs += waitOf(arrivals, 1_000 / callsPerSecond);
  }
  isCounting = false;
  await Promise.all(under);
  return { heldMs, refused, ...count };
}

async function book(tools: Tools, { calls: callCount, tasks }: OrderOf<'book'>): Promise<{ booked: true }> {
  const groups = new GroupCommitter(tools.database, tools.ledgerKey);
  const calls = new CallLedger(groups);
  const ledger = new Ledger(groups);
  const works = [
    ...Array.from({ length: callCount }, () => async () => settledCall(calls, await admittedCall(calls, tools))),
    ...Array.from({ length: tasks }, () => async () => settledTask(ledger, await admittedTask(ledger, tools))),
  ];
  const worker = async () => {
    for (let work = works.pop(); work; work = works.pop()) await work();
  };
  await Promise.all(Array.from({ length: bookedAtOnce }, worker));
  return { booked: true };
}
