/**
 * The image without an engine: the Dockerfile's own build steps in a folder with nothing but what they copy make what was
 * built here, byte for byte; then what its last stage keeps, read-only and as a user without rights: every role starts and serves.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, chown, copyFile, cp, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { imageOf, readDockerfile, root } from '../../support/compose.ts';
import { freshDatabase, fromTestRun, type TestDatabase } from '../../support/database.ts';
import { Running, until } from '../../support/process.ts';
import { differences, filesOf } from './built-files.ts';

const run = promisify(execFile);
const key = 'sk-tg-a-key-of-the-image-test';
/** The unprivileged user of every Unix. Without root the tests keep their own user. */
const unprivilegedId = 65_534;
const mayChange = process.getuid?.() === 0;

const stages = readDockerfile();
const [build, final] = stages;
const { env: imageEnvironment, entrypoint } = imageOf(stages);
const started = new Set<Running>();
/** All that may show in a build and must not: packages that ran no script, another time zone, another language. */
const elsewhere = { npm_config_ignore_scripts: 'true', TZ: 'Asia/Shanghai', LANG: 'zh_CN.UTF-8', LC_ALL: '' };
let folder: string;
/** Where it is built: a path with spaces, of another length than this checkout's. */
let place: string;
let database: TestDatabase;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tollgate-image-'));
  place = join(folder, 'a build that is elsewhere');
  await chmod(folder, 0o755);
  await copyFile(process.execPath, join(folder, 'node')); // this one may lie in a folder of its owner's alone
  database = await freshDatabase();
});
after(async () => {
  for (const running of started) running.signal('SIGKILL');
  await Promise.allSettled([...started].map(({ ended }) => ended));
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

test('the build’s steps run in a folder that has only what they copy', async () => {
  await mkdir(place);
  for (const { word, rest } of build?.steps ?? []) {
    const words = rest.split(' ');
    if (word === 'COPY') {
      const target = words.at(-1) ?? '';
      for (const source of words.slice(0, -1))
        await cp(join(root, source), join(place, target.startsWith('.') ? basename(source) : target), {
          recursive: true,
          filter: isSource,
        });
    }
    if (word !== 'RUN') continue;
    const env = {
      ...{ PATH: process.env['PATH'], HOME: process.env['HOME'], npm_config_prefer_offline: 'true' },
      ...elsewhere,
    };
    await run('sh', ['-c', `umask 077 && ${rest}`], { cwd: place, env });
  }
});

test('they made what was built here, where packages ran their scripts, byte for byte', async () => {
  const sbomOf = async (cwd: string, settings: Record<string, string>) => {
    const file = join(folder, 'sbom.json');
    await run(process.execPath, ['scripts/supply.mjs', 'sbom', file], { cwd, env: { ...process.env, ...settings } });
    return readFile(file, 'utf8');
  };
  assert.equal(await sbomOf(place, elsewhere), await sbomOf(root, { TZ: 'UTC', LANG: 'C.UTF-8', LC_ALL: 'C.UTF-8' }));

  const here = await filesOf(join(root, 'dist'));
  const there = await filesOf(join(place, 'dist'));
  assert.deepEqual(differences(here, there), []);
  for (const name of [
    ...['workflow-bundle.js', 'cli/main.js'],
    ...['console/index.html', 'console/docs.html', 'console/status.html'],
  ])
    assert.ok(there.has(name), name);
  for (const [file, { text }] of there)
    for (const each of [root, folder]) assert.ok(!text.includes(each), `${file} names the folder it was built in`);
});

test('what is kept has no development package, no source and no test', async () => {
  const app = join(folder, 'app');
  await mkdir(app);
  for (const { rest } of final?.steps.filter(({ word }) => word === 'COPY') ?? []) {
    const [, source = '', target = ''] = rest.split(' ');
    const from = join(place, source.replace('/app/', ''));
    await cp(from, join(app, target.startsWith('.') ? basename(source) : target), {
      recursive: true,
      verbatimSymlinks: true,
    });
  }
  await run('chmod', ['-R', 'a-w,a+rX', app]);
  const packages = await readdir(join(app, 'node_modules'));
  for (const name of ['vite', 'tsx', 'oxlint', 'react', 'playwright-core', 'typescript', 'oxfmt'])
    assert.ok(!packages.includes(name), name);
  assert.deepEqual((await readdir(app)).sort(), [
    'bin',
    'dist',
    'migrations',
    'node_modules',
    'package.json',
    'scripts',
  ]);
});

test('as an unprivileged user, over files that can’t be written, every role starts, is healthy and does its work', async () => {
  const data = join(folder, 'data');
  await mkdir(data);
  if (mayChange) await chown(data, unprivilegedId, unprivilegedId);
  const settings = {
    DATABASE_URL: database.url,
    TEMPORAL_ADDRESS: fromTestRun('TEMPORAL_ADDRESS'),
    TOLLGATE_SECRET: 'a secret of the tests with 40 characters',
    TOLLGATE_BOOTSTRAP_KEY: key,
    TOLLGATE_DATA_DIR: data,
    TOLLGATE_NOTICE_SECONDS: '0',
    HOST: '127.0.0.1',
  };
  const version = await role(['--version'], {}).ended;
  assert.match(version.stdout, /^\d+\.\d+\.\d+\n$/, version.stderr);
  const migrated = await role(['migrate'], settings).ended;
  assert.equal(migrated.code, 0, migrated.stderr);

  const api = role(['api'], { ...settings, PORT: '0' });
  const url = await api.printed(/"address":"(http:[^"]+)"/);
  const worker = role(['worker'], { ...settings, PORT: '1' });
  await worker.printed(/the worker runs/);
  await until('the health check', async () => {
    const asked = node(['scripts/healthy.mjs'], { PORT: new URL(url).port });
    return (await asked.ended).code === 0 ? true : undefined;
  });
  const answer = await fetch(`${url}/v1/images/generations`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ model: 'sim-image', prompt: 'A toll gate' }),
  });
  assert.equal(answer.status, 200, await answer.clone().text());
  const page = await fetch(`${url}/console`);
  assert.equal(page.status, 200);
  for (const running of [api, worker]) {
    running.signal('SIGTERM');
    const { code, stdout, stderr } = await running.ended;
    assert.equal(code, 0, stdout + stderr);
  }
});

/** As the image's entry point does, without its init process. */
function role(args: readonly string[], settings: Record<string, string>): Running {
  const [init, separator, program, ...flags] = entrypoint;
  assert.deepEqual([init, separator, program], ['tini', '--', 'node']);
  return node([...flags, ...args], { ...imageEnvironment, TOLLGATE_WORKER_PORT: '0', ...settings });
}

function node(args: readonly string[], env: Record<string, string>): Running {
  const running = new Running(join(folder, 'node'), args, {
    cwd: join(folder, 'app'),
    env: { PATH: process.env['PATH'], ...env },
    ...(mayChange && { uid: unprivilegedId, gid: unprivilegedId }),
  });
  started.add(running);
  running.ended.then(
    () => started.delete(running),
    () => started.delete(running),
  );
  return running;
}

/** What .dockerignore leaves out of the folders that are copied. */
const isSource = (path: string): boolean =>
  !path.endsWith(join('console', 'src', 'api', 'schema.ts')) && !path.endsWith('.log');
