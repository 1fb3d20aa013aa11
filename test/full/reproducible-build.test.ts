/**
 * The same sources give the same `dist`, byte for byte: in another folder, with packages that ran no install script, in
 * another time zone and language, under another umask.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, cp, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..', '..');
/** What the Dockerfile copies before it builds. */
const sources = ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json'];
const folders = ['scripts', 'bin', 'migrations', 'src', 'console', 'docs'];

let places: string;
before(async () => (places = await mkdtemp(join(tmpdir(), 'tollgate-build-'))));
after(() => rm(places, { recursive: true, force: true }));

test('two builds, the second without any install script, give the same files', async () => {
  const first = await builtHere();
  const second = await builtIn(
    'second/of another length',
    { TZ: 'Asia/Shanghai', LANG: 'zh_CN.UTF-8', LC_ALL: '' },
    '077',
  );
  assert.deepEqual(await differences(first, second), []);
  const files = await filesOf(first);
  for (const name of [
    'workflow-bundle.js',
    'console/index.html',
    'console/docs.html',
    'console/status.html',
    'cli/main.js',
  ]) {
    assert.ok(
      [...files.keys()].some((file) => file.endsWith(name)),
      name,
    );
  }
  for (const [file, { text }] of files)
    for (const place of [root, places]) assert.ok(!text.includes(place), `${file} names the folder it was built in`);
});

/** What this checkout's own build made, with packages that ran their install scripts; the test run saw to it that it is of these sources. */
async function builtHere(): Promise<string> {
  const dist = join(places, 'first', 'dist');
  await cp(join(root, 'dist'), dist, { recursive: true });
  await run(process.execPath, ['scripts/supply.mjs', 'sbom', join(dist, 'sbom.json')], {
    cwd: root,
    env: { ...process.env, TZ: 'UTC', LANG: 'C.UTF-8', LC_ALL: 'C.UTF-8' },
  });
  return dist;
}

/** Installs as the lock file says, without running any script of a package, and builds. */
async function builtIn(name: string, env: Record<string, string>, umask: string): Promise<string> {
  const folder = join(places, name);
  for (const source of [...sources, ...folders])
    await cp(join(root, source), join(folder, source), { recursive: true });
  await rm(join(folder, 'console/src/api/schema.ts'), { force: true });
  const install = 'npm ci --ignore-scripts --include=dev --prefer-offline --no-audit --no-fund --loglevel=error';
  await run('bash', ['-c', `umask ${umask} && ${install} && node scripts/build.mjs && npm run -s sbom`], {
    cwd: folder,
    env: { ...process.env, ...env },
    maxBuffer: 16 * 1024 * 1024,
  });
  await chmod(folder, 0o755);
  return join(folder, 'dist');
}

async function differences(first: string, second: string): Promise<string[]> {
  const [one, other] = await Promise.all([filesOf(first), filesOf(second)]);
  const names = new Set([...one.keys(), ...other.keys()]);
  return [...names].filter((name) => one.get(name)?.hash !== other.get(name)?.hash).sort();
}

/** By their paths. Files that only say what is built already, for the next build, are left out. */
async function filesOf(folder: string): Promise<Map<string, { hash: string; text: string }>> {
  const names = await readdir(folder, { recursive: true });
  const files = new Map<string, { hash: string; text: string }>();
  for (const name of names) {
    if (/(^|\/)\.(stamp|tsbuildinfo)$/.test(name) || !(await stat(join(folder, name))).isFile()) continue;
    const bytes = await readFile(join(folder, name));
    files.set(name, { hash: createHash('sha256').update(bytes).digest('hex'), text: bytes.toString('latin1') });
  }
  return files;
}
