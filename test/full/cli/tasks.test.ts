/** `tollgate tasks`, on a database in which tasks and their paid calls ended in every way. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { TaskId } from '../../../src/domain/ids.ts';
import { removeMedia } from '../../../src/tasks/rows/fetch-claims.ts';
import { closeIntent, openIntent } from '../../../src/tasks/provider-calls/intents.ts';
import { noteJobLeft } from '../../../src/tasks/provider-calls/intent-reports.ts';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import { freshDatabase, type TestDatabase } from '../../support/database.ts';
import {
  type AdmissionOptions,
  admissionOf,
  type Customer,
  failureOf,
  newCustomer,
  newLedger,
  stateOf,
  successOf,
} from '../../support/money.ts';
import { Installation } from '../../support/process.ts';

let db: TestDatabase;
let ledger: Ledger;
let home: Installation;
let ada: Customer;
let bob: Customer;
/** By what became of them. */
const tasks: Record<string, TaskId> = {};

before(async () => {
  db = await freshDatabase();
  ledger = newLedger(db.database);
  home = await Installation.make({ DATABASE_URL: db.url, TOLLGATE_SECRET: 'a secret of the tests with 40 characters' });
  ada = await newCustomer(db.database, ledger, 10_000_000n);
  bob = await newCustomer(db.database, ledger, 10_000_000n);

  await admitted('waiting', bob);
  await closed(await sent('running', bob), { outcome: 'accepted', jobId: 'j-run' });
  const good = await sent('good', ada);
  await closed(good, { outcome: 'accepted', jobId: 'j-good', requestId: 'up-good' });
  await ledger.settleTask(successOf(ada, good, 200_000n));

  const lost = await sent('lost', ada);
  await closed(lost, { outcome: 'unknown', reason: 'the connection\nbroke \u001b[31m', requestId: 'up-lost' });
  await ledger.releaseTask({
    ...failureOf(ada, lost),
    error: { code: 'upstream_timeout', message: 'Never said.', param: null },
  });
  const late = await sent('late', bob);
  await ledger.releaseTask(failureOf(bob, late, 'cancelled'));
  await closed(late, { outcome: 'accepted', jobId: 'j-late', requestId: 'up-late' });
  const found = await sent('found', bob);
  await closed(found, { outcome: 'unknown', reason: 'the provider answered 502' });
  await ledger.releaseTask(failureOf(bob, found));
  await closed(found, { outcome: 'accepted', jobId: 'j-found' });
  await closed(await sent('searched', bob), { outcome: 'unknown', reason: 'reset by peer' });

  // What stands after this is no news to an operator.
  const cancelled = await sent('cancelled', bob);
  await closed(cancelled, { outcome: 'accepted', jobId: 'j-cancelled' });
  await pause(2); // an end has whole milliseconds, cut off
  await ledger.releaseTask(failureOf(bob, cancelled, 'cancelled'));
  const refused = await sent('refused', ada, { routes: ['first', 'second'] });
  const error = { code: 'upstream_error' as const, message: 'No.', param: null, fallOver: true };
  await closed(refused, { outcome: 'refused', error });
  await openIntent(db.database, refused, 1, 'second');
  await admitted('talk', bob, { kind: 'avatar_talk' });
});
after(async () => {
  await home.remove();
  await db.drop();
});

async function admitted(name: string, who: Customer, more: AdmissionOptions = {}): Promise<TaskId> {
  const answer = await ledger.admitTask(admissionOf(who, 200_000n, more));
  assert.ok(answer.admitted === 'new');
  tasks[name] = answer.taskId;
  return answer.taskId;
}

async function sent(name: string, who: Customer, more: AdmissionOptions = {}): Promise<TaskId> {
  const id = await admitted(name, who, more);
  assert.equal((await openIntent(db.database, id, 0, more.routes?.[0] ?? 'simulator')).opened, 'now');
  return id;
}

const closed = (id: TaskId, closing: Parameters<typeof closeIntent>[3]) => closeIntent(db.database, id, 0, closing);
const named = (id: unknown) => Object.keys(tasks).find((name) => tasks[name] === id) ?? String(id);
const listed = async (...args: string[]) => {
  const { data, ...list } = await home.json('tasks', 'list', ...args);
  return { list, data: data as Record<string, unknown>[], names: namesOf(data as Record<string, unknown>[]) };
};
const namesOf = (data: Record<string, unknown>[]) => data.map((one) => named(one['task_id'] ?? one['id']));
const isSeconds = (value: unknown) => assert.ok(typeof value === 'number' && Math.abs(value - Date.now() / 1000) < 600);

