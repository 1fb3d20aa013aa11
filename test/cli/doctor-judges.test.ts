/** The bounds from which `tollgate doctor` warns, on facts that no test can bring about; and how its checks are run. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { findingText } from '../../src/cli/commands/doctor.ts';
import { judgeProxies } from '../../src/cli/roles/doctor/check-addresses.ts';
import { judgeClock } from '../../src/cli/roles/doctor/check-clock.ts';
import { judgeServer } from '../../src/cli/roles/doctor/check-database.ts';
import { examineConfiguration } from '../../src/cli/roles/doctor/check-settings.ts';
import { Examination } from '../../src/cli/roles/doctor/examination.ts';
import { fail, type Finding, ok, type Verdict } from '../../src/cli/roles/doctor/finding.ts';
import { type DiskFacts, judgeDisk, nodeMin } from '../../src/cli/roles/doctor/check-machine.ts';
import { Blotter, reasonOf } from '../../src/cli/roles/doctor/reason.ts';
import { judgePollers } from '../../src/cli/roles/doctor/check-workers.ts';
import type { ServerFacts } from '../../src/postgres/server-facts.ts';

describe('the disk', () => {
  const GiB = 1024 ** 3;
  const facts = (change: Partial<DiskFacts>) => ({
    ...{ bytesFree: 100 * GiB, bytes: 200 * GiB, inodesFree: 1e6, inodes: 2e6 },
    ...change,
  });
  const rows: [what: string, change: Partial<DiskFacts>, state: Finding['state']][] = [
    ['half empty', {}, 'ok'],
    ['nearly full', { bytesFree: GiB / 2 }, 'fail'],
    ['with little room', { bytesFree: 3 * GiB }, 'warn'],
    ['with a small share left', { bytes: 1000 * GiB, bytesFree: 40 * GiB }, 'warn'],
    ['with a small share left of very much', { bytes: 10_000 * GiB, bytesFree: 100 * GiB }, 'ok'],
    ['without inodes', { inodesFree: 10 }, 'fail'],
    ['with few inodes', { inodesFree: 10_000 }, 'warn'],
    ['that counts no inodes', { inodes: 0, inodesFree: 0 }, 'ok'],
  ];
  for (const [what, change, state] of rows)
    test(`${what} is ${state}`, () => assert.equal(judgeDisk(facts(change)).state, state));
});

describe('the clock', () => {
  const rows: [aheadMs: number, accuracyMs: number, state: Finding['state']][] = [
    [0, 5, 'ok'],
    [1_900, 0, 'ok'],
    [2_900, 1_000, 'ok'],
    [3_100, 1_000, 'warn'],
    [-5_000, 5, 'warn'],
    [-61_000, 5, 'fail'],
    [3_600_000, 5, 'fail'],
  ];
  for (const [aheadMs, accuracyMs, state] of rows)
    test(`${aheadMs} ms ahead, measured to ${accuracyMs} ms, is ${state}`, () =>
      assert.equal(judgeClock("the other's", aheadMs, accuracyMs).state, state));
  test('says which one is ahead', () => {
    assert.match(judgeClock("the database's", 5_000, 0).found, /is 5\.0 s ahead of the database's/);
    assert.match(judgeClock("the database's", -5_000, 0).found, /is 5\.0 s behind the database's/);
  });
});

test('a price that leaves out tokens which its provider counts apart is named with its rates', async (t) => {
  const cwd = mkdtempSync(join(tmpdir(), 'tollgate-test-'));
  t.after(() => rmSync(cwd, { recursive: true }));
  const model = (id: string, more: string) =>
    `  - { id: ${id}, kind: chat, owned_by: me, routes: [{ provider: one, model: m }], price: { input_per_million: 2, output_per_million: 8${more} } }`;
  const yaml = `providers:
  one: { kind: openai, base_url: "http://127.0.0.1:1/v1" }
models:
${model('bare', '')}
${model('named', ', cached_input_per_million: 0.5')}
`;
  writeFileSync(join(cwd, 'tollgate.yaml'), yaml);
  const { findings } = await examineConfiguration({ env: {}, cwd });
  const warned = findings.filter(({ state }) => state === 'warn').map(({ found }) => found);
  assert.deepEqual(warned, [
    'the price of bare leaves out cached_input_per_million: such tokens cost what plain ones do',
  ]);
});

test('the built-in configuration has nothing to warn of', async (t) => {
  const cwd = mkdtempSync(join(tmpdir(), 'tollgate-test-'));
  t.after(() => rmSync(cwd, { recursive: true }));
  const { findings } = await examineConfiguration({ env: {}, cwd });
  assert.deepEqual(
    findings.map(({ state }) => state),
    ['ok'],
  );
});

describe('a database server', () => {
  const healthy: ServerFacts = {
    ...{ version: '17.1', major: 17, encoding: 'UTF8', standby: false, read_only: false, role: 'gate' },
    ...{ superuser: false, makes_tables: true, foreign_tables: 0 },
    ...{ fsync: 'on', full_page_writes: 'on', synchronous_commit: 'on', connections_max: 97, connections_used: 5 },
    ...{ clockAheadMs: 0, roundTripMs: 1 },
  };
  const problems = (change: Partial<ServerFacts>) =>
    judgeServer({ ...healthy, ...change }, { isOurs: false }).filter(({ state }) => state !== 'ok');
  const rows: [what: string, change: Partial<ServerFacts>, state: Finding['state'], said: RegExp][] = [
    ['a standby', { standby: true, read_only: true }, 'fail', /standby/],
    ['read only', { read_only: true }, 'fail', /read_only/],
    ['of another encoding', { encoding: 'SQL_ASCII' }, 'fail', /UTF8/],
    ['used as a superuser', { superuser: true }, 'warn', /superuser/],
    ['where we make no tables', { makes_tables: false }, 'fail', /grant create on schema/],
    ['with tables of another role', { foreign_tables: 3 }, 'fail', /3 tables are not owned/],
    ['that forgets', { fsync: 'off', synchronous_commit: 'off' }, 'warn', /set fsync, synchronous_commit to on/],
    ['that is full', { connections_used: 90 }, 'warn', /max_connections/],
    ['with another time', { clockAheadMs: 10_000 }, 'warn', /ahead of the database's/],
  ];
  test('in order is no problem', () => assert.deepEqual(problems({}), []));
  for (const [what, change, state, said] of rows)
    test(what, () => {
      const [first, ...more] = problems(change);
      assert.deepEqual([first?.state, more], [state, []]);
      assert.match(`${first?.found} ${first?.fix}`, said);
    });
  test('of our own may be used as a superuser', () =>
    assert.deepEqual(
      judgeServer({ ...healthy, superuser: true }, { isOurs: true }).filter(({ state }) => state !== 'ok'),
      [],
    ));
});

test('a worker that polled long ago is none', () => {
  assert.equal(judgePollers('workers', 'queue q', { count: 0, agoMs: undefined }).state, 'fail');
  assert.equal(judgePollers('workers', 'queue q', { count: 0, agoMs: 200_000 }).state, 'fail');
  assert.equal(judgePollers('workers', 'queue q', { count: 2, agoMs: 61_000 }).state, 'ok');
});

test('proxies are asked for behind https only, and everybody is no proxy', () => {
  const stateOf = (...args: Parameters<typeof judgeProxies>) => judgeProxies(...args).state;
  assert.deepEqual(
    [stateOf(undefined, []), stateOf('http://a', []), stateOf('https://a', []), stateOf('https://a', ['10.0.0.1'])],
    ['ok', 'ok', 'warn', 'ok'],
  );
  assert.equal(stateOf('https://a', ['0.0.0.0/0']), 'warn');
});

test('the Node that is asked for is the one of package.json', () => {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  assert.match(text, new RegExp(`"node": ">=${nodeMin.join('\\.')}"`));
});

describe('checks', () => {
  test('are reported in their order, skipped without what they need, and never throw', async () => {
    const reported: string[] = [];
    const exam = new Examination((finding) => reported.push(`${finding.state} ${finding.check}: ${finding.found}`));
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const nothing = () => Promise.resolve(undefined);
    const late = exam.step('late', nothing, async () => {
      await released;
      return { findings: [ok('late', 'at last')], value: 7 };
    });
    const broken = exam.step<undefined, number>('broken', nothing, () => Promise.reject(new Error('it broke')));
    exam.step(
      'over broken',
      (need) => need(broken),
      () => Promise.resolve({ findings: [ok('never', '')] }),
    );
    exam.step(
      'over late',
      (need) => need(late),
      (value) => Promise.resolve({ findings: [fail('over late', `got ${value}`, 'nothing')] }),
    );
    let isClosed = false;
    exam.onEnd(() => {
      isClosed = true;
      return Promise.reject(new Error('closing fails'));
    });
    await broken.value;
    assert.deepEqual(reported, []);
    release();
    const all = await exam.done();
    assert.deepEqual(reported, [
      'ok late: at last',
      'fail broken: it broke',
      'skip over broken: needs broken',
      'fail over late: got 7',
    ]);
    assert.deepEqual([all.length, isClosed], [4, true]);
  });

  test('that hang are given up, and aborted', async () => {
    const exam = new Examination(() => undefined, 20);
    let reason: unknown;
    exam.step(
      'hanging',
      () => Promise.resolve(),
      (_, signal) =>
        new Promise<Verdict<true>>((resolve) => {
          signal.addEventListener('abort', () => {
            reason = signal.reason;
            resolve({ findings: [ok('hanging', 'too late')] });
          });
        }),
    );
    const [finding] = await exam.done();
    assert.equal(finding?.found, 'no answer within 0.02 s');
    assert.ok(reason instanceof Error);
  });
});

test('a finding is a line, and its fix another', () => {
  assert.equal(findingText(ok('disk', 'half empty')), 'ok    disk                 half empty');
  assert.equal(
    findingText(fail('disk', 'full', 'make room')),
    'FAIL  disk                 full\n                           → make room',
  );
});

test('reasons are the innermost that says something', () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  assert.equal(reasonOf(new TypeError('fetch failed', { cause: refused })), 'connection refused');
  assert.equal(reasonOf(new AggregateError([refused], '')), 'connection refused');
  assert.equal(reasonOf(new Error('a\n  b')), 'a b');
  assert.equal(reasonOf('text'), 'unknown error');
});

test('secrets are blotted out of whatever servers say', () => {
  const blotter = new Blotter();
  blotter.addVariables({
    DATABASE_URL: 'postgres://gate:p%40ss-of-the-gate@db/x',
    TEMPORAL_API_KEY: 'key-of-temporal',
    TOLLGATE_SECRET: 'first-secret,second-secret',
    PGPASSWORD: 'tollgate',
  });
  assert.equal(
    blotter.blotted('p@ss-of-the-gate p%40ss-of-the-gate key-of-temporal first-secret second-secret tollgate'),
    '*** *** *** *** *** tollgate',
  );
});
