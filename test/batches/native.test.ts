/** Batches that are handed to the batch API of their provider: what is sent, what is charged, and what happens to a lost create. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import * as z from 'zod';
import { micros } from '../../src/domain/money.ts';
import { audit } from '../../src/audit/audit.ts';
import { rowChecks } from '../../src/audit/checks/all-checks.ts';
import { endUnrunnable } from '../../src/batches/stored-batches.ts';
import { anthropicRefusal, type BatchVendor, openAiRefusal, openBatchVendor } from '../support/batch-vendor.ts';
import { batchOf, openTestLines, type TestBatch, type TestLines } from '../support/batches.ts';
import { customerOf } from '../support/chat-gateway.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { assertLedgerAddsUp } from '../support/money.ts';
import { errorAnswer } from '../support/upstream.ts';

let gateway: TestGateway;
let opened: Awaited<ReturnType<typeof openBatchVendor>>;
let vendor: BatchVendor;
let lines: TestLines;
before(async () => {
  opened = await openBatchVendor();
  vendor = opened.vendor;
  gateway = await startTestGateway({ configuration: configurationFor(vendor.upstream.url), worker: false });
  lines = await openTestLines(gateway);
});
beforeEach(() => vendor.reset());
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
  alike: { kind: openai, base_url: '${url}' }
  claude: { kind: anthropic, base_url: '${url}', api_key: a-key-of-anthropic }
models:
  - id: half
    kind: chat
    routes: [{ provider: alike, model: up, batch: native }]
    price: &price { input_per_million: 1000, output_per_million: 1000, batch: { input_per_million: 500, output_per_million: 500 } }
    limits: { max_output_tokens: 100 }
  - id: claude
    kind: chat
    routes: [{ provider: claude, model: claude-up, batch: native }]
    price: *price
    limits: { max_output_tokens: 100 }
`;

const chat = 'chat/completions';
const hello = (content = 'Hello', model = 'half') => ({ model, messages: [{ role: 'user', content }] });
const message = (content = 'Hello') => ({ ...hello(content, 'claude'), max_tokens: 20 });
const customer = (balance = '100') => gateway.newKey({ balance, level: 'standard' });
type Key = Awaited<ReturnType<typeof customer>>;

const intentRow = z.object({ state: z.string(), job: z.string().nullable(), reason: z.string().nullable() });
async function intentOf({ id }: TestBatch) {
  const { rows } = await gateway.core.database.pool.query(
    'select state, job_id as job, reason from batch_intents where batch_id = $1',
    [id],
  );
  return rows[0] === undefined ? undefined : intentRow.parse(rows[0]);
}
/** As if it had been opened that long ago. */
const age = ({ id }: TestBatch, minutes: number) =>
  gateway.core.database.pool.query(
    'update batch_intents set opened_at = opened_at - make_interval(mins => $2) where batch_id = $1',
    [id, minutes],
  );
const countRow = z.object({ captures: z.int() });
async function captures(one: Key): Promise<number> {
  await customerOf(gateway, one).settled();
  const { rows } = await gateway.core.database.pool.query(
    `select count(*)::int as captures from entries where account_id = $1 and type = 'capture'`,
    [one.account],
  );
  return countRow.parse(rows[0]).captures;
}
const states = async (batch: TestBatch) => (await batch.lines()).map(({ state }) => state);
const counts = async (batch: TestBatch) => {
  const { completed, failed } = await batch.row();
  return { completed, failed };
};
const costs = async (batch: TestBatch) => (await batch.lines()).map(({ cost }) => cost);
/** As a worker runs one. */
async function slice(batch: TestBatch) {
  await endUnrunnable(gateway.core.database, batch.id);
  return lines.slice(batch);
}
async function runToEnd(batch: TestBatch): Promise<void> {
  while ((await slice(batch)).left > 0);
}

