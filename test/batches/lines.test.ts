/** Lines of batches that are calls: what is charged, what waits, and what becomes of lines whose process dies. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import type { KeyId } from '../../src/domain/ids.ts';
import { micros } from '../../src/domain/money.ts';
import { revokeKey } from '../../src/accounts/api-keys.ts';
import { audit } from '../../src/audit/audit.ts';
import { rowChecks } from '../../src/audit/checks/all-checks.ts';
import { claimLines, endUnrun } from '../../src/batches/batch-rows.ts';
import { blobNames } from '../../src/blobs/blob-names.ts';
import { batchOf, openTestLines, type TestBatch, type TestLines } from '../support/batches.ts';
import { customerOf } from '../support/chat-gateway.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { assertLedgerAddsUp } from '../support/money.ts';
import { type Answer, chatAnswer, errorAnswer, openUpstream, type Upstream } from '../support/upstream.ts';

let gateway: TestGateway;
let opened: Awaited<ReturnType<typeof openUpstream>>;
let upstream: Upstream;
let lines: TestLines;
before(async () => {
  opened = await openUpstream();
  upstream = opened.upstream;
  gateway = await startTestGateway({ configuration: configurationFor(upstream.url), worker: false });
  lines = await openTestLines(gateway);
});
after(async () => {
  const { database, secrets } = gateway.core;
  await assertLedgerAddsUp(database, secrets.first.ledger);
  const { findings } = await audit({ database, ledgerKeys: [secrets.first.ledger] }, rowChecks);
  assert.deepEqual(findings, [], 'the audit agrees');
  await lines.close();
  await gateway.stop();
  await opened.close();
});

const configurationFor = (url: string) => `
providers:
  first: { kind: openai, base_url: '${url}' }
  single: { kind: openai, base_url: '${url}', batch: { max_concurrent: 1 } }
  hasty: { kind: openai, base_url: '${url}', timeout_seconds: 0.3 }
models:
  - id: talk
    kind: chat
    routes: [{ provider: first, model: up }]
    price: { input_per_million: 1000, output_per_million: 1000 }
    limits: { max_output_tokens: 100 }
  - id: half
    kind: chat
    routes: [{ provider: first, model: up }]
    price: { input_per_million: 1000, output_per_million: 1000, batch: { input_per_million: 500, output_per_million: 500 } }
    limits: { max_output_tokens: 100 }
  - id: one-by-one
    kind: chat
    routes: [{ provider: single, model: up }]
    price: { input_per_million: 1000, output_per_million: 1000 }
    limits: { max_output_tokens: 100 }
  - id: hasty
    kind: chat
    routes: [{ provider: hasty, model: up }]
    price: { input_per_million: 1000, output_per_million: 1000 }
    limits: { max_output_tokens: 100 }
  - id: translated
    kind: chat
    translate: true
    routes: [{ provider: first, model: up }]
    price: { input_per_million: 1000, output_per_million: 1000 }
`;

const chat = 'chat/completions';
const hello = (model: string, content = 'Hello') => ({ model, messages: [{ role: 'user', content }] });
const customer = (balance = '100', limits = {}) => gateway.newKey({ balance, level: 'standard', ...limits });
type Key = Awaited<ReturnType<typeof customer>>;

/** By what the line says, whichever comes first. */
const byContent = (answers: Record<string, Answer>) => {
  upstream.answers(({ body }) => {
    const found = Object.entries(answers).find(([content]) => body.includes(content));
    return found?.[1] ?? chatAnswer('Hello!');
  });
};
const sentFor = (content: string) => upstream.requests.filter(({ body }) => body.includes(content)).length;
const charged = async (one: Key) =>
  (await customerOf(gateway, one).settled()).entries.filter(({ type }) => type === 'capture').length;

