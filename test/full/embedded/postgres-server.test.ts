import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { runningPostgres, startPostgres } from '../../../src/embedded/postgres-server.ts';
import { processesMentioning } from '../../../src/embedded/processes.ts';
import { eventually, listeningHosts, queried, temporaryFolder } from './support.ts';

const say = () => undefined;

describe('the embedded PostgreSQL of one data folder', () => {
  const dataDir = temporaryFolder();

  test('starts with its data, its port and its password kept for the next start', async () => {
    const first = await startPostgres({ dataDir, say });
    await queried(first.url, 'create table notes as select 42 as note');
    assert.equal(await queried(first.url, 'show server_encoding'), 'UTF8');
    assert.equal(await queried(first.url, 'show fsync'), 'on');
    await first.stop();

    const second = await startPostgres({ dataDir, say });
    assert.equal(second.url, first.url);
    assert.equal(await queried(second.url, 'select note from notes'), 42);
    await second.stop();
    assert.equal(await runningPostgres({ dataDir }), undefined);
  });

  test('listens on 127.0.0.1 only, asks for the password, and hides it from other users', async () => {
    const server = await startPostgres({ dataDir, say });
    const wrong = new URL(server.url);
    wrong.password = 'guess';
    await assert.rejects(queried(wrong.href, 'select 1'), { code: '28P01' });
    assert.equal((await stat(join(dataDir, 'postgres/password'))).mode & 0o777, 0o600);
    assert.equal((await stat(join(dataDir, 'postgres'))).mode & 0o777, 0o700);
    assert.deepEqual(await listeningHosts(server.pid), ['127.0.0.1']);
    await server.stop();
  });

  test('is started again on its port, with what was committed, after a kill -9', async () => {
    const server = await startPostgres({ dataDir, say });
    const victim = server.pid;
    await queried(server.url, 'create table kept as select 7 as number');
    process.kill(victim, 'SIGKILL');
    assert.equal(await eventually(() => queried(server.url, 'select number from kept')), 7);
    await eventually(() => assert.notEqual(server.pid, victim));
    await server.stop();
  });

  test('outlives a starter that is killed; the next one attaches to it and can stop it', async () => {
    const starter = spawn(
      process.execPath,
      ['--import', 'tsx', '--input-type=module', '--eval', starterScript, dataDir],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    const [line] = (await once(starter.stdout, 'data')) as [Buffer];
    starter.kill('SIGKILL');
    await once(starter, 'exit');

    const server = await startPostgres({ dataDir, say });
    assert.equal(server.pid, Number(line.toString()));
    assert.equal(await runningPostgres({ dataDir }), server.url);
    const another = await startPostgres({ dataDir, say });
    assert.equal(another.pid, server.pid);
    await another.leave();
    assert.equal(await queried(server.url, 'select 1'), 1, 'a gateway that detaches does not stop it');
    await server.stop();
    await assert.rejects(queried(server.url, 'select 1'), { code: 'ECONNREFUSED' });
  });

  test('is not kept from starting by a lock file whose pid belongs to another program now', async () => {
    const program = spawn('sleep', ['60'], { detached: true });
    // PostgreSQL itself would not start while the pid lives, unless it is its own parent's: so this is not ours.
    await writeFile(
      join(dataDir, 'postgres/data/postmaster.pid'),
      `${program.pid}\n${dataDir}/postgres/data\n0\n1\n\n\n\n`,
    );
    const server = await startPostgres({ dataDir, say });
    assert.equal(
      (await readFile(join(dataDir, 'postgres/data/postmaster.pid'), 'utf8')).split('\n')[0],
      String(server.pid),
    );
    program.kill();
    await server.stop();
  });
});

test('two first starts at once end with one server', async () => {
  const dataDir = temporaryFolder();
  const [one, other] = await Promise.all([startPostgres({ dataDir, say }), startPostgres({ dataDir, say })]);
  assert.equal(one.pid, other.pid);
  assert.equal(one.url, other.url);
  assert.equal((await processesMentioning(`-D ${join(dataDir, 'postgres/data')} -c listen`)).length, 1);
  assert.deepEqual(await readdir(dataDir), ['postgres'], 'the loser tidied up');
  await other.leave();
  await one.stop();
});

const starterScript = `
  const { startPostgres } = await import(${JSON.stringify(new URL('../../../src/embedded/postgres-server.ts', import.meta.url).href)});
  const server = await startPostgres({ dataDir: process.argv[1], say: () => undefined });
  process.stdout.write(String(server.pid));
`;
