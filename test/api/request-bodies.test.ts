/** Recorded bodies: off until an owner wants them, sealed in the blob store, redacted, cut, expired, and for owners only. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { builtInConfiguration } from '../../src/config/built-in.ts';
import { createAccount } from '../../src/accounts/accounts.ts';
import { changeBodyRecording } from '../../src/bodies/recording-settings.ts';
import { deleteExpiredBodies } from '../../src/bodies/stored-bodies.ts';
import { listActs } from '../../src/ledger/audit-log.ts';
import type { AccountId } from '../../src/domain/ids.ts';
import { assertError } from '../support/errors.ts';
import { bearer, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { wav } from '../support/media.ts';
import { type ConsoleAnswer, type ConsoleClient, signedIn } from '../support/people.ts';

let gateway: TestGateway;
before(async () => {
  gateway = await startTestGateway({ configuration: `${builtInConfiguration}\nrequest_bodies: { max_bytes: 2048 }\n` });
});
after(() => gateway.stop());

interface Text {
  kind: 'text' | 'form' | 'file';
  text: string;
  bytes: number;
  cut: boolean;
}

/** An account with an admin key whose bodies are recorded. */
async function recording(rules: Parameters<typeof changeBodyRecording>[2] = {}) {
  const { key, account } = await gateway.newKey({ balance: '10', level: 'admin' });
  await changeBodyRecording(gateway.by, account, { isOn: true, ...rules });
  const chat = async (more: object = {}, path = '/v1/chat/completions') => {
    const body = { model: 'sim-chat', messages: [{ role: 'user', content: 'A secret of ours' }], ...more };
    const answer = await gateway.fetch(path, {
      ...{ key, method: 'POST', body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } },
    });
    return { sent: body, text: await answer.text(), id: answer.headers.get('x-request-id') ?? '' };
  };
  const bodyOf = (id: string, as = key) => gateway.get(`/v1/requests/${id}/body`, bearer(as));
  const read = async (id: string) => {
    const { status, body } = await bodyOf(id);
    assert.equal(status, 200, JSON.stringify(body));
    return body as { request: Text | null; answer: Text | null; created: number; expires_at: number };
  };
  return { key, account, chat, bodyOf, read };
}

async function blobsOf(account: AccountId): Promise<Buffer[]> {
  const folder = join(gateway.dataDir, 'blobs', 'bodies', account);
  const names = await readdir(folder).catch(() => []);
  return Promise.all(names.map((name) => readFile(join(folder, name))));
}

const good = ({ status, body }: ConsoleAnswer) => {
  assert.equal(status, 200, JSON.stringify(body));
  return body;
};
const actionsOf = async (account: AccountId) =>
  (await listActs(gateway.core.database, { account, limit: 10 })).map(({ action }) => action);
const ownerOf = (account: AccountId): Promise<ConsoleClient> =>
  signedIn(gateway, { memberships: [{ account, role: 'owner' }] });

test('request and answer are there as they were, and the reading is in the audit log; their blob has no plain text', async () => {
  const { account, chat, read } = await recording();
  const { sent, text, id } = await chat();
  const { request, answer, created, expires_at: expiresAt } = await read(id);
  assert.deepEqual(JSON.parse(request?.text ?? ''), sent);
  assert.deepEqual(answer, { kind: 'text', text, bytes: Buffer.byteLength(text), cut: false });
  assert.equal(expiresAt - created, 7 * 86_400);
  const [blob, ...others] = await blobsOf(account);
  assert.equal(others.length, 0);
  assert.ok(blob && !blob.includes('secret') && !blob.includes('sim-chat'));
  for (let at = 0; at < 64; at++) assert.throws(() => gunzipSync(blob.subarray(at)));
  assert.deepEqual((await actionsOf(account)).slice(0, 3), ['body.read', 'body_recording.changed', 'key.created']);
});

test('without the setting nothing is recorded, and the refusal says so', async () => {
  const { account, chat, bodyOf } = await recording({ isOn: false });
  const { id } = await chat();
  const answer = await bodyOf(id);
  assertError(answer, 'body_not_found');
  assert.match(String(answer.body['error'].message), /switched off for this account/);
  assert.deepEqual(await blobsOf(account), []);
});