describe('a line of a batch', () => {
  test('is charged if its answer is stored, and costs nothing if it was refused', async () => {
    byContent({ 'say no': errorAnswer(400, 'This prompt is not good.', { code: 'bad_prompt' }) });
    const one = await customer();
    const bodies = [hello('talk'), hello('talk', 'say no'), hello('nothing-of-ours'), { ...hello('talk'), n: 0 }];
    const batch = await batchOf(gateway, one, chat, bodies);
    assert.deepEqual(await lines.slice(batch), { left: 0, paused: null, againInMs: 0 });
    const [good, refused, unknown, wrong] = await batch.lines();
    assert.equal(good?.state, 'completed');
    assert.equal(good.status, 200);
    assert.equal(good.cost, 0.012);
    assert.equal(good.answer['choices'][0].message.content, 'Hello!');
    assert.deepEqual([refused?.state, refused?.status, refused?.cost], ['failed', 400, 0]);
    assert.deepEqual(refused?.answer['error'].code, 'bad_prompt');
    assert.deepEqual([unknown?.state, unknown?.status, unknown?.code], ['failed', 404, 'model_not_found']);
    assert.deepEqual([wrong?.state, wrong?.status, wrong?.code], ['failed', 400, 'invalid_parameter']);
    assert.equal(await charged(one), 1);
    const { usage, ...row } = await batch.row();
    assert.deepEqual(row, { completed: 1, failed: 3, cost: 0.012, paused: null });
    assert.deepEqual(usage, {
      input_tokens: 9,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 3,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 12,
    });
  });

  test('costs what the price said when its batch was made, and the price of batches where there is one', async () => {
    byContent({});
    const one = await customer();
    const batch = await batchOf(gateway, one, chat, [hello('half'), hello('talk')]);
    await gateway.reload(configurationFor(upstream.url).replaceAll('1000', '7000').replaceAll('500', '3000'));
    await lines.slice(batch);
    await gateway.reload(configurationFor(upstream.url));
    assert.deepEqual(
      (await batch.lines()).map(({ cost }) => cost),
      [0.006, 0.012],
    );
  });

  test('is answered in its own form where its model translates', async () => {
    byContent({});
    const body = { ...hello('translated'), max_tokens: 10 };
    const batch = await batchOf(gateway, await customer(), 'messages', [body, { ...body, max_tokens: 'many' }]);
    await lines.slice(batch);
    const [good, wrong] = await batch.lines();
    assert.equal(good?.answer['type'], 'message');
    assert.equal(wrong?.answer['type'], 'error', 'and so are refusals');
  });

  test('has a blob of its own for a long answer, which the sweep leaves alone', async () => {
    byContent({ 'much please': chatAnswer('x'.repeat(100_000)) });
    const batch = await batchOf(gateway, await customer(), chat, [hello('talk', 'much please')]);
    await lines.slice(batch);
    const [line] = await batch.lines();
    assert.equal(line?.state, 'completed');
    const blob = line.blob ?? assert.fail('there is no blob');
    assert.ok((await gateway.core.blobs.size(blob)) > 100_000);
    assert.ok((await blobNames(gateway.core.database.pool, [blob])).has(blob));
  });

  test('is sent by one slice only, however many run at once', async () => {
    byContent({});
    const other = await openTestLines(gateway);
    const one = await customer();
    const batch = await batchOf(
      gateway,
      one,
      chat,
      Array.from({ length: 30 }, () => hello('talk', 'only once')),
    );
    await Promise.all([lines.slice(batch), other.slice(batch), lines.slice(batch)]);
    while ((await lines.slice(batch)).left > 0);
    await other.close();
    assert.equal(sentFor('only once'), 30);
    assert.equal(await charged(one), 30);
    assert.ok((await batch.lines()).every(({ state, sends }) => state === 'completed' && sends === 1));
  });

  test('that never gets an answer keeps no other from being sent, and fails by its timeout', async () => {
    byContent({ poison: { ending: 'stall-before' } });
    const brief = await openTestLines(gateway, { sliceMs: 100 });
    const batch = await batchOf(gateway, await customer(), chat, [
      hello('hasty', 'poison'),
      hello('talk'),
      hello('talk'),
    ]);
    while ((await batch.lines()).some(({ n, state }) => n > 1 && state !== 'completed')) await brief.slice(batch);
    while ((await brief.slice(batch)).left > 0);
    await brief.close();
    const [poisoned] = await batch.lines();
    assert.deepEqual([poisoned?.state, poisoned?.status, poisoned?.cost], ['failed', 504, 0]);
  });
});

