/**
 * docs/operating.md is right: every command on it exists with its options, every filter finds what it says and nothing
 * else, and a stranger who follows it finds a stuck task, sees why, and ends it.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { GatewayError } from '../../../src/domain/errors.ts';
import type { TaskId } from '../../../src/domain/ids.ts';
import { judgedStatus } from '../../../src/domain/webhook-rules.ts';
import { fromTestRun } from '../../support/database.ts';
import type { Customer } from '../../support/money.ts';
import { silentVideo, part, ScriptedProvider, startTaskRunner, type TaskRunner } from '../../support/task-runner.ts';

const root = join(import.meta.dirname, '../../..');
const page = await readFile(join(root, 'docs/operating.md'), 'utf8');
/** The lines of the page's shell blocks that run one of the two programs. */
const commands = [...page.matchAll(/^ *```sh\n([\s\S]*?)^ *```$/gm)]
  .flatMap(([, block = '']) => block.split('\n'))
  .map((line) => line.trim())
  .filter((line) => /^(tollgate|temporal) /.test(line));
const cli = fromTestRun('TEMPORAL_CLI');
const run = promisify(execFile);

/** What a shell of the page needs: both programs on the PATH, and a `date` in which the tests can set when an hour ago was. */
let folder = '';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tollgate-operating-'));
  const scripts = {
    tollgate: `exec ${process.execPath} ${join(root, 'dist/cli/main.js')} "$@"`,
    // As if an hour had passed since a moment that the test names.
    date: `args=()\nfor arg in "$@"; do args+=("\${arg/1 hour ago/\${HOUR_AGO:-1 hour ago}}"); done\nexec /bin/date "\${args[@]}"`,
  };
  for (const [name, script] of Object.entries(scripts)) {
    await writeFile(join(folder, name), `#!/bin/bash\n${script}\n`);
    await chmod(join(folder, name), 0o755);
  }
});
after(() => rm(folder, { recursive: true, force: true }));
const shell = async (line: string, env: Record<string, string> = {}): Promise<string> => {
  const own = Object.entries(process.env).filter(([name]) => !/^(TOLLGATE_|TEMPORAL_|S3_|DATABASE_URL)/.test(name));
  const PATH = `${folder}:${dirname(cli)}:${process.env['PATH'] ?? ''}`;
  const TEMPORAL_ADDRESS = fromTestRun('TEMPORAL_ADDRESS');
  const { stdout } = await run('bash', ['-c', line], {
    env: { ...Object.fromEntries(own), PATH, TEMPORAL_ADDRESS, ...env },
  });
  return stdout;
};

test('every command of the page exists, with its options', async () => {
  assert.ok(commands.length > 40, `${commands.length} commands`);
  const helps = new Map<string, Promise<string>>();
  for (const line of commands) {
    const words = line.split(' ');
    const path = words.slice(0, words.findIndex((word, at) => at > 0 && !/^[a-z][a-z-]*$/.test(word)) >>> 0).join(' ');
    const help = helps.get(path) ?? shell(`${path} --help`);
    helps.set(path, help);
    const text = await help;
    for (const [, option = ''] of line.matchAll(/ (--[a-z][a-z-]*)/g))
      assert.ok(new RegExp(`${option}\\b`).test(text), `${line}: ${path} has no ${option}`);
  }
});

