import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { probeMedia } from '../../../src/media/probe.ts';
import { withFileReader } from '../../../src/media/reader.ts';
import { type Gateway, Installation, until } from '../../support/process.ts';

describe('commands beside a running gateway', { concurrency: 2 }, () => {
  let home: Installation;
  let gateway: Gateway;
  before(async () => {
    home = await Installation.make();
    gateway = await home.start();
  });
  after(() => home.remove());

  const account = async (key: unknown) =>
    fetch(`${gateway.url}/v1/account`, { headers: { Authorization: `Bearer ${String(key)}` } });

  test('an account is made, credited, listed and suspended', async () => {
    const made = await home.json('accounts', 'create', '--name', 'Ada & Co', '--balance', '2.5');
    const { id } = made;
    assert.match(String(id), /^acc_\w+$/);
    const money = { currency: 'CNY', balance: 2.5, held: 0, webhook_url: null, low_balance: null, time_zone: 'UTC' };
    const plain = { object: 'account', id, name: 'Ada & Co', ...money, status: 'active' };
    assert.deepEqual(made, plain);
    const credited = await home.json('accounts', 'credit', String(id), '0.000001', '--reason', 'a gift');
    assert.equal(credited['balance'], 2.500001);
    assert.equal((await home.json('accounts', 'create', '--name', 'Bob', '--balance', '0'))['balance'], 0);
    const list = await home.json('accounts', 'list');
    assert.equal(list['object'], 'list');
    const found = (list['data'] as { id: unknown }[]).find((one) => one.id === id);
    assert.deepEqual(found, { ...plain, balance: 2.500001 });

    const { key } = await home.json('keys', 'create', '--account', String(id), '--level', 'read');
    assert.equal((await account(key)).status, 200);
    const suspended = await home.json('accounts', 'suspend', String(id));
    assert.equal(suspended['status'], 'suspended');
    const refused = await eventually(() => account(key), 403);
    assert.equal(((await refused.json()) as { error: { code: string } }).error.code, 'account_suspended');
  });

  test('an account is corrected, never by more than it has, changed, suspended and resumed, and the log has all of it', async () => {
    const id = String((await home.json('accounts', 'create', '--name', 'Eve', '--balance', '7'))['id']);
    const given = await home.json('accounts', 'adjust', id, '1.5', '--reason', 'a fault of ours');
    assert.equal(given['balance'], 8.5);
    assert.equal((await home.json('accounts', 'adjust', id, '-5', '--reason', 'paid twice'))['balance'], 3.5);
    const refused = await home.run(['accounts', 'adjust', id, '-3.500001', '--reason', 'more than there is']);
    assert.deepEqual(
      [refused.code, refused.stdout, refused.stderr],
      [1, '', `${id} has only 3.5 CNY available; -3.500001 exceeds that.\n`],
    );

    const changes = ['--webhook-url', 'https://example.com/hook', '--low-balance', '2.5'];
    const changed = await home.json('accounts', 'update', id, ...changes);
    assert.deepEqual([changed['webhook_url'], changed['low_balance']], ['https://example.com/hook', 2.5]);
    const cleared = await home.json('accounts', 'update', id, '--webhook-url', 'none');
    assert.deepEqual([cleared['webhook_url'], cleared['low_balance']], [null, 2.5]);

    const { key, id: keyId } = await home.json('keys', 'create', '--account', id, '--level', 'read');
    assert.equal((await home.json('accounts', 'suspend', id, '--reason', 'owes'))['status'], 'suspended');
    await eventually(() => account(key), 403);
    assert.equal((await home.json('accounts', 'resume', id))['status'], 'active');
    await eventually(() => account(key), 200);

    const list = await home.json('acts', 'list', '--account', id);
    const acts = list['data'] as Record<string, unknown>[];
    assert.deepEqual(
      acts.map(({ action, subject, reason }) => [action, subject, reason]),
      [
        ['account.resumed', id, null],
        ['account.suspended', id, 'owes'],
        ['key.created', keyId, null],
        ['account.changed', id, null],
        ['account.changed', id, null],
        ['account.adjusted', null, 'paid twice'],
        ['account.adjusted', null, 'a fault of ours'],
        ['account.credited', null, 'opening balance'],
        ['account.created', id, null],
      ],
    );
    assert.ok(acts.every((act) => act['object'] === 'act' && /^act_\d+$/.test(String(act['id']))));
    assert.ok(acts.every(({ actor, account_id }) => /^cli:./.test(String(actor)) && account_id === id));
    assert.equal((acts[5]?.['details'] as { amount: string }).amount, '-5000000');
    assert.equal((acts[2]?.['facts'] as { level: string }).level, 'read');
    assert.ok(!JSON.stringify(acts).includes('hash'));
    const ofKey = await home.json('acts', 'list', '--subject', String(keyId), '--since', '2020-01-01T00:00:00Z');
    assert.equal((ofKey['data'] as unknown[]).length, 1);
    const lines = await home.run(['acts', 'list', '--account', id, '--limit', '4']);
    assert.match(
      lines.stdout,
      /^ID +WHEN +WHO +WHAT +ON +REASON\nact_\d+ +\S+Z +cli:\S+ +account\.resumed +acc_\w+ +-\n/,
    );
    assert.match(lines.stdout, /\nMore than 4 rows match\. Use --limit to show more\.\n$/);
  });

  test('a key with every option shows them all, works, and is revoked', async () => {
    const { id } = await home.json('accounts', 'create', '--name', 'Bob');
    const options = [
      '--account',
      String(id),
      '--name',
      'backend',
      '--level',
      'admin',
      '--models',
      'sim-image, sim-chat',
    ];
    const limits = ['--call-limit', '60/minute', '--call-limit', '1000/day', '--spend-limit', '10.5/month'];
    const rest = ['--max-running-tasks', '3', '--queue', '--expires-at', '2099-01-31T00:00:00Z'];
    rest.push('--allowed-ips', '127.0.0.1/8, ::1');
    const { key, created, ...made } = await home.json('keys', 'create', ...options, ...limits, ...rest);
    assert.equal(typeof created, 'number');
    assert.deepEqual(made, {
      id: made['id'],
      object: 'api_key',
      name: 'backend',
      level: 'admin',
      models: ['sim-image', 'sim-chat'],
      call_limits: [
        { calls: 60, per: 'minute' },
        { calls: 1000, per: 'day' },
      ],
      spend_limit: { amount: 10.5, per: 'month' },
      max_running_tasks: 3,
      queue: true,
      expires_at: '2099-01-31T00:00:00.000Z',
      allowed_ips: ['127.0.0.0/8', '::1'],
      created_by: 'cli',
      last_used: null,
      start: String(key).slice(0, 10),
      last4: String(key).slice(-4),
      revoked: false,
    });
    assert.equal((await account(key)).status, 200);
    const list = await home.json('keys', 'list', '--account', String(id));
    assert.deepEqual(
      (list['data'] as { id: unknown; key?: unknown }[]).map((one) => [one.id, one.key]),
      [[made['id'], undefined]],
    );
    const changes = [
      '--allowed-ips',
      '203.0.113.7',
      '--call-limit',
      'none',
      '--max-running-tasks',
      'none',
      '--no-queue',
    ];
    const changed = await home.json('keys', 'update', String(made['id']), ...changes);
    const {
      allowed_ips: addresses,
      call_limits: calls,
      max_running_tasks: running,
      queue,
      spend_limit: spend,
    } = changed;
    assert.deepEqual([addresses, calls, running, queue], [['203.0.113.7'], [], null, false]);
    assert.deepEqual(spend, { amount: 10.5, per: 'month' });
    await eventually(() => account(key), 403);
    assert.equal((await home.json('keys', 'revoke', String(made['id'])))['revoked'], true);
    await eventually(() => account(key), 401);
  });

  test('people read lines and columns', async () => {
    const created = await home.run(['accounts', 'create', '--name', 'Cleo', '--balance', '1']);
    assert.match(created.stdout, /^acc_\w+ {2}Cleo {2}active {2}balance 1 CNY, held 0 CNY\n$/);
    const [id = ''] = created.stdout.split(' ');
    const accounts = await home.run(['accounts', 'list']);
    assert.match(accounts.stdout, /^ID +NAME +STATUS +BALANCE \(CNY\) +HELD \(CNY\)\n/);
    assert.match(accounts.stdout, new RegExp(`^${id} +Cleo +active +1 +0$`, 'm'));
    const key = await home.run(['keys', 'create', '--account', id]);
    assert.match(key.stdout, /^key_\w+ {2}standard\nsk-tg-[\w-]{43}\nThe key is shown only once\.\n$/);
    const keys = await home.run(['keys', 'list', '--account', id]);
    assert.match(
      keys.stdout,
      /^ID +NAME +LEVEL +KEY +STATE +CREATED BY\nkey_\w+ +key +standard +sk-tg-\S+ +active +cli:\S+\n$/,
    );
  });

  for (const args of [
    ['accounts', 'credit', 'acc_none', '5'],
    ['accounts', 'suspend', 'acc_none'],
    ['accounts', 'resume', 'acc_none'],
    ['accounts', 'adjust', 'acc_none', '-5', '--reason', 'x'],
    ['accounts', 'update', 'acc_none', '--low-balance', '1'],
    ['keys', 'create', '--account', 'acc_none'],
    ['keys', 'list', '--account', 'acc_none'],
    ['keys', 'revoke', 'key_none'],
  ]) {
    test(`${args.join(' ')}: who is not there is named, with exit code 1`, async () => {
      const { code, stdout, stderr } = await home.run(args);
      assert.deepEqual({ code, stdout }, { code: 1, stdout: '' });
      assert.match(stderr, /^(Account acc_none|Key key_none) not found\.\n$/);
    });
  }

  test('a key for a model that the configuration has not is refused, and the ones that it has are named', async () => {
    const { id } = await home.json('accounts', 'create', '--name', 'Dora');
    const wanted = ['keys', 'create', '--account', String(id), '--models', 'sim-chat,sim-cat'];
    const { code, stdout, stderr } = await home.run(wanted);
    assert.deepEqual({ code, stdout }, { code: 1, stdout: '' });
    assert.match(stderr, /^The configuration has no model sim-cat\. Allowed: [^\n]*\bsim-chat, [^\n]*\n$/);
    assert.deepEqual((await home.json('keys', 'list', '--account', String(id)))['data'], []);
  });

  test('demo saves an image, a video and an avatar-talk video, and a ledger that adds up', async () => {
    const [demo] = (
      (await home.json('accounts', 'list'))['data'] as { id: string; name: string; balance: number }[]
    ).filter(({ name }) => name === 'demo');
    const reported = await home.json('demo', '--out', 'results');
    const [image = '', video = '', avatar = ''] = reported['files'] as string[];
    assert.deepEqual(
      [image, video, avatar],
      ['image.png', 'video.mp4', 'avatar-talk.mp4'].map((name) => join(home.folder, 'results', name)),
    );
    const png = await withFileReader(image, probeMedia);
    assert.deepEqual([png.mediaType, png.width, png.height], ['image/png', 1024, 1024]);
    const mp4 = await withFileReader(video, probeMedia);
    assert.deepEqual([mp4.mediaType, mp4.durationMs], ['video/mp4', 5000]);
    const talk = await withFileReader(avatar, probeMedia);
    assert.deepEqual([talk.mediaType, talk.durationMs, talk.hasAudio], ['video/mp4', 4000, true]);

    const entries = reported['ledger'] as { type: string; amount: number; charged: number }[];
    assert.deepEqual(
      entries.filter(({ type }) => type === 'capture').map(({ charged }) => charged),
      [0.2, 0.5, 0.2],
    );
    assert.equal(micro(entries.map(({ amount }) => amount)), -900_000);
    const after = reported['account'] as { balance: number; held: number };
    assert.deepEqual([micro([demo?.balance ?? 0, -after.balance]), after.held], [900_000, 0]);
    assert.equal(await demoKeysLeft(demo?.id ?? ''), 0);
  });

  test('demo with a given key prints what it did for its account', async () => {
    const { id } = await home.json('accounts', 'create', '--name', 'Dora', '--balance', '1');
    const { key } = await home.json('keys', 'create', '--account', String(id));
    const { code, stdout } = await home.run(['demo', '--key', String(key), '--url', `${gateway.url}/`]);
    assert.equal(code, 0);
    assert.match(stdout, /^Saved:\n {2}\S+demo\/image\.png\n {2}\S+video\.mp4\n {2}\S+avatar-talk\.mp4$/m);
    assert.match(stdout, /^Balance change -0\.9, charged 0\.9: the totals match\.$/m);
    assert.ok(stdout.endsWith(`Account ${String(id)}: 0.1 CNY available, 0 on hold.\n`), stdout);
  });

  const wrong: [string, string[], RegExp][] = [
    [
      'an address where no server listens',
      ['--url', 'http://127.0.0.1:1', '--key', 'k'],
      /^http:\/\/127\.0\.0\.1:1 is unreachable \(.+\)\.\n$/,
    ],
    ['an address that is none', ['--url', 'nowhere', '--key', 'k'], /^[^\n]*nowhere[^\n]*\n$/],
    ['a key that is none', ['--key', 'sk-tg-wrong'], /^POST \S+: 401 [^\n]+\n$/],
    [
      'no key for a gateway elsewhere',
      ['--url', 'http://127.0.0.1:1'],
      /^Specify the API key with --key or TOLLGATE_API_KEY\.\n$/,
    ],
  ];
  for (const [what, args, line] of wrong) {
    test(`demo with ${what}: one line and exit code 1`, async () => {
      const { code, stdout, stderr } = await home.run(['demo', '--json', ...args]);
      assert.deepEqual({ code, stdout }, { code: 1, stdout: '' });
      assert.match(stderr, line);
    });
  }

  async function demoKeysLeft(id: string): Promise<number> {
    const keys = (await home.json('keys', 'list', '--account', id))['data'] as { name: string; revoked: boolean }[];
    const made = keys.filter(({ name }) => name === 'tollgate demo');
    assert.ok(made.length > 0);
    return made.filter(({ revoked }) => !revoked).length;
  }
});

/** Asks until the status is the wished one: a key that was changed works on for some seconds. */
function eventually(ask: () => Promise<Response>, status: number): Promise<Response> {
  return until(`status ${status}`, async () => {
    const answer = await ask();
    if (answer.status === status) return answer;
    await answer.body?.cancel();
    return undefined;
  });
}

const micro = (money: readonly number[]): number => money.reduce((sum, one) => sum + Math.round(one * 1_000_000), 0);
