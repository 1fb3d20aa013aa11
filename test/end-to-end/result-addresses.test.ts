/** Results at addresses that a provider's answer names: fetched from the public internet and the provider only. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { replicateFixture } from '../providers/replicate/fixture.ts';
import { openStandIn, type StandIn } from '../providers/contract/stand-in.ts';
import { bearer, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { image } from '../support/task-runner.ts';

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
models:
  - id: picture
    kind: image
    routes: [{ provider: up, model: maker/picture }]
    price: { per_image: 1 }
`,
  });
});
after(async () => {
  await gateway.stop();
  await provider.close();
  await elsewhere.close();
});

const ask = async (key: string) =>
  gateway.post('/v1/images/generations', { model: 'picture', prompt: 'A gate', size: '1024x1024' }, bearer(key));

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