describe('the filters', () => {
  const broken = new GatewayError('upstream_error', 'It broke.');
  const endless = () => new ScriptedProvider({ poll: () => ({ state: 'processing' }) });
  const [mine, other] = [endless(), endless()];
  let runner: TaskRunner;
  let stranger: Customer;
  let hourAgo = '';
  /** By what they are. */
  const ids: Record<string, TaskId> = {};
  before(async () => {
    const second = await silentVideo(1);
    runner = await startTaskRunner({
      webhook: ({ url }) => judgedStatus(url.includes('down') ? 503 : 204),
      pace: { firstMs: 60_000, factor: 1, mostMs: 60_000, forMs: 3_600_000 },
      providers: {
        ...{ mine, other, good: new ScriptedProvider() },
        failing: new ScriptedProvider({ poll: () => ({ state: 'failed', error: broken }) }),
        talking: new ScriptedProvider({ poll: () => ({ state: 'succeeded', parts: [part(second)] }) }),
      },
    });
    stranger = await runner.newCustomer();
    const started = async (
      name: string,
      route: string,
      of?: Customer,
      more: { kind?: 'video' | 'avatar_talk'; webhookUrl?: string } = {},
    ) => {
      const { kind, ...rest } = more;
      const options = { routes: [route], ...rest, ...(kind === 'avatar_talk' && { kind }) };
      const id = await runner.admit(options, of);
      // As far as the filters go, a video is what its workflow was started for.
      const facts = await runner.facts(id);
      await runner.starter.start(kind === 'video' ? { ...facts, kind, model: 'sim-video' } : facts);
      ids[name] = id;
    };
    await started('old', 'mine');
    await started('old elsewhere', 'other');
    await started('old of a stranger', 'mine', stranger);
    await pause(2_000); // the page's moments have whole seconds
    hourAgo = `@${Math.floor(Date.now() / 1000)}`;
    await pause(1_000);
    await started('young', 'mine');
    await started('failed video', 'failing', undefined, { kind: 'video' });
    await started('failed video of a stranger', 'failing', stranger, { kind: 'video' });
    await started('failed image', 'failing');
    await started('image', 'good', undefined, { webhookUrl: 'https://down.example/' });
    await started('image of a stranger', 'good', stranger, { webhookUrl: 'https://up.example/' });
    await started('video', 'good', undefined, { kind: 'video' });
    await started('talk', 'talking', undefined, { kind: 'avatar_talk' });
    await started('cancelled', 'other');
    await started('terminated', 'other', stranger);
    for (const name of [
      'failed video',
      'failed video of a stranger',
      'failed image',
      'image',
      'image of a stranger',
      'video',
      'talk',
    ])
      await runner.final(ids[name] ?? assert.fail());
    await runner.client.workflow.getHandle(ids['cancelled'] ?? '').cancel();
    await runner.client.workflow.getHandle(ids['cancelled'] ?? '').result();
    await runner.client.workflow.getHandle(ids['terminated'] ?? '').terminate();
  });
  after(() => runner.stop());

  /** The names of the tasks of this test that a command of the page lists. */
  async function listed(line: string, env: Record<string, string> = {}): Promise<string[]> {
    const { account, key } = runner.customer;
    const known = { ACCOUNT: account, KEY: key, PROVIDER: 'mine', MODEL: 'sim-image', HOUR_AGO: hourAgo, ...env };
    // Other tests have their tasks on the same server, by the thousand.
    const ofOurs = line.replace('--query "', `--query "TaskQueue = '${runner.queues.workflows}' AND `);
    const found = JSON.parse(await shell(`${ofOurs} --output json`, known)) as { execution: { workflowId: string } }[];
    const names = new Map(Object.entries(ids).map(([name, id]) => [id as string, name]));
    return found.map(({ execution: { workflowId } }) => names.get(workflowId) ?? workflowId.slice(0, 4)).sort();
  }
  /** Each once it lists these: the listing lags behind a little. */
  async function lists(has: string, wanted: readonly string[], env: Record<string, string> = {}): Promise<void> {
    const lines = commands.filter((line) => line.startsWith('temporal workflow list') && line.includes(has));
    assert.ok(lines.length > 0, `no filter with ${has}`);
    for (const line of lines) {
      let last: string[] = [];
      for (let tries = 0; tries < 40; tries++) {
        last = await listed(line, env);
        if (JSON.stringify(last) === JSON.stringify([...wanted].sort())) break;
        await pause(250);
      }
      assert.deepEqual(last, [...wanted].sort(), line);
    }
  }

  test('all failed video tasks of an account today', () => lists("TollgateKind = 'video'", ['failed video']));
  test('running for more than an hour, by provider', () =>
    lists("TollgateProvider = '$PROVIDER' AND ExecutionStatus", ['old', 'old of a stranger']));
  test('the dear ones of today, and not those that cost less', async () => {
    await lists('TollgateCost', []);
    const dear = commands.find((line) => line.includes('TollgateCost >= 1000000')) ?? assert.fail();
    const fromTen = dear.replace('1000000', '10');
    assert.deepEqual(await listed(fromTen), ['image', 'image of a stranger', 'talk', 'video']);
  });
  test('what a key has under way', () => lists('TollgateKey', ['old', 'old elsewhere', 'young']));
  test('what a provider made, and what failed there', async () => {
    await lists("TollgateProvider = '$PROVIDER' AND TollgateStatus IN", ['cancelled'], { PROVIDER: 'other' });
    const all = ['failed image', 'failed video', 'failed video of a stranger'];
    await lists("TollgateProvider = '$PROVIDER' AND TollgateStatus IN", all, { PROVIDER: 'failing' });
    const count = commands.find((line) => line.startsWith('temporal workflow count')) ?? assert.fail();
    const queue = `TaskQueue = '${runner.queues.workflows}' AND TollgateProvider`;
    const answer = await shell(count.replace('TollgateProvider', queue), { PROVIDER: 'good' });
    assert.match(answer, /\b3\b/);
  });
  test('tasks of a model that were cancelled', () => lists('TollgateModel', ['cancelled']));
  test('results that wait to be fetched', () => lists("TollgateKind = 'avatar_talk'", ['talk']));
  test('workflows that did not end as they should', () => lists('ExecutionStatus IN', ['terminated']));
  test('webhooks that are still being tried', () => lists("WorkflowType = 'deliver'", ['evt_']));

  test('a stuck task is found, understood and ended, with either tool', async () => {
    const servers = { DATABASE_URL: runner.db.url, TOLLGATE_SECRET: 'a secret of the tests with 40 characters' };
    const of = (begin: string) => commands.find((line) => line.startsWith(begin)) ?? assert.fail(begin);
    const done = (line: string, id: TaskId) => shell(of(line), { ...servers, TASK: id });
    const [one, two] = [ids['old'] ?? assert.fail(), ids['old of a stranger'] ?? assert.fail()];
    await lists("ExecutionStatus = 'Running' AND StartTime", ['old', 'old elsewhere', 'old of a stranger']);
    const running = await done('tollgate tasks list --state running', one);
    for (const id of [one, two]) {
      assert.match(running, new RegExp(id));
      assert.match(await done('tollgate tasks show', id), /mine +accepted +job/);
      assert.match(await done('temporal workflow describe', id), /collect/);
      assert.match(await done('temporal workflow show', id), /ActivityTaskScheduled/);
    }
    runner.scan();
    await done('tollgate tasks cancel', one);
    await done('temporal workflow cancel', two);
    for (const id of [one, two]) {
      await runner.client.workflow.getHandle(id).result();
      assert.match(await done('tollgate tasks show', id), /image, cancelled/);
    }
    assert.equal(mine.asked.cancel, 2);
    await done('temporal workflow reset', one);
    await runner.client.workflow.getHandle(one).result();
    assert.match(await done('tollgate tasks show', one), /image, cancelled/);
  });
});
