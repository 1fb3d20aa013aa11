import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { findTemporal } from '../../../src/embedded/temporal-binary.ts';
import { temporaryFolder } from './support.ts';

const folder = temporaryFolder();
const say = (line: string) => assert.fail(line);

test('a TEMPORAL_CLI_PATH that names no program is refused by name, not passed over', async () => {
  const cliPath = join(folder, 'missing');
  await assert.rejects(findTemporal({ cliPath, say }), {
    message: /TEMPORAL_CLI_PATH is ".*missing", which is not executable/,
  });
  const other = await program('other', 'echo something else');
  await assert.rejects(findTemporal({ cliPath: other, say }), { message: /which is not a Temporal CLI/ });
});

test('the order is: the named one, a recent one on the PATH, the one in the cache', async () => {
  const named = await program('named/temporal', version('1.20.0'));
  const old = await program('old/temporal', version('1.28.3'));
  const recent = await program('recent/temporal', version('1.30.0'));
  const cached = await program('cache/tollgate/temporal-1.5.1/temporal', version('1.29.1'));
  const env = (...folders: string[]) => ({
    PATH: folders.map((name) => join(folder, name)).join(':'),
    XDG_CACHE_HOME: join(folder, 'cache'),
  });
  const said: string[] = [];
  const note = (line: string) => void said.push(line);

  assert.equal(await findTemporal({ cliPath: named, env: env('recent'), say: note }), named);
  assert.equal(await findTemporal({ env: env('nowhere', 'old', 'recent'), say: note }), recent);
  assert.deepEqual(said, [`Skipping ${old}: its server is 1.28, older than 1.29.`]);
  assert.equal(await findTemporal({ env: env('old'), say: note }), cached);
});

const version = (server: string) => `echo "temporal version 1.5.1 (Server ${server}, UI 2.42.1)"`;

/** A shell script that stands in for a program. */
async function program(name: string, line: string): Promise<string> {
  const path = join(folder, name);
  await mkdir(join(path, '..'), { recursive: true });
  await writeFile(path, `#!/bin/sh\n${line}\n`, { mode: 0o755 });
  return path;
}
