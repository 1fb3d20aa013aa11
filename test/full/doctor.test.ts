/** `tollgate doctor` as operators run it: beside a gateway in order, and beside ones that are not. */
import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import { runningPostgres } from '../../src/embedded/postgres-server.ts';
import type { Finding } from '../../src/cli/roles/doctor/finding.ts';
import { openDatabase } from '../../src/postgres/database.ts';
import { type Ended, type Environment, type Gateway, Installation, program, until } from '../support/process.ts';
import { freshDatabase, fromTestRun, type TestDatabase } from '../support/database.ts';

const secret = 'a secret of the tests with 40 characters';
const clock = new URL('../drills/clock.mjs', import.meta.url).href;

interface Diagnosis extends Ended {
  findings: Finding[];
  /** The first finding of a check that is of this state. */
  of(check: string, state: Finding['state']): Finding;
  /** All that is not as it should be. */
  problems: Finding[];
}

async function doctor(home: Installation, env: Environment = {}): Promise<Diagnosis> {
  const ended = await home.run(['doctor', '--json'], env);
  const findings = JSON.parse(ended.stdout) as Finding[];
  const of = (check: string, state: Finding['state']) =>
    findings.find((finding) => finding.check === check && finding.state === state) ??
    assert.fail(`${check} is not ${state}: ${JSON.stringify(findings.filter((each) => each.check === check))}`);
  return { ...ended, findings, of, problems: findings.filter(({ state }) => state !== 'ok') };
}

