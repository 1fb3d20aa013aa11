/** The create rate of a provider: slots that no two processes share and that no second has too many of. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Database, openDatabase } from '../../src/postgres/database.ts';
import { type SlotAnswer, takeSlot } from '../../src/tasks/provider-calls/provider-slots.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';

let db: TestDatabase;
let second: Database;
before(async () => {
  db = await freshDatabase();
  second = openDatabase(db.url, { onIdleError: () => undefined });
});
after(async () => {
  await second.close();
  await db.drop();
});

type Taken = Extract<SlotAnswer, { taken: true }>;
const isTaken = (answer: SlotAnswer): answer is Taken => answer.taken;

/** Takes slots until the next one is too far away, from two pools at once; their times in milliseconds, in order. */
async function takeAll(provider: string, rate: number): Promise<{ times: number[]; refusals: number }> {
  const answers: SlotAnswer[] = [];
  const taker = async (database: Database) => {
    for (let answer: SlotAnswer | undefined; answer?.taken !== false && answers.length < 250;) {
      answer = await takeSlot(database, provider, rate);
      answers.push(answer);
    }
  };
  await Promise.all([db.database, second].flatMap((database) => Array.from({ length: 8 }, () => taker(database))));
  const times = answers.filter(isTaken).map(({ at }) => at.getTime());
  return { times: times.sort((a, b) => a - b), refusals: answers.filter((answer) => !answer.taken).length };
}

/** The most of these times within less than a second of each other. */
const mostInASecond = (times: readonly number[], window = 1000): number =>
  Math.max(...times.map((first) => times.filter((time) => time >= first && time < first + window).length));

for (const rate of [1, 2.5, 5, 12, 200]) {
  test(`many takers of ${rate} slots a second get no more than that in any second, even if one is 80 ms late`, async () => {
    const { times } = await takeAll(`p${rate}`, rate);
    assert.ok(times.length >= 8);
    assert.equal(new Set(times).size, times.length);
    assert.ok(mostInASecond(times, 1080) <= Math.floor(rate));
  });
}

test('at a slot every two seconds only one goes in any two', async () => {
  const { times, refusals } = await takeAll('rare', 0.5);
  assert.equal(mostInASecond(times, 2000), 1);
  assert.ok(times.length === 5 && refusals > 0);
});

test('a slot more than ten seconds away is left to others, and says how far it is', async () => {
  assert.ok((await takeSlot(db.database, 'seldom', 0.05)).taken);
  for (const database of [db.database, second]) {
    const answer = await takeSlot(database, 'seldom', 0.05);
    assert.ok(!answer.taken && answer.awayMs > 20_000 && answer.awayMs <= 24_000);
  }
  const { rows } = await db.database.pool.query<{ near: boolean }>(
    `select next_slot_at < clock_timestamp() + interval '24 seconds' as near from provider_rates where provider = 'seldom'`,
  );
  assert.equal(rows[0]?.near, true);
});

test('who has less time takes a nearer slot only', async () => {
  for (let slots = 0; slots < 3; slots++) assert.ok((await takeSlot(db.database, 'hurried', 0.5, 5_000)).taken);
  assert.equal((await takeSlot(db.database, 'hurried', 0.5, 2_000)).taken, false);
  assert.equal((await takeSlot(db.database, 'hurried', 0.5)).taken, true);
});

test('a slot may be used from its time on, and is missed 80 ms later or sooner', async () => {
  await takeSlot(db.database, 'one', 2);
  const askedAt = performance.now();
  const slot = await takeSlot(db.database, 'one', 2);
  assert.ok(isTaken(slot));
  assert.ok(slot.from > askedAt && slot.from <= performance.now() + 650);
  assert.ok(slot.until - slot.from <= 80);
});

test('slots that no create took are not made up for', async () => {
  await takeSlot(db.database, 'idle', 10);
  await db.database.pool.query(
    `update provider_rates set next_slot_at = clock_timestamp() - interval '1 hour' where provider = 'idle'`,
  );
  const { times } = await takeAll('idle', 10);
  assert.ok(mostInASecond(times) <= 10);
});

test('a rate that was raised, or a clock that was set back, does not block a provider', async () => {
  await takeSlot(db.database, 'raised', 0.001);
  const { times } = await takeAll('raised', 20);
  assert.ok(times.length >= 1);
  assert.ok(mostInASecond(times) <= 20);
  const { rows } = await db.database.pool.query<{ near: boolean }>(
    `select next_slot_at < clock_timestamp() + interval '11 seconds' as near from provider_rates where provider = 'raised'`,
  );
  assert.equal(rows[0]?.near, true);
});
