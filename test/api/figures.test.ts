/** One figure everywhere: records, headers, task list, ledger, usage and the balance say the same of what was paid. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { parseAmount } from '../../src/domain/money.ts';
import { builtInConfiguration } from '../../src/config/built-in.ts';
import { type Customer, customerOf } from '../support/chat-gateway.ts';
import { answerOf, bearer, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { mp4, wav } from '../support/media.ts';
import { assertLedgerAddsUp } from '../support/money.ts';
import { chatAnswer, chatStream, deltaEvent, openUpstream, type Upstream } from '../support/upstream.ts';

type Row = Record<string, any>; // oxlint-disable-line typescript/no-explicit-any -- tests look into answers by name

let gateway: TestGateway;
let upstream: Upstream;
let closeUpstream: () => Promise<void>;
before(async () => {
  ({ upstream, close: closeUpstream } = await openUpstream());
  gateway = await startTestGateway({
    configuration: `${builtInConfiguration.replace('providers:', `providers:\n  upstream: { kind: openai, base_url: '${upstream.url}' }`)}
  - id: chat-one
    kind: chat
    routes: [{ provider: upstream, model: m }]
    price: { input_per_million: 3.3, cached_input_per_million: 0.7, output_per_million: 1234.5 }
    overrun_factor: 1000
`,
  });
});
after(async () => {
  await gateway.stop();
  await closeUpstream();
});

/** Amounts as the answers give them, in micro-units. */
const micros = (money: unknown): bigint => {
  const read = parseAmount(Number(money).toFixed(6));
  assert.ok(read !== undefined && Number(money) === Number(read) / 1e6, `${String(money)} has more than six decimals`);
  return read;
};
const sum = (rows: readonly Row[], field: string): bigint =>
  rows.reduce((total, row) => total + micros(row[field]), 0n);
const rowsOf = async (path: string, key: string) => (await gateway.get(path, bearer(key))).body['data'] as Row[];

const image = { model: 'sim-image', prompt: 'A toll gate', size: '1024x1024', n: 2 };
const hello = { model: 'chat-one', messages: [{ role: 'user', content: 'Hello' }] };

/** What a task or call cost, as its own answer reported it. */
interface Paid {
  key: string;
  model: string;
  cost: bigint;
  /** How the ledger names it. */
  by: { task_id: string } | { request_id: string };
}

async function buyTasks(key: string, keyId: string): Promise<Paid[]> {
  const paid: Paid[] = [];
  const creations = [
    ['/v1/images/generations', image],
    ['/v1/video/generations', { model: 'sim-video-fast', prompt: 'Cars', duration: 5 }],
    // One that fails costs nothing.
    ['/v1/images/generations', { ...image, prompt: '[sim:fail=no luck]' }],
  ] as const;
  for (const [path, body] of creations) {
    const record = (await gateway.post(path, body, bearer(key))).body;
    if (record['status'] === 'failed') continue;
    const { cost, balance } = record['_local'] as { cost: number; balance: number };
    const [last] = await rowsOf(`/v1/account/ledger?task_id=${String(record['id'])}`, key);
    assert.equal(balance, last?.['balance'], 'the balance after the last entry of the task');
    assert.deepEqual((await gateway.get(`${path}/${String(record['id'])}`, bearer(key))).body['_local'], {
      cost,
      balance,
    });
    paid.push({ key: keyId, model: body.model, cost: micros(cost), by: { task_id: String(record['id']) } });
  }
  return paid;
}

async function buyTalk(key: string, keyId: string): Promise<Paid & { durationMs: number; tokens: number }> {
  const form = new FormData();
  form.append('audio', new Blob([wav({ seconds: 1.234 })]), 'voice.wav');
  form.append('video', new Blob([await mp4({ seconds: 1, hasAudio: false })]), 'footage.mp4');
  const sent = await answerOf(
    await gateway.fetch('/v1/svctalk/generate', { method: 'POST', headers: bearer(key), body: form }),
  );
  const id = String(sent.body['id']);
  const response = await gateway.fetchedVideo(`/v1/svctalk/generate/${id}`, key);
  await response.arrayBuffer();
  const [duration, tokens, cost] = ['x-video-duration', 'x-tokens', 'x-cost'].map((name) =>
    Number(response.headers.get(name)),
  );
  assert.ok(duration !== undefined && tokens !== undefined);
  const [task] = await rowsOf('/v1/tasks?kind=avatar_talk', key);
  assert.deepEqual([task?.['duration'], task?.['tokens'], task?.['cost']], [duration, tokens, cost]);
  assert.equal(Math.round(duration * 1000), tokens);
  return { key: keyId, model: 'sim-avatar-talk', cost: micros(cost), by: { task_id: id }, durationMs: tokens, tokens };
}

/** A call that is answered, one that is streamed, and one whose caller disconnects: by their ids, since no answer has a price. */
async function call(customer: Customer): Promise<string[]> {
  const usage = {
    prompt_tokens: 1_001,
    completion_tokens: 77,
    total_tokens: 1_078,
    prompt_tokens_details: { cached_tokens: 400 },
  };
  const ids = ['whole', 'streamed', 'left'].map((how) => `figures-${how}`);
  const headers = (index: number) => ({ 'X-Request-Id': ids[index] ?? '' });
  upstream.answers(chatAnswer('Hello!', usage));
  await customer.post(hello, headers(0));
  upstream.answers(chatStream(['Hello', ' you']));
  await customer.post({ ...hello, stream: true }, headers(1));
  upstream.answers({ pieces: [deltaEvent('Hello there')], ending: 'stall' });
  const leaving = new AbortController();
  const response = await gateway.fetch('/v1/chat/completions', {
    method: 'POST',
    headers: { ...customer.headers, 'Content-Type': 'application/json', ...headers(2) },
    body: JSON.stringify({ ...hello, stream: true }),
    signal: leaving.signal,
  });
  await response.body?.getReader().read();
  leaving.abort();
  return ids;
}