describe('beside npm start', () => {
  let home: Installation;
  let gateway: Gateway;
  before(async () => {
    home = await Installation.make();
    gateway = await home.start();
  });
  after(() => home.remove());

  test('all is in order, a line each, and nothing is changed', async () => {
    const { code, stdout, stderr } = await home.run(['doctor']);
    assert.deepEqual([code, stderr], [0, ''], stdout);
    const lines = stdout.trimEnd().split('\n');
    assert.match(lines.at(-1) ?? '', /^(\d+) checks: \1 ok\.$/);
    for (const line of lines.slice(0, -2)) assert.match(line, /^ok {4}[a-z].{18} +\S/);
    for (const check of [
      'database',
      'migrations',
      'partitions',
      'secret',
      'blob store',
      'temporal',
      'namespace',
      'search attributes',
    ])
      assert.match(stdout, new RegExp(`^ok    ${check} `, 'm'));
    for (const check of [
      'workers',
      'batch queue',
      'provider queues',
      'audit schedule',
      'provider simulator',
      'api',
      'clock',
    ])
      assert.match(stdout, new RegExp(`^ok    ${check} `, 'm'));
  });

  test('as JSON it is a list for scripts', async () => {
    const { code, findings, problems } = await doctor(home);
    assert.deepEqual([code, problems], [0, []]);
    assert.deepEqual(findings[0], { check: 'program', state: 'ok', found: findings[0]?.found });
  });

  test('a clock that is set wrong is reported, with how far', async () => {
    const env = { NODE_OPTIONS: `--import ${clock}`, DRILL_CLOCK_BEHIND_MS: '20000' };
    const late = await doctor(home, env);
    assert.match(late.of('clock', 'warn').found, /is (19\.\d|20\.\d) s behind the database's/);
    assert.equal(late.code, 0);
    assert.deepEqual(
      late.problems.map(({ check }) => check),
      ['clock'],
      'workers and audits are judged by the clock of the database',
    );
    const early = await doctor(home, { ...env, DRILL_CLOCK_BEHIND_MS: '-3600000' });
    assert.match(early.of('clock', 'fail').fix ?? '', /NTP/);
    assert.deepEqual([early.code, early.of('workers', 'ok').state], [1, 'ok']);
  });

  test('a database role with too few rights is reported, and one without superuser is in order', async () => {
    const own = new URL((await runningPostgres({ dataDir: home.dataDir })) ?? assert.fail('it does not run'));
    const database = openDatabase(own.href, { onIdleError: () => undefined });
    const as = (role: string) => {
      const url = new URL(own);
      url.username = role;
      url.password = 'the-password-of-a-role';
      return { DATABASE_URL: url.href, TOLLGATE_SECRET: secret };
    };
    try {
      await database.pool.query(`create role weak login password 'the-password-of-a-role'`);
      const weak = await doctor(home, as('weak'));
      assert.match(weak.of('database role', 'fail').fix ?? '', /grant create on schema public to "weak"/);
      assert.match(weak.of('migrations', 'fail').found, /permission denied/);
      assert.doesNotMatch(weak.stdout + weak.stderr, /the-password-of-a-role/);

      await database.pool.query(`create role owner login password 'the-password-of-a-role'`);
      await database.pool.query('create database owned owner owner');
      const url = new URL(as('owner').DATABASE_URL);
      url.pathname = '/owned';
      const env = { DATABASE_URL: url.href, TOLLGATE_SECRET: secret };
      assert.equal((await doctor(home, env)).of('migrations', 'fail').fix, "'npx tollgate migrate'");
      assert.equal((await home.run(['migrate'], env)).code, 0);
      const owner = await doctor(home, env);
      assert.match(owner.of('database role', 'ok').found, /^owner may create tables/);
      owner.of('migrations', 'ok');
    } finally {
      await database.close();
    }
  });

  test('a gateway that was killed is reported while its servers go on, and so is one that was stopped', async () => {
    gateway.running.signal('SIGKILL');
    await gateway.running.ended;
    const killed = await doctor(home);
    assert.match(killed.of('api', 'fail').fix ?? '', /npm start/);
    killed.of('database', 'ok');
    gateway = await home.start();
    gateway.running.signal('SIGTERM');
    await gateway.running.ended;
    const stopped = await doctor(home);
    assert.match(stopped.of('servers', 'fail').fix ?? '', /npm start/);
    assert.equal(stopped.of('migrations', 'skip').found, 'needs database');
    assert.deepEqual([stopped.code, await home.servers()], [1, []]);
  });
});

describe('beside servers of their own', () => {
  let database: TestDatabase;
  let home: Installation;
  before(async () => {
    database = await freshDatabase();
    home = await Installation.make({
      DATABASE_URL: database.url,
      TEMPORAL_ADDRESS: fromTestRun('TEMPORAL_ADDRESS'),
      TOLLGATE_SECRET: secret,
    });
    await mkdir(home.dataDir);
  });
  after(async () => {
    await home.remove();
    await database.drop();
  });

  test('an API without a worker, and then with one', async () => {
    const api = home.spawn(['api']);
    const url = await api.printed(/"address":"(http:[^"]+)"/);
    const PORT = new URL(url).port;
    const alone = await doctor(home, { PORT });
    assert.match(alone.of('workers', 'fail').fix ?? '', /npx tollgate worker/);
    assert.match(alone.of('api', 'ok').found, /^ready at 127\.0\.0\.1:/);

    const worker = home.spawn(['worker']);
    await worker.printed(/the worker runs/);
    const whole = await until('a worker that polls', async () => {
      const diagnosis = await doctor(home, { PORT });
      return diagnosis.findings.some(({ check, state }) => check === 'provider queues' && state === 'ok')
        ? diagnosis
        : undefined;
    });
    assert.match(whole.of('workers', 'ok').found, /^1 worker on queue tollgate-/);
    // The servers of the tests are quick rather than safe, and used as superuser.
    assert.deepEqual(
      whole.problems.map(({ check }) => check),
      ['database role', 'durability'],
    );
    assert.match(whole.of('durability', 'warn').fix ?? '', /set fsync/);

    const more = await doctor(home, { PORT, TOLLGATE_SECRET: 'another secret that has 32 characters too' });
    assert.match(more.of('secret', 'fail').found, /another secret/);
    for (const running of [api, worker]) {
      running.signal('SIGTERM');
      await running.ended;
    }
  });

  test('a namespace without our search attributes, that keeps too little', async () => {
    const namespace = `doctor-${process.pid}-${Date.now()}`;
    const connection = await Connection.connect({ address: fromTestRun('TEMPORAL_ADDRESS') });
    try {
      await connection.workflowService.registerNamespace({
        namespace,
        workflowExecutionRetentionPeriod: msToTs('1 day'),
      });
    } finally {
      await connection.close();
    }
    const found = await until('the namespace, which some parts of Temporal learn of later', async () => {
      const diagnosis = await doctor(home, { TEMPORAL_NAMESPACE: namespace });
      const { state } = diagnosis.findings.find(({ check }) => check === 'search attributes') ?? {};
      return state === 'fail' ? diagnosis : undefined;
    });
    const { found: missing, fix = '' } = found.of('search attributes', 'fail');
    assert.match(missing, /^missing: TollgateAccount, .*TollgateStatus/);
    assert.match(fix, /search-attribute create .*--name TollgateAccount --type Keyword/);
    assert.match(found.of('namespace', 'warn').fix ?? '', /--retention 30d/);
  });

  test('a disk that is nearly full', async () => {
    const folder = join(home.folder, 'small');
    await mkdir(folder);
    // In a name space of its own anybody may mount a small disk.
    const { stdout, stderr, code } = await home.bash(
      `unshare --user --map-root-user --mount bash -c "mount -t tmpfs -o size=4m tmpfs '${folder}' && '${process.execPath}' '${program}' doctor"`,
      { TOLLGATE_DATA_DIR: folder },
    );
    assert.match(stdout, /^FAIL {2}disk +4 MiB of 4 MiB free.*\n +→ free some space/m, stderr);
    assert.equal(code, 1);
  });
});
