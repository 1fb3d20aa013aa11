/** Lip sync by sync.so through the public API, with a stand-in that speaks its format and keeps its promise on keys. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { probeMedia } from '../../../src/media/probe.ts';
import { bytesReader } from '../../../src/media/reader.ts';
import { openStandIn, type StandIn } from '../../providers/contract/stand-in.ts';
import { syncFixture } from '../../providers/sync/fixture.ts';
import { answerOf, bearer, startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { mp4, wav } from '../../support/media.ts';

let gateway: TestGateway;
let standIn: StandIn;
let video: Buffer;
let videoSeconds: number;
before(async () => {
  video = await mp4({ seconds: 2 });
  videoSeconds = ((await probeMedia(bytesReader(video))).durationMs ?? 0) / 1000;
  standIn = await openStandIn(syncFixture, { image: Buffer.of(), video });
  gateway = await startTestGateway({ configuration: configurationOf(standIn.baseUrl) });
});
after(() => Promise.all([gateway.stop(), standIn.close()]));

const configurationOf = (baseUrl: string) => `
providers:
  sync: { kind: sync, base_url: "${baseUrl}", api_key: "${String(syncFixture.secrets['api_key'])}" }
  far: { kind: sync, base_url: "https://127.0.0.1:1", api_key: key }
models:
  - { id: talk, kind: avatar-talk, routes: [{ provider: sync, model: lipsync-2 }], price: { per_second: 0.05 } }
  - id: talk-far
    kind: avatar-talk
    routes: [{ provider: far, model: lipsync-2 }, { provider: sync, model: lipsync-2 }]
    price: { per_second: 0.05 }
  - id: lips
    kind: avatar-video
    routes: [{ provider: sync, model: lipsync-2-pro, options: { options: { sync_mode: loop } } }]
    price: { per_second: 0.05 }
`;

const micro = (money: number) => Math.round(money * 1_000_000) / 1_000_000;
const voice = wav({ seconds: 1.5 });

test('an avatar video is made from the addresses of the caller, and charged by its stored length', async () => {
  const { key } = await gateway.newKey({ balance: '10' });
  const addresses = { audioUrl: 'http://127.0.0.1/voice.wav', videoUrl: 'http://127.0.0.1/footage.mp4' };
  const { status, body } = await gateway.post('/v1/video/generations', { model: 'lips', ...addresses }, bearer(key));
  assert.equal(status, 200, JSON.stringify(body));
  const { input, options } = standIn.paid.at(-1)?.json as { input: { url: string }[]; options: unknown };
  assert.deepEqual(
    input.map(({ url }) => url),
    [addresses.videoUrl, addresses.audioUrl],
  );
  assert.deepEqual(options, { sync_mode: 'loop' });
  const cost = micro(videoSeconds * 0.05);
  assert.deepEqual(body['_local'], { cost, balance: micro(10 - cost) });
});

// The second answer says that the outcome of the key is unknown.
const uncertain = { status: 503, json: { statusCode: 503, errorCode: 'IDEMPOTENCY_OUTCOME_UNKNOWN', message: '…' } };
for (const [name, next] of [
  ['is lost', ['loses', 'takes']],
  ['is lost, and the next says that the outcome is unknown,', ['loses', { reply: uncertain }, 'takes']],
] as const) {
  test(`a create whose answer ${name} is sent again as it was: one job, one charge`, async () => {
    const { key } = await gateway.newKey({ balance: '10' });
    const [paidBefore, jobsBefore] = [standIn.paid.length, standIn.jobs.size];
    standIn.creates(...next);
    standIn.jobsEnd('runs on');
    const address = await talk(key);
    await standIn.received(paidBefore + next.length);
    const creates = standIn.paid.slice(paidBefore);
    assert.equal(creates.length, next.length);
    assert.equal(new Set(creates.map(({ headers }) => headers['idempotency-key'])).size, 1);
    assert.equal(new Set(creates.map(({ text }) => text)).size, 1);
    assert.equal(standIn.jobs.size, jobsBefore + 1);
    const { input } = creates[0]?.json as { input: { type: string; url: string }[] };
    for (const { type, url } of input) {
      const download = await fetch(url);
      assert.equal(download.status, 200);
      const bytes = Buffer.from(await download.arrayBuffer());
      if (type === 'audio') assert.deepEqual(bytes, voice);
      else assert.equal(bytes.toString('latin1', 4, 8), 'ftyp');
    }
    standIn.jobsEnd('succeeds');
    for (const job of standIn.jobs.values()) job.behaviour = 'succeeds';
    const response = await gateway.fetchedVideo(address, key);
    assert.deepEqual(Buffer.from(await response.arrayBuffer()), video);
    const cost = micro(videoSeconds * 0.05);
    assert.deepEqual(await gateway.money(key), { balance: micro(10 - cost), held: 0 });
    const entries = (await gateway.get('/v1/account/ledger', bearer(key))).body['data'] as { type: string }[];
    assert.equal(entries.filter(({ type }) => type === 'capture').length, 1);
  });
}

test('a provider that could not fetch the uploads from this gateway is left out, and the next route takes the task', async () => {
  const { key } = await gateway.newKey({ balance: '10' });
  standIn.creates('takes');
  const response = await gateway.fetchedVideo(await talk(key, 'talk-far'), key);
  assert.deepEqual(Buffer.from(await response.arrayBuffer()), video);
  assert.deepEqual(await gateway.money(key), { balance: micro(10 - videoSeconds * 0.05), held: 0 });
});

test('a generation that the service rejects costs nothing', async () => {
  const { key } = await gateway.newKey({ balance: '10' });
  standIn.creates('takes');
  standIn.jobsEnd('fails by policy');
  const { body } = await gateway.finished(await talk(key), key);
  standIn.jobsEnd('succeeds');
  assert.deepEqual([body['status'], body['error'].code], ['error', 'content_policy_violation']);
  assert.deepEqual(await gateway.money(key), { balance: 10, held: 0 });
});

/** The address of a new avatar-talk task. */
async function talk(key: string, model = 'talk'): Promise<string> {
  const form = new FormData();
  form.append('model', model);
  form.append('audio', new Blob([voice]), 'voice.wav');
  form.append('video', new Blob([await mp4({ seconds: 1, hasAudio: false })]), 'footage.mp4');
  const creation = await gateway.fetch('/v1/svctalk/generate', { method: 'POST', headers: bearer(key), body: form });
  const { status, body } = await answerOf(creation);
  assert.equal(status, 200, JSON.stringify(body));
  return `/v1/svctalk/generate/${String(body['id'])}`;
}