test('while a slice goes on, the counts of its batch follow, and what it was paused for is over', async () => {
  byContent({ endless: { ending: 'stall-before' } });
  const brief = await openTestLines(gateway, { sliceMs: 2_400 });
  const batch = await batchOf(gateway, await customer(), chat, [hello('talk'), hello('talk', 'endless')]);
  await batch.set(`paused = 'insufficient_balance'`);
  const slice = brief.slice(batch);
  const isOver = slice.then(() => true);
  const looked = async () => {
    for (;;) {
      const { completed, paused } = await batch.row();
      if (completed > 0) return { completed, paused };
    }
  };
  assert.deepEqual(await Promise.race([isOver, looked()]), { completed: 1, paused: null });
  await slice;
  await brief.close();
});

describe('a line whose process died while it was sent', () => {
  /** As it is left: claimed and held, and the hold given back by another process's sweep. */
  const die = async (batch: TestBatch, one: Key) => {
    const claim = randomUUID();
    const { calls, database } = gateway.core;
    const [line] = await claimLines(database, batch.id, { claim, count: 1 });
    const admitted = await calls.admit({
      ...{ account: one.account, key: one.keyId as KeyId, requestId: 'req_lost', model: 'talk' },
      request: { needs: 'chat', model: 'talk', maintenance: false, hold: micros(1n), currency: 'CNY', isTask: false },
      ...{ lines: [{ unit: 'input_token', units: 1, pricePerMillion: micros(1_000_000n), amount: micros(1n) }] },
      ...{ priceVersion: 'a', overrunFactor: undefined, owner: randomUUID() },
      line: { batchId: batch.id, n: line?.n ?? 0, claim },
    });
    assert.ok(admitted.admitted === 'yes');
    return admitted.hold;
  };

  test('is left alone while its hold is there, sent once more after that, and then of unknown outcome', async () => {
    byContent({});
    const one = await customer();
    const batch = await batchOf(gateway, one, chat, [hello('talk', 'lost once'), hello('talk', 'lost twice')]);
    await batch.set(`state = 'cancelling'`); // nothing is sent meanwhile
    const first = await die(batch, one);
    const { left, againInMs } = await lines.slice(batch);
    assert.equal(left, 2);
    assert.equal((await batch.lines())[0]?.state, 'sent');
    assert.ok(againInMs >= 0);
    await gateway.core.calls.release(first, 'owner_lost');
    await lines.slice(batch);
    assert.equal((await batch.lines())[0]?.state, 'pending');
    await batch.set(`state = 'in_progress'`);
    await lines.slice(batch);
    const [again] = await batch.lines();
    assert.deepEqual([again?.state, again?.sends], ['completed', 2]);

    const next = await batchOf(gateway, one, chat, [hello('talk', 'lost twice')]);
    await next.set(`state = 'cancelling'`);
    for (let deaths = 0; deaths < 2; deaths++) {
      await gateway.core.calls.release(await die(next, one), 'owner_lost');
      await lines.slice(next);
    }
    const [unknown] = await next.lines();
    assert.deepEqual([unknown?.state, unknown?.code, unknown?.cost], ['unknown', 'outcome_unknown', 0]);
    assert.equal((await next.row()).failed, 1);
  });

  test('is taken back when its process stops in the middle, and is sent once more', async () => {
    let answer: (() => void) | undefined;
    byContent({ 'stopped here': { pieces: [new Promise<void>((resolve) => (answer = resolve))] } });
    const stopping = await openTestLines(gateway);
    const ending = new AbortController();
    const one = await customer();
    const batch = await batchOf(gateway, one, chat, [hello('talk', 'stopped here')]);
    const slice = stopping.slice(batch, ending.signal);
    while (sentFor('stopped here') === 0) await upstream.received(upstream.requests.length + 1);
    ending.abort();
    await slice;
    await stopping.close();
    answer?.();
    assert.equal((await batch.lines())[0]?.state, 'pending');
    byContent({});
    while ((await lines.slice(batch)).left > 0);
    const [line] = await batch.lines();
    assert.deepEqual([line?.state, line?.sends], ['completed', 2]);
    assert.equal(await charged(one), 1);
  });
});