test('what was paid is one figure, wherever it is shown', async () => {
  const maker = await gateway.newKey({ balance: '20' });
  const caller = await gateway.newKeyOf(maker.account, { level: 'chat' });
  const paid = await buyTasks(maker.key, maker.keyId);
  const talk = await buyTalk(maker.key, maker.keyId);
  paid.push(talk);
  const customer = customerOf(gateway, caller);
  const requests = await call(customer);
  const { entries, balance } = await customer.settled();

  const captures = entries.filter(({ type }) => type === 'capture');
  for (const { cost, model, by } of paid) {
    const [capture, ...others] = captures.filter(({ task_id }) => 'task_id' in by && task_id === by.task_id);
    assert.deepEqual([micros(capture?.['charged']), capture?.['model'], others], [cost, model, []]);
  }
  for (const requestId of requests) {
    const [capture, ...others] = captures.filter((entry) => entry['request_id'] === requestId);
    assert.ok(capture && others.length === 0, requestId);
    assert.equal(sum(capture['lines'] as Row[], 'amount'), micros(capture['charged']), 'the lines add up to the price');
    paid.push({
      key: caller.keyId,
      model: 'chat-one',
      cost: micros(capture['charged']),
      by: { request_id: requestId },
    });
  }
  // 601 x 3.3 + 400 x 0.7 + 77 x 1234.5, in millionths of 1 CNY, rounded half up.
  assert.equal(paid.find(({ by }) => 'request_id' in by && by.request_id === 'figures-whole')?.cost, 97_320n);

  const total = paid.reduce((all, { cost }) => all + cost, 0n);
  assert.equal(micros(20) - micros(balance), total, 'the balance');
  assert.equal(sum(entries, 'charged'), total, 'the ledger’s charges');
  assert.equal(-sum(entries, 'amount'), total, 'the ledger’s amounts');

  for (const root of ['/v1', '/ai/v1']) {
    const [days, models, keys] = await Promise.all(
      ['day', 'model', 'key'].map((by) => rowsOf(`${root}/account/usage?group_by=${by}`, maker.key)),
    );
    assert.ok(days && models && keys);
    for (const rows of [days, models, keys]) {
      assert.equal(sum(rows, 'cost'), total, 'usage');
      assert.equal(
        rows.reduce((all, { calls }) => all + Number(calls), 0),
        captures.length,
      );
    }
    const costOf = (of: (paid: Paid) => string) => {
      const costs = new Map<string, bigint>();
      for (const one of paid) costs.set(of(one), (costs.get(of(one)) ?? 0n) + one.cost);
      return costs;
    };
    assert.deepEqual(
      new Map(models.map((row) => [row['model'], micros(row['cost'])])),
      costOf(({ model }) => model),
    );
    assert.deepEqual(
      new Map(keys.map((row) => [row['key_id'], micros(row['cost'])])),
      costOf(({ key }) => key),
    );

    const of = (model: string) => models.find((row) => row['model'] === model) ?? assert.fail(model);
    assert.deepEqual([of('sim-image')['calls'], of('sim-image')['images'], of('sim-image')['tokens']], [1, 2, 0]);
    assert.deepEqual([of('sim-video-fast')['seconds'], of('sim-video-fast')['tokens']], [5, 0]);
    assert.deepEqual(
      [of('sim-avatar-talk')['seconds'], of('sim-avatar-talk')['tokens']],
      [talk.durationMs / 1000, talk.tokens],
    );
    const units = (unit: string) =>
      captures
        .flatMap(({ lines }) => (lines ?? []) as Row[])
        .reduce((all, line) => (line['unit'] === unit ? all + Number(line['units']) : all), 0);
    const chat = of('chat-one');
    assert.equal(chat['input_tokens'], units('input_token') + units('cached_input_token'));
    assert.equal(chat['output_tokens'], units('output_token'));
    assert.equal(
      chat['tokens'],
      captures.reduce((all, { unit, units: count }) => (unit === 'token' ? all + Number(count) : all), 0),
    );
  }
  await assertLedgerAddsUp(gateway.core.database, gateway.core.secrets.first.ledger);
});

test('what had to be written off was never paid: neither ledger nor usage says that it was earned', async () => {
  const caller = await gateway.newKey({ balance: '0.01', level: 'chat' });
  const customer = customerOf(gateway, caller);
  upstream.answers(chatAnswer('Hello!', { prompt_tokens: 3, completion_tokens: 1_000, total_tokens: 1_003 }));
  assert.equal((await customer.post({ ...hello, max_tokens: 1 })).status, 200);
  const { entries, balance } = await customer.settled();
  assert.deepEqual(
    entries.map(({ type, charged }): unknown[] => [type, charged]),
    [
      ['hold', 0],
      ['capture', 0.01],
      ['write_off', 0],
    ],
  );
  assert.equal(balance, 0);
  for (const by of ['day', 'model', 'key']) {
    const rows = await rowsOf(`/v1/account/usage?group_by=${by}`, caller.key);
    assert.deepEqual(
      rows.map(({ calls, cost, tokens }): unknown[] => [calls, cost, tokens]),
      [[1, 0.01, 1_003]],
    );
  }
});
