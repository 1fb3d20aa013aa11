/** Downloads that break off, in every way and at any point: the result stays until a caller got all of it. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { KeyId } from '../../../src/domain/ids.ts';
import { claimsUntil, isRemoved } from '../../../src/tasks/rows/fetch-claims.ts';
import { until } from '../../support/process.ts';
import { bearer, sharedTestGateway, type TestGateway } from '../../support/gateway.ts';
import { exchange } from '../../support/raw-http.ts';
import { chanceOf } from '../../support/seeded.ts';
import { breakOff, breakOffOften, download, finishedTalk, manners, type Talk } from '../../support/talks.ts';

let gateway: TestGateway;
before(async () => {
  gateway = await sharedTestGateway();
});
after(() => gateway.stop());

async function talkOf(bytes: number): Promise<Talk> {
  const { account, keyId } = await gateway.newKey();
  return finishedTalk(gateway.core, { account, key: keyId as KeyId }, bytes);
}

const target = ({ path, bytes }: Talk) => ({ url: gateway.url, path, bytes, key: gateway.key });
const isFree = async ({ id }: Talk) => (await claimsUntil(gateway.core.database, id)) === 0;

async function staysAfter(talk: Talk, what: string): Promise<void> {
  await until('the end of the claim', async () => ((await isFree(talk)) ? true : undefined));
  assert.equal(await isRemoved(gateway.core.database, talk.id), false, what);
  assert.ok(await gateway.core.blobs.size(talk.blobKeys[0] ?? ''), what);
}

async function isGoneFromDisk({ blobKeys }: Talk): Promise<void> {
  for (const key of blobKeys) {
    await until(`the end of ${key}`, () =>
      gateway.core.blobs.size(key).then(
        () => undefined,
        () => true,
      ),
    );
  }
}

for (const closes of [false, true]) {
  for (const manner of manners) {
    test(`${manner}, while all is in the kernel's buffers${closes ? ' and the connection is to be closed' : ''}, leaves the task`, async () => {
      const talk = await talkOf(50_000);
      const read = await breakOff({ ...target(talk), closes }, 20_000, manner);
      assert.ok(read < talk.bytes);
      await staysAfter(talk, manner);
    });
  }
}

test('twenty downloads that break off at random points leave the task, and one that does not removes it', async (t) => {
  const chance = chanceOf(t);
  for (const bytes of [50_000, 3_000_000]) {
    const talk = await talkOf(bytes);
    const check = (what: string) => staysAfter(talk, what);
    await breakOffOften(target(talk), { times: 10, chance, check });
    const { status, sha256 } = await download(gateway.url, talk.path, gateway.key);
    assert.deepEqual([status, sha256], [200, talk.sha256]);
    assert.equal((await download(gateway.url, talk.path, gateway.key)).status, 404);
    await isGoneFromDisk(talk);
  }
});

for (const [what, version, headers] of [
  ['HTTP/1.0', '1.0', ''],
  ['Connection: close', '1.1', 'Connection: close\r\n'],
] as const) {
  test(`a caller with ${what} gets all of it and its connection ended, and the task is gone`, async () => {
    const talk = await talkOf(3_000_000);
    const request = `GET ${talk.path} HTTP/${version}\r\nHost: x\r\nAuthorization: Bearer ${gateway.key}\r\n${headers}\r\n`;
    const { answers, closed } = await exchange(gateway.url, request, 20_000);
    assert.deepEqual([answers.length, answers[0]?.status, answers[0]?.body.length, closed], [1, 200, 3_000_000, true]);
    await isGoneFromDisk(talk);
    assert.equal((await download(gateway.url, talk.path, gateway.key)).status, 404);
  });
}

test('who asks by HEAD right after the end of a download hears that the task is gone', async () => {
  const talk = await talkOf(50_000);
  const request = `GET ${talk.path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${gateway.key}\r\n\r\n`;
  const { answers } = await exchange(gateway.url, request, 0);
  assert.equal(answers[0]?.body.length, 50_000);
  const head = await gateway.fetch(talk.path, { method: 'HEAD', headers: bearer(gateway.key) });
  assert.equal(head.status, 404);
});
