/** `tollgate doctor` on broken arrangements: each time the fault is named, with its fix. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { examineEverything } from '../../src/cli/roles/doctor/doctor.ts';
import type { Finding } from '../../src/cli/roles/doctor/finding.ts';
import { freePorts } from '../../src/embedded/ports.ts';
import { agreeOn } from '../../src/postgres/installation.ts';
import { deriveKeys } from '../../src/config/secrets.ts';
import { freshDatabase, fromTestRun, type TestDatabase } from '../support/database.ts';
import { withUpstream } from '../support/upstream.ts';

const secret = 'a secret of the tests with 40 characters';
const other = 'another secret that signed this database';
/** Nothing listens at port 1. */
const nowhere = '127.0.0.1:1';

let folder: string;
let database: TestDatabase;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tollgate-doctor-'));
  database = await freshDatabase();
});
after(async () => {
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

type Variables = Record<string, string>;
/** Looks at servers that are in order, but for what is said here. */
async function findings(env: Variables, { cwd = folder, stepMs = 60_000 } = {}): Promise<readonly Finding[]> {
  const healthy = {
    PORT: '0',
    TOLLGATE_DATA_DIR: join(folder, 'data'),
    DATABASE_URL: database.url,
    TEMPORAL_ADDRESS: fromTestRun('TEMPORAL_ADDRESS'),
    TOLLGATE_SECRET: secret,
  };
  const reported: Finding[] = [];
  const all = await examineEverything({
    env: { ...healthy, ...env },
    cwd,
    version: '1.2.3',
    onFinding: (finding) => reported.push(finding),
    stepMs,
  });
  assert.deepEqual(reported, all, 'everything is reported, in its order');
  for (const { state, fix, check } of all)
    assert.equal(fix !== undefined, state === 'warn' || state === 'fail', `${check} is ${state}: ${String(fix)}`);
  return all;
}

/** The findings of one check, which are of this state. */
const of = (all: readonly Finding[], check: string, state: Finding['state']): Finding => {
  const found = all.filter((finding) => finding.check === check);
  const right = found.find((finding) => finding.state === state);
  return right ?? assert.fail(`${check} is not ${state}: ${JSON.stringify(found)}`);
};
/** Asserts what fails of one check, and its fix. */
function fails(all: readonly Finding[], check: string, found: RegExp, fix: RegExp): void {
  const failed = all.filter((finding) => finding.check === check && finding.state === 'fail');
  const finding = failed.find((each) => found.test(each.found));
  assert.match(finding?.fix ?? `${check} does not say ${found}: ${JSON.stringify(failed)}`, fix);
}
const skips = (all: readonly Finding[], check: string, why: string) =>
  assert.equal(of(all, check, 'skip').found, `needs ${why}`);

describe('settings', () => {
  test('all mistakes of the settings are reported at once, and every check that is still possible is made', async () => {
    const cwd = await folderWith('providers: {}\nmodels:\n  - id: a\n    kind: chatt\n');
    const all = await findings({ PORT: 'eighty', S3_ENDPOINT: 'http://s3', TOLLGATE_TYPO: '1' }, { cwd });
    const lines = all.filter(({ state }) => state === 'fail').map(({ found }) => found);
    assert.ok(lines.includes('PORT: must be an integer from 0 to 65535'), lines.join('\n'));
    assert.ok(lines.includes('S3_BUCKET: is required by S3_ENDPOINT'), lines.join('\n'));
    fails(all, 'configuration', /^tollgate\.yaml:4: models\[0\]\.kind: must be one of/, /correct the file/);
    assert.match(of(all, 'environment', 'warn').found, /^TOLLGATE_TYPO is not a setting$/);
    skips(all, 'api', 'PORT');
    skips(all, 'providers', 'configuration');
    of(all, 'database', 'ok');
    of(all, 'temporal', 'ok');
  });

  test('an invalid tollgate.yaml is reported with its line', async () => {
    const cwd = await folderWith('providers:\n  a: { kind: openai\nmodels: []\n');
    fails(await findings({}, { cwd }), 'configuration', /^tollgate\.yaml:\d+: /, /correct the file/);
  });

  test('an address that can not be read is not replaced by what is embedded', async () => {
    const all = await findings({ DATABASE_URL: 'mysql://x', TEMPORAL_ADDRESS: 'nonsense' });
    skips(all, 'database', 'DATABASE_URL');
    skips(all, 'temporal', 'TEMPORAL_ADDRESS');
  });
});

describe('the database', () => {
  test('is down', async () => {
    const all = await findings({ DATABASE_URL: `postgres://u:p@${nowhere}/tollgate` });
    fails(all, 'database', /^127\.0\.0\.1:1\/tollgate: connection refused$/, /start PostgreSQL/);
    skips(all, 'migrations', 'database');
    of(all, 'temporal', 'ok');
  });

  test('refuses the password', async () => {
    const url = new URL(database.url);
    url.password = 'not-the-password';
    const all = await findings({ DATABASE_URL: url.href });
    fails(all, 'database', /password authentication failed/, /user and password in DATABASE_URL/);
    assert.doesNotMatch(JSON.stringify(all), /not-the-password/);
  });

  test('has another name', async () => {
    const url = new URL(database.url);
    url.pathname = '/nowhere';
    fails(await findings({ DATABASE_URL: url.href }), 'database', /"nowhere" does not exist/, /create the database/);
  });

  test('takes connections and answers nothing', async () => {
    const silent = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    try {
      const env = { DATABASE_URL: `postgres://u:p@127.0.0.1:${port}/x`, TEMPORAL_ADDRESS: nowhere };
      fails(await findings(env, { stepMs: 500 }), 'database', /^no answer within 0\.5 s$/, /./);
    } finally {
      silent.close();
    }
  });

  const sql = (statement: string) => database.database.pool.query(statement);

  test('is behind, or ahead, or has no tables', async () => {
    const url = { DATABASE_URL: database.url };
    await sql(`create table kept as select * from tollgate_migrations`);
    await sql(`delete from tollgate_migrations where name = (select max(name) from kept)`);
    const behind = await findings(url);
    fails(behind, 'migrations', /^1 missing: \d+ applied, \d+ known here$/, /^'npx tollgate migrate'$/);
    skips(behind, 'secret', 'migrations');
    skips(behind, 'workers', 'queues');

    await sql(`update tollgate_migrations set name = '9999_newer.sql' where name like '0001%'`);
    fails(await findings(url), 'migrations', /a newer Tollgate/, /run that version/);

    await sql(`delete from tollgate_migrations`);
    fails(await findings(url), 'migrations', /no tables yet/, /^'npx tollgate migrate'$/);
    await sql(`insert into tollgate_migrations select * from kept`);
    await sql(`update tollgate_migrations set sha256 = 'x' where name like '0002%'`);
    fails(await findings(url), 'migrations', /^0002_ledger\.sql had other contents/, /put the file back/);
    await sql(`update tollgate_migrations m set sha256 = k.sha256 from kept k where k.name = m.name`);

    await sql(`alter table tollgate_migrations rename to set_aside; create schema drizzle;
      create table drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint)`);
    fails(await findings(url), 'migrations', /an unreleased version/, /remove the data folder/);
    await sql(`drop schema drizzle cascade; alter table set_aside rename to tollgate_migrations`);
    await sql(`drop table kept`);
    of(await findings(url), 'migrations', 'ok');
  });

  test('was sealed with another secret', async () => {
    assert.match(of(await findings({}), 'secret', 'ok').found, /no process has used/);
    await agreeOn(database.database, 'secret_fingerprint', deriveKeys([other]).fingerprint);
    fails(await findings({}), 'secret', /sealed with another secret/, /TOLLGATE_SECRET/);
    assert.match(of(await findings({ TOLLGATE_SECRET: `${secret},${other}` }), 'secret', 'ok').found, /one of 2/);
  });
});

describe('Temporal', () => {
  test('is down', async () => {
    const all = await findings({ TEMPORAL_ADDRESS: nowhere });
    fails(all, 'temporal', /connection refused/, /TEMPORAL_ADDRESS/);
    skips(all, 'namespace', 'temporal');
    skips(all, 'workers', 'namespace');
  });

  test('is something else', async () => {
    const address = new URL(database.url).host;
    fails(await findings({ TEMPORAL_ADDRESS: address }), 'temporal', /./, /something else is listening there/);
  });

  test('lacks the namespace', async () => {
    const all = await findings({ TEMPORAL_NAMESPACE: 'nobodys' });
    fails(all, 'namespace', /^nobodys does not exist$/, /namespace create .*-n nobodys, or correct TEMPORAL_NAMESPACE/);
    skips(all, 'search attributes', 'namespace');
  });

  test('has no worker that polls our queues, and no schedules', async () => {
    await agreeOn(database.database, 'queue_prefix', 'tollgate-of-a-doctor');
    const all = await findings({});
    fails(all, 'workers', /^no worker polls queue tollgate-of-a-doctor$/, /npx tollgate worker/);
    fails(all, 'audit schedule', /does not exist$/, /start a worker/);
  });
});

describe('providers', () => {
  const asked = (url: string) => async () => {
    const cwd = await folderWith(
      `providers:\n  first: { kind: openai, base_url: '${url}', api_key: sk-of-the-operator-1 }\n` +
        'models: [{ id: a, kind: chat, routes: [{ provider: first, model: x }], ' +
        'price: { input_per_million: 1, output_per_million: 1 } }]\n',
    );
    const all = await findings({ TEMPORAL_ADDRESS: nowhere }, { cwd });
    assert.doesNotMatch(JSON.stringify(all), /sk-of-the-operator-1/);
    return all;
  };
  const answering = (status: number) =>
    withUpstream(async (upstream) => {
      upstream.answers({ status, json: { error: { message: 'sk-of-the-operator-1' } } });
      const all = await asked(upstream.url)();
      assert.deepEqual(
        upstream.requests.map(({ method, path }) => [method, path]),
        [['GET', '/v1/models']],
      );
      return all;
    });

  test('refuse the key', async () =>
    fails(await answering(401), 'provider first', /rejects the credentials \(401\)/, /providers\.first\.api_key/));
  test('forbid the look', async () =>
    assert.match(of(await answering(403), 'provider first', 'warn').found, /denies this probe \(403\)/));
  test('fail or refuse us', async () =>
    fails(await answering(503), 'provider first', /answered 503/, /providers\.first\.base_url/));
  test('take it', async () => assert.match(of(await answering(200), 'provider first', 'ok').found, /accepts the cred/));
  test('can not be reached', async () =>
    fails(await asked(`http://${nowhere}/v1`)(), 'provider first', /can't be reached/, /providers\.first\.base_url/));
});

describe('this machine', () => {
  test('keeps blobs in a folder that is none', async () => {
    const dataDir = join(folder, 'spoilt');
    await mkdir(dataDir);
    await writeFile(join(dataDir, 'blobs'), 'a file');
    const all = await findings({ TOLLGATE_DATA_DIR: dataDir });
    fails(all, 'blob store', /blobs: .*(ENOTDIR|EEXIST)/, /make .*blobs writable for the user/);
  });

  test('has a file for a data folder', async () => {
    const dataDir = join(folder, 'file');
    await writeFile(dataDir, '');
    const all = await findings({ TOLLGATE_DATA_DIR: dataDir });
    fails(all, 'data folder', /is not a folder/, /TOLLGATE_DATA_DIR/);
    skips(all, 'blob store', 'data folder');
  });

  test('has a secret that others can read, or that is none', async () => {
    const dataDir = join(folder, 'open');
    await mkdir(dataDir);
    await writeFile(join(dataDir, 'secret'), `${other}\n`, { mode: 0o644 });
    const env = { TOLLGATE_DATA_DIR: dataDir, DATABASE_URL: '', TOLLGATE_SECRET: '' };
    const { found, fix } = of(await findings(env), 'secret file', 'warn');
    assert.match(`${found} ${String(fix)}`, /mode 644\) chmod 600 /);
    await writeFile(join(dataDir, 'secret'), 'short');
    fails(await findings(env), 'secret file', /at least 32 characters/, /backup/);
  });

  test('has no gateway on its data folder, and none is made', async () => {
    const dataDir = join(folder, 'never');
    const all = await findings({
      TOLLGATE_DATA_DIR: dataDir,
      DATABASE_URL: '',
      TEMPORAL_ADDRESS: '',
      TOLLGATE_SECRET: '',
    });
    assert.match(of(all, 'servers', 'warn').fix ?? '', /npm start/);
    await assert.rejects(rm(dataDir), { code: 'ENOENT' });
  });
});

describe('addresses', () => {
  test('a port that another program has', async () => {
    const taken = createHttpServer((_, response) => response.writeHead(404).end());
    taken.listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    try {
      const env = { PORT: String(port), PUBLIC_URL: `http://127.0.0.1:${port}` };
      const all = await findings(env);
      fails(all, 'api', /another program is listening/, /set PORT/);
      fails(all, 'public url', /returns 404 for \/healthz/, /proxy to forward all paths/);
    } finally {
      taken.close();
    }
  });

  test('a public address without a trusted proxy, and services that are away', async () => {
    const [port] = await freePorts([undefined]);
    const all = await findings({
      PUBLIC_URL: `https://127.0.0.1:${port}`,
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      TOLLGATE_TEMPORAL_UI_URL: `http://127.0.0.1:${port}`,
    });
    fails(all, 'public url', /connection refused/, /certificate/);
    assert.match(of(all, 'trusted proxies', 'warn').fix ?? '', /TOLLGATE_TRUSTED_PROXIES/);
    assert.match(of(all, 'traces', 'warn').fix ?? '', /OTEL_EXPORTER_OTLP_ENDPOINT/);
    assert.match(of(all, 'temporal ui', 'warn').fix ?? '', /TOLLGATE_TEMPORAL_UI_URL/);
  });

  test('providers of the internet that would call this machine', async () => {
    const cwd = await folderWith(
      'providers:\n  far: { kind: replicate, api_key: r8_of-the-operator }\n' +
        'models: [{ id: a, kind: image, routes: [{ provider: far, model: x/y }], price: { per_image: 1 } }]\n',
    );
    const env = { PUBLIC_URL: 'http://127.0.0.1:1' };
    assert.match(of(await findings(env, { cwd }), 'public url', 'warn').found, /far can't call back/);
  });
});

async function folderWith(configuration: string): Promise<string> {
  const cwd = await mkdtemp(join(folder, 'cwd-'));
  await writeFile(join(cwd, 'tollgate.yaml'), configuration);
  return cwd;
}
