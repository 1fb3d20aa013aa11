/** 200 downloads that break off at random points, of videos of three sizes, at an API process of its own. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { BlobNotFound } from '../../src/blobs/blob-store.ts';
import { claimsUntil, isRemoved } from '../../src/tasks/rows/fetch-claims.ts';
import { until } from '../support/process.ts';
import { chanceOf } from '../support/seeded.ts';
import { startTalkProcesses, type TalkProcesses } from '../support/talk-processes.ts';
import { breakOffOften, download, stalled } from '../support/talks.ts';

let processes: TalkProcesses;
before(async () => {
  processes = await startTalkProcesses();
});
after(() => processes.stop());

for (const [bytes, times] of [
  [50_000, 80],
  [3_000_000, 80],
  [64 * 1024 * 1024, 40],
] as const) {
  test(`a task of ${bytes} bytes outlives ${times} downloads that break off, and one complete download removes it`, async (t) => {
    const { database, blobs, key, finished, api } = processes;
    const { url, running } = await api();
    const talk = await finished(bytes);
    const check = async (what: string) => {
      await until('the end of the claim', async () =>
        (await claimsUntil(database, talk.id)) === 0 ? true : undefined,
      );
      assert.equal(await isRemoved(database, talk.id), false, what);
      assert.equal(await blobs.size(talk.blobKeys[0] ?? ''), bytes, what);
    };
    await breakOffOften({ ...talk, url, key }, { times, chance: chanceOf(t), check });
    assert.deepEqual(await download(url, talk.path, key), { status: 200, sha256: talk.sha256 });
    assert.equal((await download(url, talk.path, key)).status, 404);
    assert.equal(await isRemoved(database, talk.id), true);
    for (const blob of talk.blobKeys) {
      await until(`the end of ${blob}`, () => blobs.size(blob).then(() => undefined, isGone));
    }
    running.signal('SIGTERM');
    assert.equal((await running.ended).code, 0);
  });
}

for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
  test(`a download that ${signal} of its process breaks off leaves the task to the next process`, async () => {
    const { key, finished, api, database } = processes;
    const [first, second] = [await api(), await api()];
    const talk = await finished(64 * 1024 * 1024);
    const slow = await stalled({ ...talk, url: first.url, key });
    assert.ok((await claimsUntil(database, talk.id)) > 0);
    first.running.signal(signal);
    const { code } = await first.running.ended;
    assert.equal(code, signal === 'SIGTERM' ? 0 : null);
    slow.destroy();
    // Killed, it can't give the claim back, which ends 30 seconds after it was last renewed.
    const { sha256 } = await until('the video', async () => {
      const answer = await download(second.url, talk.path, key);
      assert.ok([200, 409].includes(answer.status), String(answer.status));
      return answer.status === 200 ? answer : undefined;
    });
    assert.equal(sha256, talk.sha256);
    assert.equal((await download(second.url, talk.path, key)).status, 404);
    second.running.signal('SIGTERM');
    await second.running.ended;
  });
}

function isGone(error: unknown): true {
  if (error instanceof BlobNotFound) return true;
  throw error;
}