describe('a batch', () => {
  test('without money is paused, and goes on after a credit', async () => {
    byContent({});
    const one = await customer('0.15');
    const batch = await batchOf(
      gateway,
      one,
      chat,
      Array.from({ length: 6 }, () => hello('one-by-one', 'for money')),
    );
    let slice = await lines.slice(batch);
    while (slice.paused === null && slice.left > 0) slice = await lines.slice(batch);
    assert.equal(slice.paused, 'insufficient_balance');
    assert.ok(slice.left > 0 && slice.againInMs > 0);
    assert.equal((await batch.row()).paused, 'insufficient_balance');
    assert.ok((await batch.lines()).every(({ state }) => state === 'completed' || state === 'pending'));
    await gateway.core.ledger.credit(one.account, micros(10_000_000n), 'paid');
    while ((await lines.slice(batch)).left > 0);
    assert.equal((await batch.row()).completed, 6);
    assert.equal((await batch.row()).paused, null);
  });

  test('waits as long as a busy provider says, and the wait is no send', async () => {
    upstream.answers(
      { ...errorAnswer(429, 'Slow down.'), headers: { 'content-type': 'application/json', 'retry-after': '1' } },
      chatAnswer('Hello!'),
    );
    const batch = await batchOf(gateway, await customer(), chat, [hello('one-by-one', 'storm')]);
    const slice = await lines.slice(batch);
    assert.equal(slice.paused, 'provider_busy');
    assert.ok(slice.againInMs > 0 && slice.againInMs <= 1_000);
    const [waiting] = await batch.lines();
    assert.deepEqual([waiting?.state, waiting?.sends], ['pending', 0]);
    while ((await lines.slice(batch)).left > 0);
    const [line] = await batch.lines();
    assert.deepEqual([line?.state, line?.sends], ['completed', 1]);
  });

  test('whose lines a dead slice has claimed waits for their lease, and is not paused by a provider', async () => {
    byContent({});
    const batch = await batchOf(gateway, await customer(), chat, [hello('talk', 'claimed')]);
    await claimLines(gateway.core.database, batch.id, { claim: randomUUID(), count: 1 });
    const { left, paused, againInMs } = await lines.slice(batch);
    assert.deepEqual([left, paused], [1, null]);
    assert.ok(againInMs > 1_000 && againInMs <= 60_000);
    await gateway.core.database.pool.query('update batch_lines set lease_until = now() where batch_id = $1', [
      batch.id,
    ]);
    assert.equal((await lines.slice(batch)).left, 0);
  });

  test('waits for the next window of its key, whose limits count its lines', async () => {
    byContent({});
    const one = await customer('100', { callLimits: [{ calls: 2, per: 'day' }] });
    const batch = await batchOf(gateway, one, chat, [hello('talk'), hello('talk'), hello('talk')]);
    const { left, paused, againInMs } = await lines.slice(batch);
    assert.deepEqual({ left, paused }, { left: 1, paused: null });
    assert.ok(againInMs > 1_000);
    assert.equal((await batch.row()).completed, 2);
  });

  test('sends nothing more once its key is revoked: the lines that are left are cancelled', async () => {
    const one = await customer();
    let revoking: Promise<unknown> | undefined;
    upstream.answers(() => {
      revoking ??= revokeKey(gateway.by, one.keyId);
      return {
        ...chatAnswer('Hello!'),
        json: undefined,
        pieces: [revoking, JSON.stringify(chatAnswer('Hello!').json)],
      };
    });
    const batch = await batchOf(
      gateway,
      one,
      chat,
      Array.from({ length: 5 }, () => hello('one-by-one', 'revoked')),
    );
    while ((await lines.slice(batch)).left > 0);
    const states = (await batch.lines()).map(({ state, code }) => [state, code]);
    assert.deepEqual(states[0], ['completed', null], 'what was under way is seen to its end');
    assert.deepEqual(states.at(-1), ['cancelled', 'batch_cancelled']);
  });

  test('that is cancelled or past its time sends nothing, and its lines are ended all at once', async () => {
    byContent({});
    const one = await customer();
    const batch = await batchOf(gateway, one, chat, [hello('talk', 'too late'), hello('talk', 'too late')]);
    await batch.set(`expires_at = now() - interval '1 second'`);
    assert.equal((await lines.slice(batch)).left, 2);
    assert.equal(await endUnrun(gateway.core.database, batch.id, 'expired'), 2);
    assert.deepEqual(await lines.slice(batch), { left: 0, paused: null, againInMs: 0 });
    assert.equal(sentFor('too late'), 0);
    assert.deepEqual(
      (await batch.lines()).map(({ state, code }) => [state, code]),
      Array.from({ length: 2 }, () => ['expired', 'batch_expired']),
    );
  });
});
