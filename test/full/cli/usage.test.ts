/** How commands are used: what they say for help, of bad usage, and without a gateway. No server runs. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Installation } from '../../support/process.ts';

let home: Installation;
before(async () => {
  home = await Installation.make();
});
after(() => home.remove());

describe('bad usage', { concurrency: 2 }, () => {
  const badUsage: [string, string[]][] = [
    ['an unknown command', ['fly']],
    ['an unknown option', ['keys', 'list', '--acount', 'x']],
    ['a missing option', ['keys', 'create']],
    ['a missing argument', ['accounts', 'suspend']],
    ['an argument too many', ['accounts', 'list', 'all']],
    ['an amount that is none', ['accounts', 'credit', 'acc_x', 'much']],
    ['an amount below zero', ['accounts', 'create', '--name', 'x', '--balance', '-1']],
    ['a correction without a reason', ['accounts', 'adjust', 'acc_x', '-5']],
    ['a correction by nothing', ['accounts', 'adjust', 'acc_x', '0', '--reason', 'x']],
    ['a webhook that is no address', ['accounts', 'update', 'acc_x', '--webhook-url', 'ftp://example.com']],
    ['an update of nothing', ['accounts', 'update', 'acc_x']],
    ['a threshold below zero', ['accounts', 'update', 'acc_x', '--low-balance', '-1']],
    ['no acts at all', ['acts', 'list', '--limit', '0']],
    ['a name that is empty', ['accounts', 'create', '--name', '']],
    ['an unknown level', ['keys', 'create', '--account', 'x', '--level', 'god']],
    ['a limit without a window', ['keys', 'create', '--account', 'x', '--call-limit', '60']],
    [
      'two limits for one window',
      ['keys', 'create', '--account', 'x', '--call-limit', '1/day', '--call-limit', '2/day'],
    ],
    ['an unknown window', ['keys', 'create', '--account', 'x', '--spend-limit', '10/week']],
    ['no running tasks at all', ['keys', 'create', '--account', 'x', '--max-running-tasks', '0']],
    ['a time that is none', ['keys', 'create', '--account', 'x', '--expires-at', 'tomorrow']],
    ['a model without a name', ['keys', 'create', '--account', 'x', '--models', 'sim-image,']],
  ];
  for (const [what, args] of badUsage) {
    test(`${what} is bad usage: one line and exit code 2`, async () => {
      const { code, stdout, stderr } = await home.run(args);
      assert.deepEqual({ code, stdout }, { code: 2, stdout: '' }, stderr);
      assert.match(stderr, /^error: [^\n]+\n$/);
    });
  }
});

describe('help', { concurrency: 2 }, () => {
  const commands = [
    '',
    'start',
    'api',
    'worker',
    'migrate',
    'codec',
    'demo',
    'accounts',
    'keys',
    'acts',
    'tasks',
    'webhooks',
    'audit',
  ];
  const below = ['accounts create', 'accounts list', 'accounts credit', 'accounts adjust', 'acts list'];
  for (const command of [
    ...commands,
    ...below,
    'accounts suspend',
    'accounts resume',
    'accounts update',
    'keys create',
    'keys list',
    'keys revoke',
  ]) {
    test(`${command} --help says how it is used`, async () => {
      const { code, stdout, stderr } = await home.run([...command.split(' ').filter(Boolean), '--help']);
      assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
      assert.ok(stdout.startsWith(`Usage: ${['tollgate', command].filter(Boolean).join(' ')} `), stdout);
    });
  }
});

describe('without a running gateway', () => {
  for (const [args, exitCode] of [
    [['accounts', 'list'], 1],
    [['keys', 'revoke', 'key_x'], 1],
    [['demo'], 1],
    [['migrate'], 2],
    [['api'], 2],
    [['worker'], 2],
  ] as const) {
    test(`${args.join(' ')} says what is missing and what to do, with exit code ${exitCode}`, async () => {
      const { code, stdout, stderr } = await home.run(args);
      assert.deepEqual({ code, stdout }, { code: exitCode, stdout: '' });
      assert.match(
        stderr,
        exitCode === 1 ? /^No gateway is running on \S+\. Start one with [^\n]+\n$/ : /DATABASE_URL: is not set/,
      );
    });
  }
});