test('a stream is kept as its events, messages and refusals too, and what is long is cut at the bound', async () => {
  const { chat, read } = await recording();
  const streamed = await chat({ stream: true, max_tokens: 5 });
  assert.match(streamed.text, /data: \[DONE\]/);
  assert.equal((await read(streamed.id)).answer?.text, streamed.text.slice(0, 2048));
  const message = await chat({ max_tokens: 5 }, '/v1/messages');
  assert.equal((await read(message.id)).answer?.text, message.text);
  const refused = await chat({ model: 'no-such-model' });
  assert.match((await read(refused.id)).answer?.text ?? '', /model_not_found/);
  const long = await chat({ messages: [{ role: 'user', content: 'word '.repeat(1000) }] });
  const { request } = await read(long.id);
  assert.deepEqual(
    [request?.text.length, request?.bytes, request?.cut],
    [2048, JSON.stringify(long.sent).length, true],
  );
});

test('named fields are redacted before anything is stored; an image task is recorded with its data URL shortened', async () => {
  const { chat, read } = await recording({ redactedFields: ['Note'] });
  const { id } = await chat({ metadata: { note: 'hide me', other: 'shown' } });
  assert.match((await read(id)).request?.text ?? '', /"metadata":{"note":"\[redacted\]","other":"shown"}/);
  const drawn = await chat(
    { model: 'sim-image', prompt: 'A gate', image: `data:image/png;base64,${'A'.repeat(5000)}`, messages: undefined },
    '/v1/images/generations',
  );
  assert.match((await read(drawn.id)).request?.text ?? '', /data:image\/png;base64,A{24}…\[5000 characters\]/);
});

/** A transcription of two seconds, asked for by a form. */
async function transcribed(key: string, fields: Readonly<Record<string, readonly string[]>> = {}) {
  const audio = wav({ seconds: 2 });
  const form = new FormData();
  for (const [name, values] of Object.entries({ model: ['sim-transcription'], ...fields }))
    for (const value of values) form.append(name, value);
  form.append('file', new Blob([audio], { type: 'audio/wav' }), 'folder/voice 1.wav');
  const answer = await gateway.fetch('/v1/audio/transcriptions', { method: 'POST', key, body: form });
  return { audio, status: answer.status, text: await answer.text(), id: answer.headers.get('x-request-id') ?? '' };
}

test('of a form its fields are recorded, and what its files are, but never their bytes; named fields are redacted', async () => {
  const { key, account, read } = await recording({ redactedFields: ['prompt'] });
  const granularities = ['word', 'segment'];
  const more = { 'timestamp_granularities[]': granularities, prompt: ['hide me'], own: ['kept'] };
  const { audio, status, text, id } = await transcribed(key, { ...more, response_format: ['verbose_json'] });
  assert.equal(status, 200, text);
  const { request, answer } = await read(id);
  assert.deepEqual([request?.kind, request?.cut, answer?.kind, answer?.text], ['form', false, 'text', text]);
  assert.deepEqual(JSON.parse(request?.text ?? ''), {
    fields: {
      ...{ model: 'sim-transcription', 'timestamp_granularities[]': granularities, prompt: '[redacted]', own: 'kept' },
      response_format: 'verbose_json',
    },
    files: [{ name: 'file', file_name: 'voice 1.wav', type: 'audio/wav', bytes: audio.length }],
  });
  assert.ok((request?.bytes ?? 0) > audio.length, 'the length is that of the form');
  const [blob] = await blobsOf(account);
  assert.ok(blob && blob.length < 1000, 'the file is not in the blob');
});

test('a form that is refused is recorded as far as it came', async () => {
  const { key, read } = await recording();
  const { audio, status, id } = await transcribed(key, { model: ['sim-transcription', 'twice'] });
  assert.equal(status, 400);
  const { request } = await read(id);
  assert.deepEqual((JSON.parse(request?.text ?? '') as { fields: unknown }).fields, {
    model: ['sim-transcription', 'twice'],
  });
  const missing = await transcribed(key, { model: ['no-such-model'] });
  const [file] = (JSON.parse((await read(missing.id)).request?.text ?? '') as { files: { bytes: number }[] }).files;
  assert.equal(file?.bytes, audio.length);
});

test('an answer of audio is recorded as its type and size, also where it is stored for its Idempotency-Key', async () => {
  const { key, read } = await recording();
  for (const headers of [{}, { 'Idempotency-Key': 'speech-1' }]) {
    const answer = await gateway.fetch('/v1/audio/speech', {
      ...{ key, method: 'POST', headers: { 'Content-Type': 'application/json', ...headers } },
      body: JSON.stringify({ model: 'sim-speech', voice: 'alloy', input: 'Hello', response_format: 'wav' }),
    });
    const { byteLength: bytes } = await answer.arrayBuffer();
    const { request, answer: said } = await read(answer.headers.get('x-request-id') ?? '');
    assert.equal(request?.kind, 'text');
    assert.deepEqual(
      { ...said, text: JSON.parse(said?.text ?? '') as unknown },
      { kind: 'file', text: { type: 'audio/wav', bytes }, bytes, cut: false },
    );
  }
});

