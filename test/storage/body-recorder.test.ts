/** Bodies on their way to the store: what does not fit or can't be written is given up and counted, and no row is left of it. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pino from 'pino';
import { BodyRecorder } from '../../src/bodies/body-recorder.ts';
import { recordedAmong } from '../../src/bodies/stored-bodies.ts';
import { deriveKeys } from '../../src/config/secrets.ts';
import type { AccountId } from '../../src/domain/ids.ts';
import { bodyRulesDefault } from '../../src/domain/requests/body-recording.ts';
import type { BlobStore } from '../../src/blobs/blob-store.ts';
import type { Database } from '../../src/postgres/database.ts';
import { freshDatabase } from '../support/database.ts';

let database: Database;
before(async () => {
  ({ database } = await freshDatabase());
});
after(() => database.close());

const accountId = 'acc_of_bodies' as AccountId;

function recorderThat(write: BlobStore['write'], waitingBytesMax: number) {
  const lost: string[] = [];
  const recorder = new BodyRecorder({
    ...{ database, blobs: { write }, keys: deriveKeys(['a'.repeat(32)]), log: pino({ level: 'silent' }) },
    settings: () => ({ allowed: true, bytesMax: 1024 }),
    onLost: (count, reason) => lost.push(`${count} ${reason}`),
    waitingBytesMax,
  });
  const add = (requestId: string) => {
    const tap = recorder.tap(bodyRulesDefault);
    assert.ok(tap);
    tap.takeRequest(Buffer.from('{"a":1}'));
    recorder.add({ accountId, requestId, createdAt: new Date(), tap });
  };
  return { recorder, add, lost };
}

test('what comes while too much waits is given up, and there is room again once that is written', async () => {
  const stored: string[] = [];
  const { recorder, add, lost } = recorderThat((key) => {
    stored.push(key);
    return Promise.resolve({ key, bytes: 0, sha256: '' });
  }, 2_500);
  for (const id of ['one', 'two', 'three']) add(id);
  assert.deepEqual(lost, ['1 full']);
  await recorder.written();
  add('four');
  await recorder.written();
  assert.equal(stored.length, 3);
  const ids = ['one', 'two', 'three', 'four'].map((requestId) => ({ accountId, requestId }));
  const recorded = [...(await recordedAmong(database, ids))].map((mark) => mark.split(' ')[1]);
  assert.deepEqual(recorded.sort(), ['four', 'one', 'two']);
});

test('a store that fails costs the body alone: it is counted, and its row is gone', async () => {
  const { recorder, add, lost } = recorderThat(() => Promise.reject(new Error('away')), 10_000);
  add('five');
  await recorder.written();
  assert.deepEqual(lost, ['1 failed']);
  assert.equal((await recordedAmong(database, [{ accountId, requestId: 'five' }])).size, 0);
});