describe('tasks list', () => {
  test('shows all tasks, the newest first', async () => {
    const { list, names, data } = await listed();
    assert.deepEqual(list, { object: 'list', has_more: false, next_cursor: null });
    assert.deepEqual(names, Object.keys(tasks).reverse());
    const { created, started, finished, ...good } = data.find(({ id }) => id === tasks['good']) ?? {};
    isSeconds(created);
    isSeconds(finished);
    assert.equal(started, null);
    assert.deepEqual(good, {
      removed: null,
      id: tasks['good'],
      object: 'image',
      model: 'sim-image',
      status: 'succeeded',
      state: 'succeeded',
      queue_position: null,
      account_id: ada.account,
      key_id: ada.key,
      request_id: 'req_test',
      hold: 0.2,
      cost: 0.2,
      error: null,
    });
  });

  test('shows those of an account, in a state, or both', async () => {
    assert.deepEqual((await listed('--account', ada.account)).names, ['refused', 'lost', 'good']);
    assert.deepEqual((await listed('--state', 'accepted')).names, ['talk', 'waiting']);
    assert.deepEqual((await listed('--state', 'running')).names, ['refused', 'searched', 'running']);
    assert.deepEqual((await listed('--state', 'cancelled')).names, ['cancelled', 'late']);
    assert.deepEqual((await listed('--state', 'failed', '--account', bob.account)).names, ['found']);
  });

  test('says whether there are more than it shows', async () => {
    const { list, names } = await listed('--limit', '2');
    assert.deepEqual([list['has_more'], names], [true, ['talk', 'refused']]);
    assert.equal((await listed('--limit', '10')).list['has_more'], false);
    const { stdout } = await home.run(['tasks', 'list', '--limit', '1']);
    assert.match(
      stdout,
      /^ID +ACCOUNT +MODEL +STATE +HOLD \(CNY\) +COST \(CNY\) +CREATED +AGE\navt_\w+ .*\nMore than 1 rows match\. /,
    );
  });
});

describe('tasks list --unknown', () => {
  test('shows calls of unknown outcome and jobs that were accepted too late, and nothing else', async () => {
    const { names, data } = await listed('--unknown');
    assert.deepEqual(names, ['searched', 'found', 'late', 'lost']);
    const { sent: sentAt, closed: closedAt, age_seconds: age, ...lost } = data[3] ?? {};
    isSeconds(sentAt);
    isSeconds(closedAt);
    assert.ok(typeof age === 'number' && age >= 0 && age < 600);
    assert.deepEqual(lost, {
      object: 'unknown_outcome',
      task_id: tasks['lost'],
      reference: `tg-${tasks['lost']}`,
      account_id: ada.account,
      model: 'sim-image',
      state: 'failed',
      route: 0,
      provider: 'simulator',
      outcome: 'unknown',
      job_id: null,
      upstream_request_id: 'up-lost',
      reason: 'the connection\nbroke \u001b[31m',
      error: null,
    });
    const facts = data.map((one) => [one['state'], one['outcome'], one['job_id'], one['upstream_request_id']]);
    assert.deepEqual(facts.slice(0, 3), [
      ['running', 'unknown', null, null],
      ['failed', 'accepted', 'j-found', null],
      ['cancelled', 'accepted', 'j-late', 'up-late'],
    ]);
    assert.equal(data[1]?.['reason'], 'the provider answered 502');
  });

  test('can be narrowed like any list', async () => {
    assert.deepEqual((await listed('--unknown', '--account', ada.account)).names, ['lost']);
    assert.deepEqual((await listed('--unknown', '--state', 'cancelled')).names, ['late']);
    const { list, names } = await listed('--unknown', '--limit', '1');
    assert.deepEqual([list['has_more'], names], [true, ['searched']]);
  });

  test('prints one line each for people, whatever an upstream wrote', async () => {
    const { stdout } = await home.run(['tasks', 'list', '--unknown', '--account', ada.account]);
    const [head = '', line = '', ...rest] = stdout.trimEnd().split('\n');
    assert.match(head, /^TASK +ACCOUNT +MODEL +STATE +PROVIDER +OUTCOME +JOB +REQUEST +SENT +AGE +WHY$/);
    assert.match(line, new RegExp(`^${tasks['lost']} .* failed +simulator +unknown +- +up-lost +\\S+Z +\\d+s +`));
    assert.ok(line.endsWith('the connection broke [31m'), line);
    assert.deepEqual(rest, []);
  });
});

