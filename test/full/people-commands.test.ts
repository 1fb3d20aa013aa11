/** `tollgate people`, and ticking off paid calls of unknown outcome, on a database without a running gateway. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { deriveKeys } from '../../src/config/secrets.ts';
import { createAccount } from '../../src/accounts/accounts.ts';
import { acceptInvitation } from '../../src/accounts/invitations.ts';
import { tellFact } from '../../src/postgres/installation.ts';
import { closeIntent, openIntent } from '../../src/tasks/provider-calls/intents.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';
import { administrator, admissionOf, failureOf, newCustomer, newLedger } from '../support/money.ts';
import { Installation } from '../support/process.ts';

const secret = 'a secret of the tests with 40 characters';
const { first, ledgerKeys } = deriveKeys([secret]);

let db: TestDatabase;
let home: Installation;
let account: string;
before(async () => {
  db = await freshDatabase();
  home = await Installation.make({ DATABASE_URL: db.url, TOLLGATE_SECRET: secret });
  account = (await createAccount(administrator(db.database), 'Ada & Co')).id;
});
after(async () => {
  await home.remove();
  await db.drop();
});

const accepted = async (link: unknown) => {
  const token = String(link).split('#')[1] ?? '';
  return acceptInvitation({ database: db.database, ledgerKey: first.ledger, ledgerKeys }, token, {
    passwordHash: 'a hash',
  });
};

describe('people', () => {
  test('the first operator is invited by a link of the public address, and joins once', async () => {
    const before = await home.json('people', 'invite', '--email', 'Root@Example.com', '--operator');
    assert.match(String(before['link']), /^\/console\/invitation#[\w-]{43}$/);
    await tellFact(db.database, 'public_url', 'https://gate.example.com');
    const { id, expires, link, ...made } = await home.json(
      'people',
      'invite',
      '--email',
      'Root@Example.com',
      '--operator',
    );
    assert.match(String(id), /^inv_/);
    assert.ok(Number(expires) > Date.now() / 1000);
    assert.match(String(link), /^https:\/\/gate\.example\.com\/console\/invitation#[\w-]{43}$/);
    assert.deepEqual(made, {
      object: 'invitation',
      email: 'root@example.com',
      account_id: null,
      role: null,
      is_operator: true,
    });
    assert.equal((await accepted(link))?.isOperator, true);
    assert.equal(await accepted(link), undefined);
  });

  test('an owner is invited to an account; people read lines and columns', async () => {
    const args = ['people', 'invite', '--email', 'ada@example.com', '--account', account, '--role', 'owner'];
    const { code, stdout } = await home.run(args);
    assert.equal(code, 0);
    const [link = '', line = ''] = stdout.split('\n');
    assert.match(line, /^For ada@example\.com, valid until \S+Z\. It can be used once and is shown only once\.$/);
    assert.ok(await accepted(link));
    const list = await home.run(['people', 'list']);
    assert.match(list.stdout, /^ID +E-MAIL +STATE +OPERATOR +LAST SEEN +ACCOUNTS\n/);
    assert.match(list.stdout, new RegExp(`^usr_\\w+ +ada@example\\.com +active +no +- +${account} \\(owner\\)$`, 'm'));
    assert.match(list.stdout, /^usr_\w+ +root@example\.com +active +yes +- +-$/m);
    const { data, ...rest } = await home.json('people', 'list');
    assert.deepEqual(rest, { object: 'list', has_more: false, next_cursor: null });
    const [ada] = data as Record<string, unknown>[];
    assert.deepEqual(
      [ada?.['email'], ada?.['accounts']],
      ['ada@example.com', [{ id: account, name: 'Ada & Co', role: 'owner' }]],
    );
  });

  test('a forgotten password gets a link; who is disabled gets none until enabled, and the last operator stays', async () => {
    const { link } = await home.json('people', 'link', 'ADA@example.com');
    assert.ok(await accepted(link));
    assert.equal((await home.json('people', 'disable', 'ada@example.com', '--reason', 'left'))['is_disabled'], true);
    const refused = await home.run(['people', 'link', 'ada@example.com']);
    assert.deepEqual(refused, {
      code: 1,
      stdout: '',
      stderr: 'ada@example.com is disabled. Enable this person first.\n',
    });
    const enabled = await home.run(['people', 'enable', 'ada@example.com']);
    assert.match(enabled.stdout, /^usr_\w+ {2}ada@example\.com {2}active\n$/);
    const last = await home.run(['people', 'disable', 'root@example.com']);
    assert.deepEqual(
      [last.code, last.stdout, last.stderr],
      [1, '', 'root@example.com is the last operator. Invite another operator first.\n'],
    );
    const acts = (await home.json('acts', 'list', '--limit', '3'))['data'] as Record<string, unknown>[];
    assert.deepEqual(
      acts.map(({ action, reason }) => [action, reason]),
      [
        ['person.enabled', null],
        ['person.disabled', 'left'],
        ['person.joined', null],
      ],
    );
  });

  for (const command of ['link', 'disable', 'enable'])
    test(`people ${command}: who is not there is named, with exit code 1`, async () => {
      const { code, stdout, stderr } = await home.run(['people', command, 'unknown@example.com']);
      assert.deepEqual({ code, stdout }, { code: 1, stdout: '' });
      assert.equal(stderr, 'No person has the address unknown@example.com.\n');
    });

  test('an account that is not there is named, with exit code 1', async () => {
    const args = ['people', 'invite', '--email', 'x@example.com', '--account', 'acc_none', '--role', 'owner'];
    assert.deepEqual(await home.run(args), { code: 1, stdout: '', stderr: 'Account acc_none not found.\n' });
  });

  for (const args of [
    ['invite'],
    ['invite', '--email', 'unknown', '--operator'],
    ['invite', '--email', 'x@example.com'],
    ['invite', '--email', 'x@example.com', '--role', 'owner'],
    ['invite', '--email', 'x@example.com', '--account', 'acc_none'],
    ['invite', '--email', 'x@example.com', '--account', 'acc_none', '--role', 'king'],
    ['link'],
    ['disable'],
    ['list', '--all'],
    ['rename'],
  ])
    test(`people ${args.join(' ')}: bad usage, exit code 2`, async () => {
      const { code, stdout, stderr } = await home.run(['people', ...args]);
      assert.deepEqual({ code, stdout }, { code: 2, stdout: '' });
      assert.match(stderr, /^error: /);
    });

  test('--help lists the commands and their options', async () => {
    const { code, stdout } = await home.run(['people', '--help']);
    assert.equal(code, 0);
    for (const command of ['list', 'invite', 'link', 'disable', 'enable'])
      assert.match(stdout, new RegExp(`^ +${command} `, 'm'));
    assert.match((await home.run(['people', 'invite', '--help'])).stdout, /--email <address>/);
  });
});

describe('tasks review', () => {
  test('ticks a paid call off: the list leaves it out, and shows it with its note when it is asked for', async () => {
    const ledger = newLedger(db.database);
    const who = await newCustomer(db.database, ledger, 10_000_000n);
    const answer = await ledger.admitTask(admissionOf(who, 200_000n, { routes: ['first', 'second'] }));
    assert.ok(answer.admitted === 'new');
    const id = answer.taskId;
    await openIntent(db.database, id, 0, 'simulator');
    await closeIntent(db.database, id, 0, { outcome: 'unknown', reason: 'reset by peer' });
    // Of today's releases no second route is asked then, but rows of older ones stay.
    await db.database.pool.query(
      `insert into intents (task_id, route, nonce, provider, sent_before, outcome, reason, closed_at)
       select task_id, 1, gen_random_uuid(), provider, sent_before, outcome, reason, closed_at from intents where task_id = $1`,
      [id],
    );
    await ledger.releaseTask(failureOf(who, id));
    const routes = async (...more: string[]) =>
      ((await home.json('tasks', 'list', '--unknown', ...more))['data'] as Record<string, unknown>[]).map(
        ({ route }) => route,
      );
    assert.deepEqual(await routes(), [1, 0]);
    const unclear = await home.run(['tasks', 'review', id, '--note', 'x']);
    assert.equal(unclear.code, 1);
    assert.match(
      unclear.stderr,
      /^Task \S+ has several upstream calls with an unknown outcome: specify one with --route \(1, 0\)\.\n$/,
    );
    const ticked = await home.run(['tasks', 'review', id, '--note', 'not billed', '--route', '1']);
    assert.deepEqual(
      [ticked.code, ticked.stdout],
      [0, `The upstream call of ${id} by route 1 is marked as reviewed.\n`],
    );
    assert.deepEqual([await routes(), await routes('--reviewed')], [[0], [1]]);
    const reported = (await home.json('tasks', 'review', id, '--note', 'billed'))['review'] as Record<string, unknown>;
    assert.deepEqual([reported['note'], /^cli:./.test(String(reported['by']))], ['billed', true]);
    assert.deepEqual([await routes(), await routes('--reviewed')], [[], [1, 0]]);
    const { stdout } = await home.run(['tasks', 'list', '--unknown', '--reviewed']);
    assert.match(stdout, /^TASK .* WHY +REVIEWED +NOTE\n.* reset by peer +\S+Z +not billed\n/);
    const again = await home.run(['tasks', 'review', id, '--note', 'x']);
    assert.deepEqual(
      [again.code, again.stderr],
      [1, `Task ${id} has no such upstream call with an unknown outcome.\n`],
    );
  });

  test('of a task that is not there: exit code 1; without a note, or a list of reviewed without --unknown: 2', async () => {
    const none = await home.run(['tasks', 'review', 'img_none', '--note', 'x']);
    assert.deepEqual(none, { code: 1, stdout: '', stderr: 'Task img_none not found.\n' });
    for (const args of [
      ['tasks', 'review', 'img_none'],
      ['tasks', 'review', 'img_none', '--note', 'x', '--route', '-1'],
      ['tasks', 'list', '--reviewed'],
    ])
      assert.equal((await home.run(args)).code, 2, args.join(' '));
  });
});
