/** Encrypted payloads: what they hide, how keys change, and the endpoint that shows them in Temporal's UI. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { payloadCodec } from '../../src/temporal/codec.ts';
import { codecEndpoint } from '../../src/temporal/codec-endpoint.ts';

const key = (id: string, byte: number) => ({ id, key: Buffer.alloc(32, byte) });
const [first, second] = [key('2026', 1), key('2027', 2)];
const payload = (value: unknown): Payload => defaultPayloadConverter.toPayload(value);
const valueOf = (one: Payload | undefined): unknown => defaultPayloadConverter.fromPayload(one ?? assert.fail());
const base64 = (bytes: Uint8Array | null | undefined) => Buffer.from(bytes ?? []).toString('base64');

test('what was encrypted is decrypted again, shows nothing of itself, and never looks the same twice', async () => {
  const codec = payloadCodec([first]);
  const plain = payload({ taskId: 'img_0123' });
  const [one, two] = await codec.encode([plain, plain]);
  assert.ok(one && two);
  assert.notDeepEqual(one.data, two.data);
  assert.ok(!Buffer.from(one.data ?? []).includes('img_0123'));
  assert.deepEqual((await codec.decode([one])).map(valueOf), [{ taskId: 'img_0123' }]);
});

test('another first key encrypts from then on; the old one still decrypts, and what was never encrypted passes', async () => {
  const [old] = await payloadCodec([first]).encode([payload('old')]);
  const both = payloadCodec([second, first]);
  const [fresh] = await both.encode([payload('fresh')]);
  assert.ok(old && fresh);
  assert.equal(Buffer.from(fresh.metadata?.['encryption-key-id'] ?? []).toString(), '2027');
  assert.deepEqual((await both.decode([old, fresh, payload('plain')])).map(valueOf), ['old', 'fresh', 'plain']);
});

test('a key that is missing, or is another one under the same id, is named', async () => {
  const sealed = await payloadCodec([first]).encode([payload('old')]);
  await assert.rejects(payloadCodec([second]).decode(sealed), {
    name: 'ValueError',
    message: "TEMPORAL_CODEC_KEYS: the key '2026' that encrypted this is missing; available: 2027",
  });
  await assert.rejects(
    payloadCodec([key('2026', 9)]).decode(sealed),
    /TEMPORAL_CODEC_KEYS: the key '2026' does not decrypt this/,
  );
});

test('what was changed on the way is refused', async () => {
  const codec = payloadCodec([first]);
  const [sealed] = await codec.encode([payload('as it was')]);
  const data = Buffer.from(sealed?.data ?? []);
  for (const at of [0, 12, data.length - 1]) {
    const spoilt = Buffer.from(data);
    spoilt.writeUInt8(spoilt.readUInt8(at) ^ 1, at);
    await assert.rejects(codec.decode([{ ...sealed, data: spoilt }]), /'2026'/);
  }
  await assert.rejects(codec.decode([{ ...sealed, data: data.subarray(0, 20) }]), /'2026'/);
});

describe('the endpoint of the UI', () => {
  const ui = 'http://temporal.example:8233';
  const codec = payloadCodec([first]);
  const server = codecEndpoint({ codec, origins: [ui], namespace: 'prod' });
  let url = '';
  before(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/decode`;
  });
  after(() => server.close().closeAllConnections());
  const json = { 'content-type': 'application/json' };
  const asked = (body: unknown, headers: Record<string, string> = {}) =>
    fetch(url, { method: 'POST', body: JSON.stringify(body), headers: { ...json, ...headers } });
  const written = ({ metadata, data }: Payload) => ({
    metadata: Object.fromEntries(Object.entries(metadata ?? {}).map(([name, value]) => [name, base64(value)])),
    data: base64(data),
  });

  test('its preflight allows the origin of the UI, and no other', async () => {
    const preflight = (origin: string) =>
      fetch(url, {
        method: 'OPTIONS',
        headers: {
          ...{ origin, 'access-control-request-method': 'POST' },
          'access-control-request-headers': 'content-type,x-namespace',
          'access-control-request-private-network': 'true',
        },
      });
    const allowed = await preflight(ui);
    assert.equal(allowed.status, 204);
    assert.equal(allowed.headers.get('access-control-allow-origin'), ui);
    assert.match(allowed.headers.get('access-control-allow-headers') ?? '', /content-type.*x-namespace/);
    assert.equal(allowed.headers.get('access-control-allow-private-network'), 'true');
    const refused = await preflight('http://evil.example');
    assert.equal(refused.status, 403);
    assert.equal(refused.headers.get('access-control-allow-origin'), null);
  });

  test('it decrypts what the UI and the command line send', async () => {
    const payloads = (await codec.encode([payload('shown')])).map(written);
    for (const headers of [{ origin: ui, 'x-namespace': 'prod' }, {}]) {
      const answer = await asked({ payloads }, headers);
      assert.equal(answer.status, 200);
      assert.deepEqual(await answer.json(), { payloads: [written(payload('shown'))] });
    }
  });

  test('it answers neither other pages, nor other namespaces, paths and methods, nor what is no list of payloads', async () => {
    const statusOf = async (answer: Promise<Response>) => (await answer).status;
    assert.equal(await statusOf(asked({ payloads: [] }, { origin: 'http://evil.example' })), 403);
    assert.equal(await statusOf(asked({ payloads: [] }, { origin: 'null' })), 403);
    assert.equal(await statusOf(asked({ payloads: [] }, { 'x-namespace': 'other' })), 403);
    assert.equal(await statusOf(asked({ payloads: [] }, { 'content-type': 'text/plain' })), 415);
    assert.equal(await statusOf(fetch(url)), 405);
    assert.equal(await statusOf(fetch(url.replace('decode', 'encode'), { method: 'POST' })), 404);
    for (const wrong of [[], { payloads: 1 }, { payloads: [1] }, { payloads: [{ metadata: 1 }] }])
      assert.equal(await statusOf(asked(wrong)), 400);
    assert.equal(await statusOf(asked({ payloads: 'x'.repeat(9 * 1024 * 1024) })), 413);
    const foreign = (await payloadCodec([second]).encode([payload('x')])).map(written);
    const answer = await asked({ payloads: foreign });
    assert.equal(answer.status, 422);
    assert.match(
      ((await answer.json()) as { message: string }).message,
      /the key '2027' that encrypted this is missing/,
    );
  });
});