describe('a native batch of OpenAI', () => {
  test('is uploaded and created once, collected, and charged by the price of batches', async () => {
    const one = await customer();
    const batch = await batchOf(gateway, one, chat, [hello('one'), { ...hello('two'), temperature: 0.5 }]);
    const { left, paused, againInMs } = await slice(batch);
    assert.deepEqual({ left, paused, againInMs }, { left: 2, paused: null, againInMs: 30_000 });
    const { requests, metadata } = vendor.job();
    assert.deepEqual(metadata, { tollgate_batch: batch.id });
    assert.deepEqual(requests, [
      { custom_id: '1', method: 'POST', url: '/v1/chat/completions', body: { ...hello('one'), model: 'up' } },
      {
        custom_id: '2',
        method: 'POST',
        url: '/v1/chat/completions',
        body: { ...hello('two'), model: 'up', temperature: 0.5 },
      },
    ]);
    assert.match(vendor.uploads[0]?.head ?? '', /name="purpose"\r\n\r\nbatch\r\n/);
    vendor.done = { completed: 1, failed: 0 };
    assert.deepEqual(await counts(batch), { completed: 0, failed: 0 });
    await slice(batch);
    assert.deepEqual(await counts(batch), { completed: 1, failed: 0 }, 'as far as the provider is');
    assert.equal(await captures(one), 0, 'nothing is charged before it is there');
    vendor.finish();
    await runToEnd(batch);
    assert.deepEqual(await costs(batch), [0.006, 0.006]);
    assert.deepEqual(await states(batch), ['completed', 'completed']);
    assert.equal((await batch.lines())[0]?.answer['choices'][0].message.content, 'Hello!');
    assert.equal(await captures(one), 2);
    assert.equal(vendor.jobs.length, 1);
    assert.equal(vendor.alone.length, 0);
    assert.deepEqual(await counts(batch), { completed: 2, failed: 0 });
    const [{ id: input } = { id: 'none' }] = vendor.uploads;
    assert.deepEqual(vendor.deleted, [input, `output-${vendor.job().id}`], 'the provider keeps nothing of it');
  });

  test('has the errors of its lines, each for itself, and runs alone what was not carried out', async () => {
    const one = await customer();
    const batch = await batchOf(gateway, one, chat, [hello('fine'), hello('say no'), hello('hiccup'), hello('late')]);
    await slice(batch);
    vendor.outcomeOf = ({ custom_id: id }) =>
      id === '1'
        ? {
            status: 200,
            body: {
              ...(JSON.parse('{"id":"x","choices":[]}') as object),
              usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
            },
          }
        : id === '2'
          ? openAiRefusal('This prompt is not good.')
          : id === '3'
            ? { status: 500, body: { error: { message: 'oops' } } }
            : 'expired';
    vendor.finish('expired');
    await runToEnd(batch);
    assert.deepEqual(await states(batch), ['completed', 'failed', 'completed', 'completed']);
    const refused = (await batch.lines())[1];
    assert.deepEqual([refused?.status, refused?.code, refused?.cost], [400, 'bad_prompt', 0]);
    assert.equal(vendor.alone.length, 2, 'two lines were sent one by one');
    assert.equal(await captures(one), 3);
  });

  test('is found by its metadata after the answer to its create was lost', async () => {
    const batch = await batchOf(gateway, await customer(), chat, [hello()]);
    vendor.create = 'lost';
    await slice(batch);
    assert.equal((await intentOf(batch))?.state, 'open');
    const { id } = vendor.job();
    for (const other of ['a', 'b', 'c']) vendor.jobs.push({ ...vendor.job(), id: other, metadata: {} });
    await slice(batch);
    assert.deepEqual(await intentOf(batch), { state: 'accepted', job: id, reason: null });
    vendor.jobs.splice(1);
    vendor.finish();
    await runToEnd(batch);
    assert.equal(vendor.uploads.length, 1);
    assert.deepEqual(await states(batch), ['completed']);
  });

  test('that may or may not have been created is given up after ten minutes, and never sent again', async () => {
    const one = await customer();
    const batch = await batchOf(gateway, one, chat, [hello(), hello()]);
    vendor.create = 'never-came';
    await slice(batch);
    assert.equal((await slice(batch)).left, 2, 'it may still appear');
    await age(batch, 11);
    await runToEnd(batch);
    assert.equal((await intentOf(batch))?.state, 'unknown');
    assert.deepEqual(await states(batch), ['unknown', 'unknown']);
    assert.deepEqual(await costs(batch), [0, 0]);
    assert.equal(vendor.jobs.length + vendor.alone.length, 0);
    assert.equal(await captures(one), 0);
  });

  test('is uploaded again where its process died between the upload and the create', async () => {
    const batch = await batchOf(gateway, await customer(), chat, [hello()]);
    vendor.create = errorAnswer(503, 'Busy.');
    assert.equal((await slice(batch)).paused, 'provider_busy', 'nothing was created: the next slice begins again');
    await slice(batch);
    assert.equal(vendor.uploads.length, 2);
    assert.equal(vendor.jobs.length, 1);
    vendor.finish();
    await runToEnd(batch);
    assert.deepEqual(await states(batch), ['completed']);
  });

  test('is run line by line where the provider refuses it, at once or after its own validation', async () => {
    const first = await batchOf(gateway, await customer(), chat, [hello()]);
    vendor.create = errorAnswer(400, 'No batches for this model.');
    await runToEnd(first);
    assert.equal((await intentOf(first))?.state, 'refused');
    assert.equal(vendor.alone.length, 1);
    const second = await batchOf(gateway, await customer(), chat, [hello()]);
    await slice(second);
    Object.assign(vendor.job(), { status: 'failed', errors: { data: [{ code: 'token_limit_exceeded' }] } });
    await runToEnd(second);
    assert.match((await intentOf(second))?.reason ?? '', /token_limit_exceeded/);
    assert.deepEqual(await states(second), ['completed']);
    assert.equal(vendor.alone.length, 2);
  });

  test('is cancelled at its provider: what was done is charged, the rest is not run', async () => {
    const one = await customer();
    const batch = await batchOf(gateway, one, chat, [hello(), hello()]);
    await slice(batch);
    await batch.set(`state = 'cancelling', cancelling_at = now()`);
    await slice(batch);
    assert.ok(vendor.job().isCancelAsked);
    assert.deepEqual(await states(batch), ['pending', 'pending'], 'the provider may have done them');
    vendor.outcomeOf = ({ custom_id: id }) =>
      id === '1'
        ? { status: 200, body: { choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 } } }
        : 'cancelled';
    vendor.finish('cancelled');
    await runToEnd(batch);
    assert.deepEqual(await states(batch), ['completed', 'cancelled']);
    assert.equal(await captures(one), 1);
    assert.equal(vendor.alone.length, 0);
  });

  test('whose time is over is cancelled at its provider, and collected', async () => {
    const batch = await batchOf(gateway, await customer(), chat, [hello()]);
    await slice(batch);
    await batch.set(`expires_at = now() - interval '1 second'`);
    await slice(batch);
    assert.ok(vendor.job().isCancelAsked);
    vendor.outcomeOf = () => 'cancelled';
    vendor.finish('cancelled');
    await runToEnd(batch);
    assert.deepEqual(await states(batch), ['expired']);
  });

  test('charges no line twice when its results break off half-way', async () => {
    const one = await customer();
    const batch = await batchOf(
      gateway,
      one,
      chat,
      Array.from({ length: 80 }, () => hello()),
    );
    await slice(batch);
    vendor.finish();
    vendor.breakAfter = 70;
    assert.equal((await slice(batch)).left, 16, 'a group was stored and charged');
    await runToEnd(batch);
    assert.equal(await captures(one), 80);
    assert.equal(new Set((await batch.lines()).map(({ transferId }) => transferId)).size, 80);
  });

  test('of a job that is complete without some of its lines has no outcome for these', async () => {
    const batch = await batchOf(gateway, await customer(), chat, [hello(), hello()]);
    await slice(batch);
    vendor.finish();
    vendor.job().results.delete('2');
    await runToEnd(batch);
    assert.deepEqual(await states(batch), ['completed', 'unknown']);
    assert.equal(vendor.alone.length, 0);
  });

  test('waits for the money that it is expected to cost, and for what its answers cost', async () => {
    const one = await customer('0.04');
    const batch = await batchOf(gateway, one, chat, [hello(), hello()]);
    assert.equal((await slice(batch)).paused, 'insufficient_balance');
    assert.equal(vendor.uploads.length, 0);
    await gateway.core.ledger.credit(one.account, micros(10_000_000n), 'paid');
    await slice(batch);
    const second = await batchOf(gateway, one, chat, [hello()]);
    await gateway.core.ledger.adjust(one.account, micros(-9_900_000n), 'spent elsewhere');
    assert.equal((await slice(second)).paused, 'insufficient_balance', 'the first one counts on what is left');
    await gateway.core.ledger.adjust(one.account, micros(-130_000n), 'spent elsewhere');
    vendor.finish();
    assert.equal((await slice(batch)).paused, 'insufficient_balance');
    assert.equal(await captures(one), 0);
    await gateway.core.ledger.credit(one.account, micros(10_000_000n), 'paid');
    await runToEnd(batch);
    assert.equal(await captures(one), 2);
  });

  test('is none where its models are several, its window is short, or a line would be refused', async () => {
    const one = await customer();
    const mixed = await batchOf(gateway, one, chat, [hello(), { ...hello(), stream: true }]);
    await runToEnd(mixed);
    assert.match((await intentOf(mixed))?.reason ?? '', /line 2/);
    const short = await batchOf(gateway, one, chat, [hello()]);
    await short.set('window_seconds = 3600');
    await runToEnd(short);
    assert.equal(await intentOf(short), undefined);
    assert.equal(vendor.jobs.length, 0);
    assert.equal(vendor.alone.length, 2);
  });
});