describe('tasks show', () => {
  test('shows the facts of a task and of each of its paid calls', async () => {
    const { created, finished, intents, ...lost } = await home.json('tasks', 'show', String(tasks['lost']));
    isSeconds(created);
    isSeconds(finished);
    assert.deepEqual(lost, {
      removed: null,
      id: tasks['lost'],
      object: 'image',
      model: 'sim-image',
      status: 'failed',
      state: 'failed',
      queue_position: null,
      account_id: ada.account,
      key_id: ada.key,
      request_id: 'req_test',
      started: null,
      hold: 0.2,
      cost: null,
      error: { message: 'Never said.', type: 'upstream_error', param: null, code: 'upstream_timeout' },
      reference: `tg-${tasks['lost']}`,
    });
    const [intent, ...others] = intents as Record<string, unknown>[];
    assert.deepEqual([intent?.['outcome'], intent?.['upstream_request_id'], others.length], ['unknown', 'up-lost', 0]);
    const refused = await home.json('tasks', 'show', String(tasks['refused']));
    assert.deepEqual(
      (refused['intents'] as Record<string, unknown>[]).map(({ route, provider, outcome, error, closed }) => [
        ...[route, provider, outcome, error, closed === null],
      ]),
      [
        [0, 'first', 'refused', { code: 'upstream_error', message: 'No.' }, false],
        [1, 'second', 'open', null, true],
      ],
    );
  });

  test('prints the same for people, and never a prompt, an address or a file', async () => {
    const { stdout } = await home.run(['tasks', 'show', String(tasks['good'])]);
    assert.doesNotMatch(stdout, /a gate|results|blob|\/files|\/hooks/);
    assert.match(
      stdout,
      new RegExp(`^${tasks['good']} +image, succeeded\nmodel +sim-image\naccount +${ada.account}\n`),
    );
    assert.match(stdout, /^cost +0\.2 CNY$/m);
    assert.match(
      stdout,
      /^ROUTE +PROVIDER +OUTCOME +JOB +REQUEST +SENT +CLOSED +WHY\n0 +simulator +accepted +j-good +up-good /m,
    );
    const waiting = await home.run(['tasks', 'show', String(tasks['waiting'])]);
    assert.match(waiting.stdout, /\nNo upstream call was made\.\n$/);
    const talk = ['tasks', 'show', String(tasks['talk'])];
    for (const { code, stdout: text } of await Promise.all([home.run(talk), home.run([...talk, '--json'])])) {
      assert.equal(code, 0);
      assert.doesNotMatch(text, /template|uploads|blob|\/files|\/hooks/);
    }
  });
});

test('tasks show prints when media and request were deleted', async () => {
  const removed = async (name: string, args: string[] = []) =>
    (await home.run(['tasks', 'show', String(tasks[name]), ...args])).stdout;
  assert.match(await removed('good'), /^removed +-$/m);
  const blobs = { remove: () => Promise.resolve() };
  for (const name of ['good', 'lost']) assert.ok(await removeMedia(db.database, blobs, tasks[name]!));
  assert.match(await removed('good'), /^removed +\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ: result and request deleted$/m);
  assert.match(await removed('lost'), /^removed +\S+: request deleted$/m);
  isSeconds((JSON.parse(await removed('good', ['--json'])) as Record<string, unknown>)['removed']);
});

describe('tasks cancel', () => {
  test('ends a task, gives its hold back and is logged; a second time is refused', async () => {
    const carl = await newCustomer(db.database, ledger, 10_000_000n);
    const id = await admitted('to cancel', carl);
    const { created, finished, ...cancelled } = await home.json('tasks', 'cancel', id, '--reason', 'asked by phone');
    isSeconds(created);
    isSeconds(finished);
    assert.deepEqual(cancelled, {
      id,
      object: 'image',
      model: 'sim-image',
      status: 'failed',
      state: 'cancelled',
      queue_position: null,
      account_id: carl.account,
      key_id: carl.key,
      request_id: 'req_test',
      started: null,
      hold: 0.2,
      cost: null,
      removed: null,
      error: { message: 'The task was cancelled.', type: 'conflict_error', param: null, code: 'cancelled' },
    });
    const { available, held } = await stateOf(db.database, carl);
    assert.deepEqual([available, held], [10_000_000n, 0n]);
    const acts = (await home.json('acts', 'list', '--account', carl.account))['data'] as Record<string, unknown>[];
    const { actor, action, subject, details, reason } = acts[0] ?? {};
    assert.match(String(actor), /^cli:./);
    assert.deepEqual([action, subject, details, reason], ['task.cancelled', null, { task_id: id }, 'asked by phone']);

    const again = await home.run(['tasks', 'cancel', id]);
    assert.deepEqual(again, { code: 1, stdout: '', stderr: `Task ${id} has already ended: cancelled.\n` });
    assert.equal(
      ((await home.json('acts', 'list', '--account', carl.account))['data'] as unknown[]).length,
      acts.length,
    );
  });

  test('prints one line for people', async () => {
    const carl = await newCustomer(db.database, ledger, 10_000_000n);
    const id = await admitted('to cancel too', carl);
    const { code, stdout } = await home.run(['tasks', 'cancel', id]);
    assert.deepEqual([code, stdout], [0, `${id} is cancelled; hold of 0.2 CNY released.\n`]);
    const good = await home.run(['tasks', 'cancel', String(tasks['good'])]);
    assert.deepEqual([good.code, good.stdout], [1, '']);
    assert.equal(good.stderr, `Task ${tasks['good']} has already ended: succeeded.\n`);
  });
});

