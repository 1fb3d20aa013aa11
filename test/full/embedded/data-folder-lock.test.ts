import assert from 'node:assert/strict';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { FolderInUse, takeFolderLock } from '../../../src/embedded/data-folder-lock.ts';
import type { PostgresServer } from '../../../src/embedded/postgres-server.ts';
import { startPostgres } from '../../../src/embedded/postgres-server.ts';
import { eventually, queried, temporaryFolder } from './support.ts';

const address = 'http://127.0.0.1:8080';
let database: PostgresServer;
after(() => database.stop()); // before the folder goes
const dataDir = temporaryFolder();

before(async () => {
  database = await startPostgres({ dataDir, ephemeral: true, say: () => undefined });
});

test('a second gateway is refused with the address of the first, until the first releases the folder', async () => {
  const first = await takeFolderLock(database.url, { dataDir });
  await assert.rejects(take(), { name: 'FolderInUse', address: undefined });
  await first.announce(address);
  await assert.rejects(
    take(),
    (error) => error instanceof FolderInUse && error.address === address && error.message.includes(address),
  );
  await first.release();
  await first.release();
  await assert.rejects(access(join(dataDir, 'gateway.json')), { code: 'ENOENT' });
  const second = await take();
  await second.release();
});

test('the folder is free once its owner’s connection dies, and the owner is notified', async () => {
  const first = await take();
  await killOwner();
  await first.lost;
  const second = await takeFolderLock(database.url, { dataDir, address: 'http://127.0.0.1:9090' });
  await assert.rejects(first.retake(), { name: 'FolderInUse', address: 'http://127.0.0.1:9090' });
  await first.release();
  await assert.rejects(
    take(),
    { name: 'FolderInUse', address: 'http://127.0.0.1:9090' },
    'a former owner frees nothing',
  );
  await second.release();
});

test('an owner whose database was killed takes the lock again when that is back', async () => {
  const lock = await take();
  process.kill(database.pid, 'SIGKILL');
  await lock.lost;
  await lock.retake();
  await assert.rejects(take(), { name: 'FolderInUse', address });
  const lostAgain = lock.lost;
  await killOwner();
  await lostAgain;
  await lock.release();
});

const take = () => takeFolderLock(database.url, { dataDir, address });

/** Ends the back end that holds the lock, as the death of its client does. */
const killOwner = () =>
  eventually(async () => {
    const killed = await queried(
      database.url,
      "select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and granted",
    );
    assert.equal(killed, true);
  });