describe('a native batch of Anthropic', () => {
  test('is created with its requests, and its messages are collected and charged', async () => {
    const one = await customer();
    const batch = await batchOf(gateway, one, 'messages', [message('one'), message('say no'), message('late')]);
    await slice(batch);
    assert.deepEqual(
      vendor.job().requests.map(({ custom_id: id, body }) => [id, body['model'], body['max_tokens']]),
      ['1', '2', '3'].map((id) => [id, 'claude-up', 20]),
    );
    const good = vendor.outcomeOf;
    vendor.outcomeOf = (request) =>
      request.custom_id === '1' ? good(request) : request.custom_id === '2' ? anthropicRefusal('No.') : 'expired';
    vendor.finish();
    await runToEnd(batch);
    assert.deepEqual(await states(batch), ['completed', 'failed', 'completed']);
    const [first, second] = await batch.lines();
    assert.equal(first?.answer['content'][0].text, 'Hello!');
    assert.deepEqual([second?.status, second?.answer['error'].message], [400, 'No.']);
    assert.equal(vendor.alone.length, 1, 'the one that the provider ran out of time for');
    assert.equal(await captures(one), 2);
  });

  test('whose create was lost can not be looked up: its lines have no outcome, and are not sent again', async () => {
    const batch = await batchOf(gateway, await customer(), 'messages', [message()]);
    vendor.create = 'lost';
    await slice(batch);
    await slice(batch);
    assert.equal((await intentOf(batch))?.state, 'open');
    await age(batch, 11);
    await runToEnd(batch);
    assert.deepEqual(await states(batch), ['unknown']);
    assert.equal(vendor.jobs.length, 1);
  });
});
