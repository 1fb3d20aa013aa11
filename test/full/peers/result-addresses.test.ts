/**
 * Results at addresses that a provider's answer names: fetched from the public internet and the provider only. Addresses
 * that callers name never lead to a provider.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { replicateFixture } from '../../providers/replicate/fixture.ts';
import { openStandIn, type StandIn } from '../../providers/contract/stand-in.ts';
import { assertError } from '../../support/errors.ts';
import { bearer, startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { mp4, wav } from '../../support/media.ts';
import { image } from '../../support/task-runner.ts';

let gateway: TestGateway;
let provider: StandIn;
let elsewhere: StandIn;

before(async () => {
  provider = await openStandIn(replicateFixture, { image, video: image });
  elsewhere = await openStandIn(replicateFixture, { image, video: image });
  gateway = await startTestGateway({
    env: { TOLLGATE_ALLOW_PRIVATE_URLS: 'false' },
    configuration: `
providers:
  up: { kind: replicate, base_url: '${provider.baseUrl}', api_key: r8_operator_key_of_the_tests }
  local: { kind: simulator }
models:
  - id: still
    kind: image
    routes: [{ provider: up, model: maker/still }]
    price: { per_image: 1 }
  - { id: video, kind: video, routes: [{ provider: up, model: maker/video }], price: { per_second: 1 } }
  - { id: talk, kind: avatar-talk, routes: [{ provider: local, model: m }], price: { per_second: 0.05 } }
  - { id: chat, kind: chat, routes: [{ provider: local, model: m }], price: { input_per_million: 1, output_per_million: 1 } }
  - { id: code, kind: code, routes: [{ provider: local, model: m }], price: { input_per_million: 1, output_per_million: 1 } }
`,
  });
});
after(async () => {
  await gateway.stop();
  await provider.close();
  await elsewhere.close();
});

const ask = async (key: string) =>
  gateway.post('/v1/images/generations', { model: 'still', prompt: 'A gate', size: '1024x1024' }, bearer(key));

test("at the provider's own origin it is fetched, private or not: the operator named it", async () => {
  const { key } = await gateway.newKey({ balance: '10' });
  const answer = await ask(key);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  assert.deepEqual(await gateway.money(key), { balance: 9, held: 0 });
});

for (const [where, addressOf] of [
  ['at another private address', () => `${elsewhere.origin}/media/image/1`],
  ['behind a redirect to one', () => `${provider.origin}/redirect`],
  ['at the metadata service of a cloud', () => 'http://169.254.169.254/latest/meta-data/'],
  ['in a file of this machine', () => 'file:///etc/passwd'],
] as const) {
  test(`${where} it is not fetched, and nothing is charged`, async () => {
    const { key } = await gateway.newKey({ balance: '10' });
    provider.redirectsTo = `${elsewhere.origin}/media/image/1`;
    provider.filesOf = () => [addressOf()];
    const answer = await ask(key);
    provider.filesOf = undefined;
    assert.deepEqual([answer.status, answer.body['error'].code], [502, 'upstream_error']);
    assert.doesNotMatch(JSON.stringify(answer.body), /127\.0\.0\.1:\d+\/(media|redirect)|169\.254|passwd/);
    assert.deepEqual(await gateway.money(key), { balance: 10, held: 0 });
    assert.equal(elsewhere.asked.length + elsewhere.downloads, 0);
  });
}

for (const [what, urlOf] of [
  ["at a provider's own origin", () => `${provider.origin}/v1/models/maker/still/predictions`],
  ["at the gateway's own API", () => `${gateway.url}/v1/models`],
  ['that readers take in two ways', () => 'http://example.com\\@127.0.0.1/'],
] as const) {
  test(`an address of a caller ${what} is refused under its name, and nothing is asked there`, async () => {
    const { key } = await gateway.newKey({ balance: '100', level: 'admin' });
    const url = urlOf();
    const asked = provider.asked.length;
    const refused = async (path: string, body: object, param: string) =>
      assertError(await gateway.post(path, body, bearer(key)), 'invalid_parameter', param);
    const wanted = { model: 'still', prompt: 'A gate', size: '1024x1024' };
    await refused('/v1/images/generations', { ...wanted, image_urls: [url] }, 'image_urls[0]');
    await refused('/v1/images/generations', { ...wanted, webhook_url: url }, 'webhook_url');
    const text = { type: 'text', text: 'A gate' };
    const content = [text, { type: 'image_url', image_url: { url }, role: 'reference_image' }];
    await refused('/v1/video/generations', { model: 'video', content, duration: 5 }, 'content[1].image_url.url');
    const messages = [{ role: 'user', content: [text, { type: 'image_url', image_url: { url } }] }];
    await refused('/v1/chat/completions', { model: 'chat', messages }, 'messages[0].content[1].image_url.url');
    const input = [{ role: 'user', content: [{ type: 'input_image', image_url: url }] }];
    await refused('/v1/responses', { model: 'code', input }, 'input[0].content[0].image_url');
    const form = new FormData();
    form.set('audio', new Blob([wav({ seconds: 1 })]), 'a.wav');
    form.set('video', new Blob([await mp4({ seconds: 1 })]), 'v.mp4');
    form.set('model', 'talk');
    form.set('webhook_url', url);
    const talk = await gateway.fetch('/v1/svctalk/generate', { method: 'POST', body: form, key });
    const body = (await talk.json()) as { error: { code: string; param: string } };
    assert.deepEqual([talk.status, body.error.code, body.error.param], [400, 'invalid_parameter', 'webhook_url']);
    const account = await gateway.fetch('/v1/account', {
      method: 'PATCH',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ webhook_url: url }),
      key,
    });
    assert.equal(account.status, 400, await account.text());
    assert.equal(provider.asked.length, asked);
    assert.deepEqual(await gateway.money(key), { balance: 100, held: 0 });
  });
}

test("an image that the gateway made passes as a caller's address", async () => {
  const { key } = await gateway.newKey({ balance: '10' });
  const { body } = await ask(key);
  const again = { model: 'still', prompt: 'It again', size: '1024x1024', image_urls: [body['data'][0].url] };
  const answer = await gateway.post('/v1/images/generations', again, bearer(key));
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
});
