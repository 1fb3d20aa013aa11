import assert from 'node:assert/strict';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { SettingsError } from '../../src/config/setting-errors.ts';
import { deriveKeys, loadOrMakeSecret, purposes } from '../../src/config/secrets.ts';

const [one, two] = ['first secret '.repeat(4), 'second secret '.repeat(4)];

async function inFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-secret-'));
  try {
    await use(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

test('each purpose of each secret has a key of its own, the same every time', () => {
  const keys = deriveKeys([one, two]);
  const all = keys.all.flatMap((set) => purposes.map((purpose) => set[purpose].toString('hex')));
  assert.equal(new Set(all).size, 2 * purposes.length);
  assert.ok(all.every((key) => /^[0-9a-f]{64}$/.test(key)));
  assert.deepEqual(deriveKeys([one, two]), keys);
});

test('the derivation is the one that running gateways rely on', () => {
  // HKDF-SHA256, empty salt, info `tollgate/v1/<purpose>`, computed with `openssl kdf`.
  const { first } = deriveKeys(['0123456789abcdef0123456789abcdef']);
  assert.equal(first.links.toString('hex'), 'd5ecdd0aa4ef0a931c3f4c62f418d13c6c6e2eaeaee87af072ac8062bc568491');
  assert.equal(first.id, '9dca36e063462165');
});

test('the first secret signs and gives the fingerprint', () => {
  const keys = deriveKeys([one, two]);
  assert.equal(keys.first, keys.all[0]);
  assert.equal(keys.fingerprint, keys.first.id);
  assert.notEqual(deriveKeys([two, one]).fingerprint, keys.fingerprint);
});

test('no secret and a short secret are refused', () => {
  assert.throws(() => deriveKeys([]), SettingsError);
  assert.throws(() => deriveKeys([one, 'x'.repeat(31)]), SettingsError);
});

test('a secret is made once, for its owner only, and kept', () =>
  inFolder(async (folder) => {
    const dataDir = join(folder, 'data');
    const made = await loadOrMakeSecret(dataDir);
    assert.match(made, /^[\w-]{43}$/);
    assert.equal(await loadOrMakeSecret(dataDir), made);
    assert.deepEqual(await readdir(dataDir), ['secret']);
    assert.equal((await stat(join(dataDir, 'secret'))).mode & 0o777, 0o600);
    assert.equal((await readFile(join(dataDir, 'secret'), 'utf8')).trim(), made);
  }));

test('processes that start at once end with one secret', () =>
  inFolder(async (folder) => {
    const made = await Promise.all(Array.from({ length: 20 }, () => loadOrMakeSecret(folder)));
    assert.equal(new Set(made).size, 1);
    assert.deepEqual(await readdir(folder), ['secret']);
  }));

test('a kept secret that others may read is closed to them again', () =>
  inFolder(async (folder) => {
    await writeFile(join(folder, 'secret'), one);
    await chmod(join(folder, 'secret'), 0o644);
    assert.equal(await loadOrMakeSecret(folder), one.trim());
    assert.equal((await stat(join(folder, 'secret'))).mode & 0o777, 0o600);
  }));

test('a kept file that is too short is refused rather than replaced', () =>
  inFolder(async (folder) => {
    await writeFile(join(folder, 'secret'), 'short');
    await assert.rejects(loadOrMakeSecret(folder), SettingsError);
    assert.equal(await readFile(join(folder, 'secret'), 'utf8'), 'short');
  }));
