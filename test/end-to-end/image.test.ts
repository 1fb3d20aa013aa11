import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';

let gateway: TestGateway;
before(async () => {
  gateway = await startTestGateway();
});
after(() => gateway.stop());

test('an image that is done within the wait is answered with a link that serves the PNG', async () => {
  const { status, body } = await gateway.post('/v1/images/generations', { model: 'sim-image', prompt: 'A toll gate', size: '1024x1024' });
  assert.equal(status, 200);
  assert.equal(body['success'], true);
  assert.deepEqual(body['_local'], { cost: 0.2, balance: 99.8 });
  const file = await fetch(body['data'][0].url);
  assert.equal(file.headers.get('content-type'), 'image/png');
  assert.equal(Buffer.from(await file.arrayBuffer()).subarray(1, 4).toString(), 'PNG');
});
