/** `tollgate write-offs list`, on a database with write-offs for every reason that tasks have. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { micros } from '../../../src/domain/money.ts';
import { freshDatabase, type TestDatabase } from '../../support/database.ts';
import { admissionOf, type Customer, newCustomer, newLedger, successOf } from '../../support/money.ts';
import { Installation } from '../../support/process.ts';

let db: TestDatabase;
let home: Installation;
let ada: Customer;
let bob: Customer;
/** Oldest first: two that Ada had no money for, and one of Bob's whose provider claimed too much. */
const tasks: string[] = [];

before(async () => {
  db = await freshDatabase();
  home = await Installation.make({ DATABASE_URL: db.url, TOLLGATE_SECRET: 'a secret of the tests with 40 characters' });
  const ledger = newLedger(db.database);
  ada = await newCustomer(db.database, ledger, 10_000_000n);
  bob = await newCustomer(db.database, ledger, 10_000_000n);
  const admitted = async (who: Customer) => {
    const answer = await ledger.admitTask(admissionOf(who, 1_000_000n));
    return answer.admitted === 'new' ? answer.taskId : assert.fail(answer.admitted);
  };
  const [first, second, third] = [await admitted(ada), await admitted(ada), await admitted(bob)];
  await ledger.settleTask(successOf(ada, first, 11_500_000n)); // of which 9 are there: one is held for the other
  await ledger.settleTask(successOf(ada, second, 3_000_000n));
  await ledger.settleTask({ ...successOf(bob, third, 7_000_000n), most: micros(2_000_000n) });
  tasks.push(first, second, third);
});
after(async () => {
  await home.remove();
  await db.drop();
});

const listed = async (...args: string[]) => {
  const { data, has_more: hasMore } = await home.json('write-offs', 'list', ...args);
  return { hasMore, data: data as Record<string, unknown>[] };
};

test('lists what was written off over all accounts, newest first, for people and for scripts', async () => {
  const { code, stdout, stderr } = await home.run(['write-offs', 'list']);
  assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
  const [head, ...lines] = stdout.trimEnd().split('\n');
  assert.match(head ?? '', /^WHEN +ACCOUNT +TASK OR REQUEST +MODEL +AMOUNT \(CNY\) +CHARGED \(CNY\) +REASON$/);
  const cells = lines.map((line) => line.split(/ {2,}/));
  const [first, second, third] = tasks;
  assert.deepEqual(
    cells.map(([, ...rest]) => rest),
    [
      [bob.account, third, 'sim-image', '5', '2', 'implausible_usage'],
      [ada.account, second, 'sim-image', '2', '1', 'insufficient balance'],
      [ada.account, first, 'sim-image', '2.5', '9', 'insufficient balance'],
    ],
  );
  for (const [when = ''] of cells) assert.match(when, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);

  const { data, hasMore } = await listed();
  assert.equal(hasMore, false);
  const [newest = {}] = data;
  const { id, created, ...rest } = newest;
  assert.match(String(id), /^[0-9a-f-]{36}\.write_off$/);
  assert.ok(Number.isInteger(created));
  assert.deepEqual(rest, {
    object: 'write_off',
    account_id: bob.account,
    task_id: third,
    request_id: 'req_test',
    model: 'sim-image',
    amount: 5,
    charged: 2,
    reason: 'implausible_usage',
  });
  assert.deepEqual(
    data.map(({ task_id: task }) => task),
    [third, second, first],
  );
});

test('narrows by account, reason and count, and says where there are more', async () => {
  const [first, second, third] = tasks;
  const tasksOf = async (...args: string[]) => (await listed(...args)).data.map(({ task_id: task }) => task);
  assert.deepEqual(await tasksOf('--account', ada.account), [second, first]);
  assert.deepEqual(await tasksOf('--reason', 'implausible_usage'), [third]);
  assert.deepEqual(await tasksOf('--reason', 'owner_lost'), []);
  const { data, hasMore } = await listed('--limit', '2', '--days', '1');
  assert.deepEqual([data.length, hasMore], [2, true]);
  const { stdout } = await home.run(['write-offs', 'list', '--limit', '2']);
  assert.match(stdout, /\nMore than 2 rows match\. Use --limit to show more\.\n$/);
});

test('an unknown account ends it with 1, bad usage with 2', async () => {
  const unknown = await home.run(['write-offs', 'list', '--account', 'acc_x']);
  assert.deepEqual([unknown.code, unknown.stdout], [1, '']);
  assert.match(unknown.stderr, /acc_x/);
  for (const args of [
    ['--days', '0'],
    ['--limit', '1001'],
    ['--limit', 'many'],
  ]) {
    const { code, stdout, stderr } = await home.run(['write-offs', 'list', ...args]);
    assert.deepEqual([code, stdout], [2, ''], stderr);
    assert.match(stderr, /^error: [^\n]+\n$/);
  }
});