test('tasks list --unknown shows a call whose sender died while its task was cancelled, and a job that was left', async () => {
  const who = await newCustomer(db.database, ledger, 10_000_000n);
  const [abandoned, left] = [await sent('abandoned', who), await sent('left', who)];
  await closed(left, { outcome: 'accepted', jobId: 'j-left' });
  await pause(2);
  for (const id of [abandoned, left]) await ledger.releaseTask(failureOf(who, id, 'cancelled'));
  const names = async () => (await listed('--unknown', '--account', who.account)).names;
  assert.deepEqual(await names(), []);
  await noteJobLeft(db.database, left, 0, 'its provider offers no cancelling');
  const hand = await db.database.pool.connect();
  // As if it had ended long ago; past the triggers, as only a hand can.
  await hand.query('set session_replication_role = replica');
  await hand.query(`update tasks set finished_at = finished_at - interval '31 minutes' where id = $1`, [abandoned]);
  hand.release(true);
  assert.deepEqual(await names(), ['left', 'abandoned']);
  const { stdout } = await home.run(['tasks', 'show', left]);
  assert.match(stdout, / j-left .* left to end by itself: its provider offers no cancelling$/m);
});

test('tasks list --unreadable names tasks whose rows can’t be read, and tasks cancel ends one', async () => {
  const id = await sent('spoilt', bob);
  await db.database.pool.query(`update tasks set terms = terms - 'routes' where id = $1`, [id]);
  const { stdout } = await home.run(['tasks', 'list', '--unreadable', '--json']);
  const { data } = JSON.parse(stdout) as { data: Record<string, unknown>[] };
  assert.deepEqual(
    data.map(({ object, id: named, account_id: account }) => [object, named, account]),
    [['unreadable_task', id, bob.account]],
  );
  assert.match(
    (await home.run(['tasks', 'list', '--unreadable'])).stdout,
    new RegExp(`^${id} .*terms\\.routes: `, 'm'),
  );
  assert.equal((await home.run(['tasks', 'list', '--unreadable', '--unknown'])).code, 2);
  assert.equal((await home.run(['tasks', 'cancel', id])).code, 0);
});

for (const [args, line] of [
  [['show', 'img_none'], 'Task img_none not found.'],
  [['cancel', 'img_none'], 'Task img_none not found.'],
  [['list', '--account', 'acc_none'], 'Account acc_none not found.'],
] as const) {
  test(`tasks ${args.join(' ')}: what is not there is named, with exit code 1`, async () => {
    const { code, stdout, stderr } = await home.run(['tasks', ...args]);
    assert.deepEqual({ code, stdout, stderr }, { code: 1, stdout: '', stderr: `${line}\n` });
  });
}

for (const args of [
  ['show'],
  ['show', 'img_1', 'img_2'],
  ['cancel'],
  ['list', 'all'],
  ['list', '--state', 'lost'],
  ['list', '--limit', '0'],
  ['list', '--limit', '1001'],
  ['list', '--limit', 'many'],
  ['list', '--since', 'ever'],
]) {
  test(`tasks ${args.join(' ')} is bad usage: one line and exit code 2`, async () => {
    const { code, stdout, stderr } = await home.run(['tasks', ...args]);
    assert.deepEqual({ code, stdout }, { code: 2, stdout: '' }, stderr);
    assert.match(stderr, /^error: [^\n]+\n$/);
  });
}

for (const command of ['tasks', 'tasks list', 'tasks show', 'tasks cancel']) {
  test(`${command} --help says how it is used`, async () => {
    const { code, stdout, stderr } = await home.run([...command.split(' '), '--help']);
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
    assert.ok(stdout.startsWith(`Usage: tollgate ${command} `), stdout);
  });
}
