/** Callers that read slowly or not at all: what they haven't got stays there, and what they hold is freed in time. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import type { DownloadPace } from '../../../src/api/download-pace.ts';
import type { KeyId } from '../../../src/domain/ids.ts';
import { claimsUntil, isRemoved } from '../../../src/tasks/rows/fetch-claims.ts';
import { signLink } from '../../../src/tasks/provider-calls/signed-links.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { until } from '../../support/process.ts';
import { download, finishedImage, finishedTalk, stalled, type Talk } from '../../support/talks.ts';

const inBuffers = 1_500_000; // all of it is in the kernel's buffers while its caller reads next to nothing
const large = 64 * 1024 * 1024;

async function withTalk(
  bytes: number,
  downloadPace: Partial<DownloadPace>,
  use: (gateway: TestGateway, talk: Talk) => Promise<void>,
): Promise<void> {
  const gateway = await startTestGateway({ worker: false, downloadPace });
  try {
    const { account, keyId } = await gateway.newKey();
    await use(gateway, await finishedTalk(gateway.core, { account, key: keyId as KeyId }, bytes));
  } finally {
    await gateway.stop();
  }
}

/** Waits until no download has the task any more; it must still be there. */
async function isFreed({ core: { database, concurrencyLimits } }: TestGateway, { id }: Talk): Promise<void> {
  await until('the end of the claim', async () => ((await claimsUntil(database, id)) === 0 ? true : undefined));
  assert.equal(await isRemoved(database, id), false);
  assert.equal(concurrencyLimits.files.taken, 0);
}

async function isFetchedWhole(gateway: TestGateway, talk: Talk): Promise<void> {
  const answer = await download(gateway.url, talk.path, gateway.key);
  assert.deepEqual(answer, { status: 200, sha256: talk.sha256 });
  await until('its removal', async () => ((await isRemoved(gateway.core.database, talk.id)) ? true : undefined));
}

test('a result that the kernel has taken, and its caller has not, is still there when the time to read it is over', () =>
  withTalk(inBuffers, { closeMs: 2_000, closeBytesPerSecond: 1e9 }, async (gateway, talk) => {
    const slow = await stalled({ ...talk, url: gateway.url, key: gateway.key });
    await isFreed(gateway, talk);
    slow.destroy();
    await isFetchedWhole(gateway, talk);
  }));

test('a caller that reads all and leaves its connection open has its result removed by time alone', () =>
  withTalk(inBuffers, { closeMs: 2_000, closeBytesPerSecond: 1e9 }, async (gateway, talk) => {
    const open = connect({ port: Number(new URL(gateway.url).port), host: '127.0.0.1', allowHalfOpen: true });
    open.on('error', () => undefined).resume();
    open.write(`GET ${talk.path} HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer ${gateway.key}\r\n\r\n`);
    await once(open, 'end');
    await isFreed(gateway, talk);
    open.destroy();
    await isFetchedWhole(gateway, talk);
  }));

test('a download whose connection takes nothing is ended, and leaves the result and its place', () =>
  withTalk(large, { stallMs: 600 }, async (gateway, talk) => {
    const slow = await stalled({ ...talk, url: gateway.url, key: gateway.key });
    assert.equal(gateway.core.concurrencyLimits.files.taken, 1);
    await isFreed(gateway, talk);
    slow.destroy();
    await isFetchedWhole(gateway, talk);
  }));

test('a download by a link that takes nothing is ended, and leaves its place', () =>
  withTalk(large, { stallMs: 600 }, async (gateway, talk) => {
    const { core, url } = gateway;
    const expiresAtSeconds = Math.ceil(Date.now() / 1_000) + 600;
    const path = signLink({ taskId: talk.id, file: 0, expiresAtSeconds }, core.secrets);
    const slow = await stalled({ url, path, key: gateway.key });
    assert.equal(core.concurrencyLimits.files.taken, 1);
    await until('its place', () => Promise.resolve(core.concurrencyLimits.files.taken === 0 ? true : undefined));
    slow.destroy();
  }));

test('an answer with images inside that takes nothing is ended, and leaves its place', async () => {
  const gateway = await startTestGateway({ worker: false, downloadPace: { stallMs: 600 } });
  try {
    const { core, url } = gateway;
    const { key, account, keyId } = await gateway.newKey();
    const path = `/v1/images/generations/${await finishedImage(core, { account, key: keyId as KeyId }, large)}`;
    const slow = await stalled({ url, path, key });
    assert.equal(core.concurrencyLimits.files.taken, 1);
    await until('its place', () => Promise.resolve(core.concurrencyLimits.files.taken === 0 ? true : undefined));
    slow.destroy();
  } finally {
    await gateway.stop();
  }
});

test('a download that takes next to nothing, again and again, is ended all the same', () =>
  withTalk(large, { stallMs: 1_200, bytesPerSecondMin: 100_000_000, paceMs: 1_000 }, async (gateway, talk) => {
    const slow = await stalled({ ...talk, url: gateway.url, key: gateway.key });
    const closed = once(slow, 'close');
    const reading = setInterval(() => void slow.read(4_096), 20);
    await isFreed(gateway, talk);
    clearInterval(reading);
    slow.resume(); // what is left in its buffers, and the end
    await closed;
  }));

test('a download that is slow but goes on is left alone', () =>
  withTalk(large, { stallMs: 600 }, async (gateway, talk) => {
    const slow = await stalled({ ...talk, url: gateway.url, key: gateway.key });
    slow.on('data', () => {
      slow.pause();
      setTimeout(() => slow.resume(), 1);
    });
    slow.resume();
    await once(slow, 'close');
    await until('its removal', async () => ((await isRemoved(gateway.core.database, talk.id)) ? true : undefined));
  }));

test('a claim on a result ends, however fast its download is', () =>
  withTalk(large, { claimMs: 500 }, async (gateway, talk) => {
    const slow = await stalled({ ...talk, url: gateway.url, key: gateway.key });
    const reading = setInterval(() => void slow.read(4_096), 20);
    await isFreed(gateway, talk);
    clearInterval(reading);
    slow.destroy();
  }));
