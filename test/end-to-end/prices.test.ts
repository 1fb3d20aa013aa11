/** Variants, minimum charges and free models, seen from outside: what a result costs and what the ledger says of it agree. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { customerOf, type Entry, hello, typesOf } from '../support/chat-gateway.ts';
import { assertError } from '../support/errors.ts';
import { answerOf, bearer, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { mp4, wav } from '../support/media.ts';
import { assertLedgerAddsUp } from '../support/money.ts';
import { chatAnswer, chatStream, errorAnswer, openUpstream } from '../support/upstream.ts';

let upstream: Awaited<ReturnType<typeof openUpstream>>;
let gateway: TestGateway;
before(async () => {
  upstream = await openUpstream();
  gateway = await startTestGateway({ configuration: configurationFor(upstream.upstream.url) });
});
after(async () => {
  await assertLedgerAddsUp(gateway.core.database, gateway.core.secrets.first.ledger);
  await gateway.stop();
  await upstream.close();
});

const configurationFor = (url: string) => `
providers:
  simulator: { kind: simulator }
  upstream: { kind: openai, base_url: '${url}' }
models:
  - id: by-quality
    kind: image
    routes: [{ provider: simulator, model: m }]
    price: { per_image: 0.2, by_quality: { low: 0.1, high: 0.4 } }
  - id: by-size
    kind: image
    routes: [{ provider: simulator, model: m }]
    price: { per_image: 0.9, by_size: { 1k: 0.1, 2k: 0.2, 1024x1536: 0.15 } }
  - id: at-least
    kind: image
    routes: [{ provider: simulator, model: m }]
    price: { per_image: 0.1, minimum: 0.35 }
  - id: free-image
    kind: image
    routes: [{ provider: simulator, model: m }]
    price: { per_image: 0 }
  - id: clip
    kind: video
    routes: [{ provider: simulator, model: m }]
    price: { per_second: 0.5, by_resolution: { 240p: 0.01, 360p: 0.02, 1080p: 0.8 } }
  - id: large-clip
    kind: video
    routes: [{ provider: simulator, model: m }]
    price: { per_second: 0.5, by_resolution: { 240p: 0.01 } }
  - id: talk
    kind: avatar-talk
    routes: [{ provider: simulator, model: m }]
    price: { per_second: 0.05, minimum: 2 }
  - id: chat-one
    kind: chat
    routes: [{ provider: upstream, model: m }]
    price: { input_per_million: 1000, output_per_million: 1000, minimum: 0.05 }
  - id: chat-free
    kind: chat
    routes: [{ provider: upstream, model: m }]
    price: { input_per_million: 0, output_per_million: 0 }
`;

interface Sale {
  cost: number;
  held: number;
  units: number;
  unitPrice: number;
  reason?: string;
}

const small = { prompt: 'A toll gate', size: '1024x1024' };

describe('an image', () => {
  for (const [body, sale] of [
    [
      { model: 'by-quality', ...small, quality: 'low' },
      { cost: 0.1, held: 0.1, units: 1, unitPrice: 0.1 },
    ],
    [
      { model: 'by-quality', ...small, quality: 'high', n: 2 },
      { cost: 0.8, held: 0.8, units: 2, unitPrice: 0.4 },
    ],
    [
      { model: 'by-quality', ...small },
      { cost: 0.2, held: 0.2, units: 1, unitPrice: 0.2 },
    ],
    [
      { model: 'by-size', ...small },
      { cost: 0.1, held: 0.1, units: 1, unitPrice: 0.1 },
    ],
    [
      { model: 'by-size', prompt: 'x', resolution: '1k', ratio: '16:9', n: 3 },
      { cost: 0.3, held: 0.3, units: 3, unitPrice: 0.1 },
    ],
    [
      { model: 'by-size', prompt: 'x', size: '1536x1024' },
      { cost: 0.2, held: 0.2, units: 1, unitPrice: 0.2 },
    ],
    [
      { model: 'by-size', prompt: 'x', size: '1024x1536' },
      { cost: 0.15, held: 0.15, units: 1, unitPrice: 0.15 },
    ],
    [
      { model: 'by-size', prompt: 'x', size: '2304x2304' },
      { cost: 0.9, held: 0.9, units: 1, unitPrice: 0.9 },
    ],
    [
      { model: 'at-least', ...small, n: 3 },
      { cost: 0.35, held: 0.35, units: 3, unitPrice: 0.1, reason: 'minimum charge' },
    ],
    [
      { model: 'at-least', ...small, n: 4 },
      { cost: 0.4, held: 0.4, units: 4, unitPrice: 0.1 },
    ],
    [
      { model: 'free-image', ...small, n: 2 },
      { cost: 0, held: 0, units: 2, unitPrice: 0 },
    ],
  ] as const) {
    test(`of ${JSON.stringify(body)} costs ${sale.cost}, which every entry explains`, async () => {
      const { key } = await gateway.newKey({ balance: '1' });
      const { status, body: record } = await gateway.post('/v1/images/generations', body, bearer(key));
      assert.equal(status, 200, JSON.stringify(record));
      await assertSold(key, sale, record['_local']);
    });
  }

  test('is refused without the money for the minimum, and one that failed costs nothing of it', async () => {
    const poor = await gateway.newKey({ balance: '0.34' });
    const body = { model: 'at-least', ...small };
    assertError(await gateway.post('/v1/images/generations', body, bearer(poor.key)), 'insufficient_balance');
    const { key } = await gateway.newKey({ balance: '0.35' });
    const failing = { ...body, prompt: '[sim:fail=no]' };
    assert.equal((await gateway.post('/v1/images/generations', failing, bearer(key))).status, 502);
    assert.deepEqual(await gateway.money(key), { balance: 0.35, held: 0 });
  });

  test('of a free model needs no money at all', async () => {
    const { key } = await gateway.newKey({ balance: '0' });
    const answer = await gateway.post('/v1/images/generations', { model: 'free-image', ...small }, bearer(key));
    assert.deepEqual(answer.body['_local'], { cost: 0, balance: 0 });
    const entries = await entriesOf(key);
    assert.deepEqual(
      entries.map(({ type, amount, charged }): unknown[] => [type, amount, charged]),
      [
        ['capture', 0, 0],
        ['hold', 0, 0],
      ],
    );
  });
});

describe('a video', () => {
  for (const [model, ratio, unitPrice, held] of [
    ['clip', '16:9', 0.02, 4],
    ['clip', '1:1', 0.02, 4],
    ['large-clip', '9:16', 0.5, 2.5],
  ] as const) {
    test(`of ${ratio} by ${model} costs ${unitPrice} a second by its own pixels, and held the dearest`, async () => {
      const { key } = await gateway.newKey({ balance: '10' });
      const body = { model, prompt: 'Cars', ratio, duration: 5 };
      const { status, body: record } = await gateway.post('/v1/video/generations', body, bearer(key));
      assert.equal(status, 200, JSON.stringify(record));
      const [capture] = (await entriesOf(key)).filter(({ type }) => type === 'capture');
      const units = Number(capture?.['units']);
      assert.ok(Math.abs(units - 5) <= 0.06, `it lasts ${units} s`);
      const cost = Math.round(units * unitPrice * 1e6) / 1e6;
      await assertSold(key, { cost, held, units, unitPrice }, record['_local'], 10);
    });
  }

  test('of avatar-talk that is short costs the minimum, in the header and in the ledger', async () => {
    const { key } = await gateway.newKey({ balance: '2' });
    const form = new FormData();
    form.append('audio', new Blob([wav({ seconds: 1 })]), 'voice.wav');
    form.append('video', new Blob([await mp4({ seconds: 1, hasAudio: false })]), 'scene.mp4');
    const creation = await answerOf(
      await gateway.fetch('/v1/svctalk/generate', { method: 'POST', headers: bearer(key), body: form }),
    );
    assert.deepEqual(await gateway.money(key), { balance: 0, held: 2 });
    const video = await gateway.fetchedVideo(`/v1/svctalk/generate/${String(creation.body['id'])}`, key);
    const tokens = Number(video.headers.get('x-tokens'));
    assert.equal(video.headers.get('x-cost'), '2');
    await video.arrayBuffer();
    const sale = { cost: 2, held: 2, units: tokens / 1000, unitPrice: 0.05, reason: 'minimum charge' };
    await assertSold(key, sale, undefined, 2);
  });
});

describe('a chat call', () => {
  const tokens = (count: number, unit: string) => ({ unit, units: count, unit_price: 0.001, amount: count / 1000 });

  for (const isStream of [false, true]) {
    const how = isStream ? 'streamed' : 'not streamed';

    test(`that is short costs the minimum, and a line says what it added (${how})`, async () => {
      const customer = customerOf(gateway, await gateway.newKey({ balance: '1', level: 'chat' }));
      upstream.upstream.answers(isStream ? chatStream(['a', 'b', 'c']) : chatAnswer('abc'));
      assert.equal((await customer.raw({ ...hello, stream: isStream, max_tokens: 1 })).status, 200);
      const { balance, entries } = await customer.settled();
      assert.equal(balance, 0.95);
      const [hold, capture] = entries;
      assert.deepEqual([typesOf(entries), hold?.['amount']], [['hold', 'capture'], -0.05]);
      assert.deepEqual(
        { charged: capture?.['charged'], units: capture?.['units'], lines: capture?.['lines'] },
        {
          charged: 0.05,
          units: 12,
          lines: [
            tokens(9, 'input_token'),
            tokens(3, 'output_token'),
            { unit: 'minimum_charge', units: 1, unit_price: 0.038, amount: 0.038 },
          ],
        },
      );
    });

    test(`that costs more than the minimum costs just that (${how})`, async () => {
      const customer = customerOf(gateway, await gateway.newKey({ balance: '10', level: 'chat' }));
      const texts = Array.from({ length: 60 }, () => 'a');
      const usage = { prompt_tokens: 9, completion_tokens: 60, total_tokens: 69 };
      upstream.upstream.answers(isStream ? chatStream(texts) : chatAnswer('a', usage));
      assert.equal((await customer.raw({ ...hello, stream: isStream })).status, 200);
      const { balance, entries } = await customer.settled();
      assert.equal(balance, 9.931);
      assert.deepEqual(entries[1]?.['lines'], [tokens(9, 'input_token'), tokens(60, 'output_token')]);
    });

    test(`to a free model costs nothing and needs no money (${how})`, async () => {
      const customer = customerOf(gateway, await gateway.newKey({ balance: '0', level: 'chat' }));
      upstream.upstream.answers(isStream ? chatStream(['a']) : chatAnswer('a'));
      assert.equal((await customer.raw({ ...hello, model: 'chat-free', stream: isStream })).status, 200);
      const { balance, entries } = await customer.settled();
      assert.equal(balance, 0);
      assert.deepEqual(
        entries.map(({ type, amount, charged }): unknown[] => [type, amount, charged]),
        [
          ['hold', 0, 0],
          ['capture', 0, 0],
        ],
      );
    });
  }

  test('that the upstream refused costs nothing, and one without the money for the minimum is not sent', async () => {
    const customer = customerOf(gateway, await gateway.newKey({ balance: '0.05', level: 'chat' }));
    upstream.upstream.answers(errorAnswer(400, 'no'));
    assert.equal((await customer.raw({ ...hello, max_tokens: 1 })).status, 400);
    assert.equal((await customer.settled()).balance, 0.05);
    const poor = customerOf(gateway, await gateway.newKey({ balance: '0.049999', level: 'chat' }));
    const before = upstream.upstream.requests.length;
    assertError(await poor.post({ ...hello, max_tokens: 1 }), 'insufficient_balance');
    assert.equal(upstream.upstream.requests.length, before);
  });
});

const entriesOf = async (key: string): Promise<Entry[]> =>
  (await gateway.get('/v1/account/ledger', bearer(key))).body['data'] as Entry[];

/** The record, the account and the two entries of a sale say the same of it. */
async function assertSold(key: string, sale: Sale, local: Entry | undefined, balanceBefore = 1): Promise<void> {
  const balance = Math.round((balanceBefore - sale.cost) * 1e6) / 1e6;
  if (local) assert.deepEqual(local, { cost: sale.cost, balance });
  assert.deepEqual(await gateway.money(key), { balance, held: 0 });
  const entries = await entriesOf(key);
  const [capture] = entries.filter(({ type }) => type === 'capture');
  const [hold] = entries.filter(({ type }) => type === 'hold');
  const { charged, units, unit_price: unitPrice, reason } = capture ?? {};
  assert.deepEqual(
    { cost: charged, units, unitPrice, reason },
    { cost: sale.cost, units: sale.units, unitPrice: sale.unitPrice, reason: sale.reason },
  );
  assert.equal(hold?.['amount'] || 0, -sale.held || 0);
  for (const entry of [capture, hold]) {
    const amount = entry === capture ? sale.cost : sale.held;
    const explained = Math.round(Number(entry?.['units']) * Number(entry?.['unit_price']) * 1e6) / 1e6;
    assert.equal(explained === amount, entry?.['reason'] === undefined, `${explained} explains ${amount}`);
  }
}
