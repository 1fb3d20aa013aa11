/** What processes that died left on the disk goes after a day; what is being written stays. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createFileBlobs } from '../../src/blobs/file-store.ts';
import { removeLeftovers } from '../../src/runtime/leftovers.ts';

test('unfinished blobs and work of a day ago go, younger ones stay, and folders that are not there are no error', async () => {
  const home = await mkdtemp(join(tmpdir(), 'tollgate-leftovers-'));
  const [blobs, temp] = [join(home, 'blobs'), join(home, 'tmp')];
  const removed = () => removeLeftovers(createFileBlobs(blobs), temp);
  try {
    assert.equal(await removed(), 0);
    const aged = async (path: string, hoursAgo: number) => {
      const seconds = Date.now() / 1000 - hoursAgo * 3600;
      await utimes(path, seconds, seconds);
    };
    for (const [name, hoursAgo] of [
      ['old', 24.1],
      ['young', 23.9],
    ] as const) {
      await mkdir(join(temp, `simulator-${name}`), { recursive: true });
      await writeFile(join(temp, `simulator-${name}`, 'video'), 'x');
      await mkdir(join(blobs, '.temporary'), { recursive: true });
      await writeFile(join(blobs, '.temporary', name), 'x');
      await aged(join(temp, `simulator-${name}`), hoursAgo);
      await aged(join(blobs, '.temporary', name), hoursAgo);
    }
    assert.equal(await removed(), 2);
    assert.deepEqual([await readdir(temp), await readdir(join(blobs, '.temporary'))], [['simulator-young'], ['young']]);
    assert.equal(await removed(), 0);
  } finally {
    await rm(home, { recursive: true });
  }
});
