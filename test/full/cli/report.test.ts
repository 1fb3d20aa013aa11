/** `tollgate report`: revenue, cost and margin for people, as JSON and as CSV. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { freshDatabase, type TestDatabase } from '../../support/database.ts';
import { writeEntries } from '../../support/entries.ts';
import { type Customer, newCustomer, newLedger } from '../../support/money.ts';
import { Installation } from '../../support/process.ts';

let db: TestDatabase;
let home: Installation;
let ada: Customer;

before(async () => {
  db = await freshDatabase();
  home = await Installation.make({ DATABASE_URL: db.url, TOLLGATE_SECRET: 'a secret of the tests with 40 characters' });
  ada = await newCustomer(db.database, newLedger(db.database), 10_000_000n);
  await writeEntries(db.database, ada.account, [
    { admittedAt: '2026-01-30T08:00:00Z', model: 'chat', provider: 'one', revenue: 1_000_000, cost: 600_000 },
    { admittedAt: '2026-01-31T08:00:00Z', model: 'image', provider: 'two', revenue: 500_000, cost: 700_000 },
    { admittedAt: '2026-01-31T09:00:00Z', model: 'chat', revenue: 250_000 },
    { model: 'today', provider: 'one', revenue: 40_000, cost: 10_000 },
  ]);
});
after(async () => {
  await home.remove();
  await db.drop();
});

const january = ['--from', '2026-01-01', '--to', '2026-02-01'];

test('shows a table with what is not known apart', async () => {
  const { code, stdout, stderr } = await home.run(['report', ...january, '--by', 'model']);
  assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
  const [head, ...lines] = stdout.trimEnd().split('\n');
  assert.match(
    head ?? '',
    /^MODEL +CALLS +REVENUE \(CNY\) +WRITTEN OFF \(CNY\) +COST \(CNY\) +MARGIN \(CNY\) +MARGIN % +COST UNKNOWN$/,
  );
  assert.deepEqual(
    lines.map((line) => line.split(/ {2,}/)),
    [
      ['chat', '2', '1.25', '0', '0.6', '0.4', '40.00', '1 of 2'],
      ['image', '1', '0.5', '0', '0.7', '-0.2', '-40.00', '-'],
      ['TOTAL', '3', '1.75', '0', '1.3', '0.2', '13.33', '1 of 3'],
      ['The cost is unknown for 1 of 3 calls and tasks, which paid 0.25 CNY; no margin is worked out for these.'],
    ],
  );
  const { stdout: byProvider } = await home.run(['report', ...january, '--by', 'provider']);
  assert.match(byProvider, /^\(unknown\) +1 +0\.25 +0 +- +- +- +1 of 1$/m);
});

test('prints JSON and CSV', async () => {
  const { data } = await home.json('report', ...january, '--by', 'day');
  assert.deepEqual(
    (data as Record<string, unknown>[]).map(({ day, margin, calls_without_cost: without }) => [day, margin, without]),
    [
      ['2026-01-31', -0.2, 1],
      ['2026-01-30', 0.4, 0],
    ],
  );
  const { stdout } = await home.run(['report', ...january, '--by', 'account', '--csv']);
  const [head, row] = stdout.split('\r\n');
  assert.match(head ?? '', /^object,account_id,account_name,calls,calls_without_cost,revenue,/);
  assert.match(row ?? '', new RegExp(`^margin,${ada.account},[^,]*,3,1,1.75,0.25,0,1.3,0.2,13.33,CNY$`));
});

test('reaches over the last 30 days, if nothing else is said', async () => {
  const { data } = await home.json('report', '--by', 'model');
  assert.deepEqual(
    (data as Record<string, unknown>[]).map(({ model }) => model),
    ['today'],
  );
});

test('an empty range ends it with 1, bad usage with 2', async () => {
  const empty = await home.run(['report', '--from', '2026-02-01', '--to', '2026-01-01']);
  assert.deepEqual([empty.code, empty.stdout], [1, '']);
  assert.match(empty.stderr, /--to must be later than --from/);
  for (const args of [
    ['--by', 'key'],
    ['--from', 'yesterday'],
    ['--csv', '--json'],
  ]) {
    const { code, stdout, stderr } = await home.run(['report', ...args]);
    assert.deepEqual([code, stdout], [2, ''], stderr);
  }
});
