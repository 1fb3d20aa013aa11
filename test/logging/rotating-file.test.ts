import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { rotatingFile } from '../../src/observability/logging/rotating-file.ts';

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tollgate-log-'));
});
after(() => rm(folder, { recursive: true }));

test('a full file makes room, three are kept, no line is lost between them, and no other user may read them', async () => {
  const path = join(folder, 'made', 'gateway.log');
  const file = rotatingFile(path, 100);
  for (let line = 0; line < 100; line++) file.write(`line ${String(line).padStart(4, '0')}\n`);
  const names = (await readdir(join(folder, 'made'))).sort();
  assert.deepEqual(names, ['gateway.log', 'gateway.log.1', 'gateway.log.2']);
  const texts = await Promise.all(names.toReversed().map((name) => readFile(join(folder, 'made', name), 'utf8')));
  const kept = texts.join('').trimEnd().split('\n');
  assert.deepEqual(
    kept,
    Array.from({ length: kept.length }, (_, at) => `line ${String(100 - kept.length + at).padStart(4, '0')}`),
  );
  assert.ok(kept.length >= 20, `${kept.length} lines`);
  for (const name of names) {
    const { mode, size } = await stat(join(folder, 'made', name));
    assert.equal(mode & 0o777, 0o600);
    assert.ok(size <= 100);
  }
});

test('a file of before is gone on with, is closed to others, and counts', async () => {
  const path = join(folder, 'before.log');
  await writeFile(path, `${'x'.repeat(79)}\n`);
  await chmod(path, 0o644);
  const file = rotatingFile(path, 100);
  file.write('still fits\n');
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  assert.ok((await readFile(path, 'utf8')).endsWith('x\nstill fits\n'));
  file.write('no longer fits\n');
  assert.equal(await readFile(path, 'utf8'), 'no longer fits\n');
});

test('where it can not be moved it goes on in the same file', async () => {
  const path = join(folder, 'stuck.log');
  await mkdir(join(folder, 'stuck.log.1', 'not empty'), { recursive: true });
  await mkdir(join(folder, 'stuck.log.2', 'not empty'), { recursive: true });
  const file = rotatingFile(path, 30);
  for (let line = 0; line < 10; line++) file.write(`line number ${line}\n`);
  assert.equal((await readFile(path, 'utf8')).split('\n').length, 11);
});
