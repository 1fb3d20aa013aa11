/** The sums of revenue, cost and margin: what they count, by which group, and over which time. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  listMargins,
  type Margin,
  type MarginGroup,
  marginOf,
  marginPercentOf,
  type MarginRange,
} from '../../src/ledger/margin-report.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';
import { writeEntries } from '../support/entries.ts';
import { type Customer, newCustomer, newLedger } from '../support/money.ts';

let home: TestDatabase;
let ada: Customer;
let bob: Customer;
before(async () => {
  home = await freshDatabase();
  const ledger = newLedger(home.database);
  ada = await newCustomer(home.database, ledger, 1_000_000n);
  bob = await newCustomer(home.database, ledger, 1_000_000n);
  const first = { admittedAt: '2026-01-30T23:59:59.999Z', model: 'chat', provider: 'one' };
  const second = { admittedAt: '2026-01-31T00:00:00Z', model: 'image', provider: 'two' };
  const third = { admittedAt: '2026-02-01T23:59:59.999Z', model: 'chat' };
  await writeEntries(home.database, ada.account, [
    // Settled on the next day: it is of the day on which it was admitted.
    { ...first, createdAt: '2026-01-31T00:00:10Z', revenue: 1_000, cost: 600 },
    { ...first, type: 'hold', revenue: 9_999 },
    { ...first, type: 'release', reason: 'owner_lost', revenue: 9_999 },
    { ...second, revenue: 500, cost: 700 },
    { ...second, type: 'write_off', revenue: 40 },
    { ...third, revenue: 300 },
  ]);
  await writeEntries(home.database, bob.account, [
    { ...second, revenue: 0, cost: 0 },
    // Of a call whose process had died: all that there is of it.
    { ...third, provider: 'one', type: 'write_off', reason: 'owner_lost', revenue: 80, cost: 50 },
  ]);
});
after(() => home.drop());

const all: MarginRange = { from: new Date('2026-01-01T00:00:00Z'), to: new Date('2026-03-01T00:00:00Z') };
const listed = (by: MarginGroup, range = all, page: { limit: number; after?: string } = { limit: 100 }) =>
  listMargins(home.database.pool, by, range, { after: undefined, ...page });
const short = (margins: readonly Margin[]) =>
  margins.map(({ group, calls, callsWithoutCost, revenue, revenueWithoutCost, writtenOff, cost }) =>
    [group, calls, callsWithoutCost, revenue, revenueWithoutCost, writtenOff, cost].map(String).join(' '),
  );

describe('revenue and cost are summed', () => {
  test('by the day of the admission, newest first', async () => {
    assert.deepEqual(short(await listed('day')), [
      '2026-02-01 2 1 300 300 80 50',
      '2026-01-31 2 0 500 0 40 700',
      '2026-01-30 1 0 1000 0 0 600',
    ]);
  });

  test('by model, by provider and by account with its name', async () => {
    assert.deepEqual(short(await listed('model')), ['chat 3 1 1300 300 80 650', 'image 2 0 500 0 40 700']);
    assert.deepEqual(short(await listed('provider')), [
      ' 1 1 300 300 0 0',
      'one 2 0 1000 0 80 650',
      'two 2 0 500 0 40 700',
    ]);
    const byAccount = await listed('account');
    assert.deepEqual(
      new Map(byAccount.map((margin) => [margin.group, short([margin])[0]?.split(' ').slice(1).join(' ')])),
      new Map([
        [ada.account, '3 1 1800 300 40 1300'],
        [bob.account, '2 0 0 0 80 50'],
      ]),
    );
    assert.ok(byAccount.every(({ name }) => name !== null));
  });

  test('from a moment on, and before another, within a day too', async () => {
    const range = { from: new Date('2026-01-31T00:00:00Z'), to: new Date('2026-02-01T23:59:59.999Z') };
    assert.deepEqual(short(await listed('day', range)), ['2026-01-31 2 0 500 0 40 700']);
    assert.deepEqual(short(await listed('model', range)), ['image 2 0 500 0 40 700']);
    const late = { from: new Date('2026-02-01T23:00:00Z'), to: new Date('2026-02-02T00:00:00Z') };
    assert.deepEqual(short(await listed('day', late)), ['2026-02-01 2 1 300 300 80 50']);
  });

  test('a page at a time', async () => {
    for (const by of ['day', 'model', 'provider', 'account'] as const) {
      const paged: Margin[] = [];
      for (let after: string | undefined; ;) {
        const [next] = await listed(by, all, { limit: 1, ...(after !== undefined && { after }) });
        if (!next) break;
        paged.push(next);
        after = next.group;
      }
      assert.deepEqual(paged, await listed(by));
    }
  });
});

test('a margin is of those whose cost is known', async () => {
  const [chat, image] = await listed('model');
  assert.ok(chat && image);
  assert.deepEqual([marginOf(chat), marginPercentOf(chat)], [350n, 35]);
  assert.deepEqual([marginOf(image), marginPercentOf(image)], [-200n, -40]);
  const unknown = (await listed('provider')).find(({ group }) => group === '');
  assert.ok(unknown);
  assert.deepEqual([marginOf(unknown), marginPercentOf(unknown)], [0n, null]);
});