test('what administers keys is never recorded', async () => {
  const { account, key, bodyOf } = await recording();
  const made = await gateway.post('/v1/account/keys', { name: 'new' }, bearer(key));
  assertError(await bodyOf(made.headers.get('x-request-id') ?? ''), 'body_not_found');
  assert.deepEqual(await blobsOf(account), []);
});

test("another account, a member and an operator don't read them; a key needs the level admin", async () => {
  const { account, chat, read } = await recording();
  const { id } = await chat();
  await read(id);
  const other = await recording();
  assertError(await other.bodyOf(id), 'body_not_found');
  const { key: standard } = await gateway.newKeyOf(account, { level: 'standard' });
  assertError(await other.bodyOf(id, standard), 'permission_denied');
  const path = `/accounts/${account}/requests/${id}/body`;
  const owner = await ownerOf(account);
  assert.equal(typeof good(await owner.get(path))['request'], 'object');
  const listed = good(await owner.get(`/accounts/${account}/requests`))['data'] as {
    method: string;
    has_body: boolean;
  }[];
  // The reading that was refused has none.
  assert.deepEqual(
    listed.map(({ method, has_body: has }) => [method, has]),
    [
      ['GET', false],
      ['POST', true],
    ],
  );
  const member = await signedIn(gateway, { memberships: [{ account, role: 'member' }] });
  const operator = await signedIn(gateway, { memberships: [], isOperator: true });
  for (const one of [member, operator]) assert.equal((await one.get(path)).status, 403);
  const stranger = await ownerOf(other.account);
  assert.equal((await stranger.get(path)).status, 404);
});

test('owners switch it on and off, operators only off; each change is logged', async () => {
  const { id: account } = await createAccount(gateway.by, 'recorded');
  const owner = await ownerOf(account);
  const operator = await signedIn(gateway, { memberships: [], isOperator: true });
  const path = `/accounts/${account}/body-recording`;
  const before = good(await owner.get(path));
  assert.deepEqual([before['record_bodies'], before['retention_days'], before['allowed']], [false, 7, true]);
  assert.equal((await operator.call('PATCH', path, { record_bodies: true })).status, 403);
  const changes = { record_bodies: true, retention_days: 3, redacted_fields: ['pin'] };
  assert.deepEqual(good(await owner.call('PATCH', path, changes)), { ...before, ...changes });
  assert.equal((await owner.call('PATCH', path, { retention_days: 31 })).status, 400);
  assert.equal(good(await operator.call('PATCH', path, { record_bodies: false }))['record_bodies'], false);
  assert.deepEqual((await actionsOf(account)).slice(0, 2), ['body_recording.changed', 'body_recording.changed']);
});

test('bodies expire with their retention, or at once when an owner deletes all; the sweep takes their blobs', async () => {
  const { account, chat, read, bodyOf } = await recording();
  const { core } = gateway;
  const [old, kept] = [await chat(), await chat()];
  await read(kept.id);
  const age = `update recorded_bodies set created_at = created_at - interval '2 days' where request_id = $1`;
  await core.database.pool.query(age, [old.id]);
  assert.equal(await deleteExpiredBodies(core), 0);
  await changeBodyRecording(gateway.by, account, { retentionDays: 1 });
  assertError(await bodyOf(old.id), 'body_not_found');
  assert.equal(await deleteExpiredBodies(core), 1);
  assert.equal((await blobsOf(account)).length, 1);
  await read(kept.id);
  const owner = await ownerOf(account);
  assert.deepEqual(good(await owner.call('DELETE', `/accounts/${account}/bodies`)), { deleted: 1 });
  assertError(await bodyOf(kept.id), 'body_not_found');
  assert.equal(await deleteExpiredBodies(core), 1);
  assert.deepEqual(await blobsOf(account), []);
  assert.equal((await actionsOf(account))[0], 'bodies.deleted');
});

test('where the operator forbids it, nothing is recorded and no owner switches it on', async () => {
  const { account, chat, bodyOf } = await recording();
  await gateway.reload(`${builtInConfiguration}\nrequest_bodies: { allowed: false }\n`);
  const { id } = await chat();
  assertError(await bodyOf(id), 'body_not_found');
  const owner = await ownerOf(account);
  const answer = await owner.call('PATCH', `/accounts/${account}/body-recording`, { record_bodies: true });
  assert.equal(answer.status, 403);
});
