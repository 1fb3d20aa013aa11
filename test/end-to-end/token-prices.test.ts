/** Cards of a price, seen from outside: tiers, long prompts, tools and calls, what is held for them, and what the ledger keeps. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { audit } from '../../src/audit/audit.ts';
import { chargesCheck } from '../../src/audit/checks/charge-sums.ts';
import { type Customer, customerOf, responsesPath } from '../support/chat-gateway.ts';
import { assertError } from '../support/errors.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { parseMetrics, valueOf } from '../support/metrics.ts';
import { assertLedgerAddsUp } from '../support/money.ts';
import { chatAnswer, chatEvent, deltaEvent, doneEvent, openUpstream } from '../support/upstream.ts';

let upstream: Awaited<ReturnType<typeof openUpstream>>;
let gateway: TestGateway;
before(async () => {
  upstream = await openUpstream();
  gateway = await startTestGateway({ configuration: configurationFor(upstream.upstream.url), worker: false });
});
after(async () => {
  const { database, secrets } = gateway.core;
  await assertLedgerAddsUp(database, secrets.first.ledger);
  assert.deepEqual((await audit({ database, ledgerKeys: [secrets.first.ledger] }, [chargesCheck])).findings, []);
  await gateway.stop();
  await upstream.close();
});

const configurationFor = (url: string) => `
providers:
  vendor: { kind: openai, base_url: '${url}' }
models:
  - id: carded
    kind: chat
    routes: [{ provider: vendor, model: up-stream }]
    limits: { max_output_tokens: 100 }
    price:
      input_per_million: 1000
      output_per_million: 2000
      cached_input_per_million: 100
      cache_write_per_million: 1250
      per_call: 0.01
      per_tool_call: { web_search: 0.5, file_search: 0.25 }
      service_tiers: { flex: { input_per_million: 500, output_per_million: 1000 } }
      above: [{ input_tokens: 1000, input_per_million: 2000, output_per_million: 4000 }]
  - id: plain
    kind: chat
    routes: [{ provider: vendor, model: up-stream }]
    limits: { max_output_tokens: 100 }
    price: { input_per_million: 1000, output_per_million: 2000 }
`;

const customer = async () => customerOf(gateway, await gateway.newKey({ balance: '1000', level: 'chat' }));
const hello = { model: 'carded', messages: [{ role: 'user', content: 'Hello' }] };
const usageOf = (prompt: number, completion: number, more = {}) => ({
  ...{ prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion },
  ...more,
});
/** An answer with fields beside those of every chat completion. */
const answerOf = (usage: unknown, fields: Record<string, unknown> = {}) => {
  const { json } = chatAnswer('Hi', usage);
  return { json: { ...(json as Record<string, unknown>), ...fields } };
};

/** Sends a body and returns the lines and the rest of its capture. */
async function captured(one: Customer, body: unknown, path?: string) {
  const { status, body: answer } = await one.post(body, {}, path);
  assert.equal(status, 200, JSON.stringify(answer));
  const { entries } = await one.settled();
  const capture = entries.findLast(({ type }) => type === 'capture');
  assert.ok(capture);
  return capture;
}
const shortOf = (lines: unknown) =>
  (lines as { unit: string; name?: string; units: number; amount: number }[]).map(({ unit, name, units, amount }) => [
    name === undefined ? unit : `${unit} ${name}`,
    units,
    amount,
  ]);
const oddCount = async (reason: string) => {
  const families = parseMetrics(await (await gateway.fetch('/metrics', { key: null })).text());
  return families.has('tollgate_usage_odd_total')
    ? valueOf(families, 'tollgate_usage_odd_total', { provider: 'vendor', reason })
    : 0;
};

describe('a call is charged', () => {
  test('by the card of the tier that answered it, with what caches read and wrote, and for the call', async () => {
    const details = { prompt_tokens_details: { cached_tokens: 20, cache_write_tokens: 30 } };
    const usage = usageOf(100, 10, details);
    upstream.upstream.answers(answerOf(usage, { service_tier: 'flex' }));
    const capture = await captured(await customer(), { ...hello, service_tier: 'flex' });
    assert.deepEqual(shortOf(capture['lines']), [
      ['input_token', 50, 0.025],
      ['cached_input_token', 20, 0.002],
      ['cache_write_token', 30, 0.0375],
      ['output_token', 10, 0.01],
      ['call', 1, 0.01],
    ]);
    assert.equal(capture['charged'], 0.0845);
    assert.deepEqual(capture['usage'], usage);
  });

  test('by its answer’s tier where it asked for another, of a stream too', async () => {
    const chunk = chatEvent({ choices: [], usage: usageOf(10, 1), service_tier: 'default' });
    upstream.upstream.answers({ pieces: [deltaEvent('Hi'), deltaEvent(null, 'stop'), chunk, doneEvent] });
    const one = await customer();
    await one.raw({ ...hello, stream: true, service_tier: 'flex' });
    const { entries } = await one.settled();
    assert.equal(entries[1]?.['charged'], 0.01 + 0.002 + 0.01);
  });

  test('at the card of its whole prompt, caches included', async () => {
    upstream.upstream.answers(answerOf(usageOf(1000, 1, { prompt_tokens_details: { cached_tokens: 990 } })));
    const capture = await captured(await customer(), hello);
    assert.deepEqual(shortOf(capture['lines']), [
      ['input_token', 10, 0.02],
      ['cached_input_token', 990, 0.099],
      ['output_token', 1, 0.004],
      ['call', 1, 0.01],
    ]);
  });

  test('for the tools that its answer called, which a price lets pass', async () => {
    const usage = { input_tokens: 10, output_tokens: 1, total_tokens: 11 };
    const output = [{ type: 'web_search_call' }, { type: 'web_search_call' }, { type: 'file_search_call' }];
    upstream.upstream.answers({ json: { id: 'resp_t', object: 'response', status: 'completed', output, usage } });
    const one = await customer();
    const tools = [{ type: 'web_search' }, { type: 'file_search' }];
    const capture = await captured(one, { model: 'carded', input: 'Hi', tools, max_tool_calls: 3 }, responsesPath);
    assert.deepEqual(shortOf(capture['lines']).slice(2), [
      ['tool_call file_search', 1, 0.25],
      ['tool_call web_search', 2, 1],
      ['call', 1, 0.01],
    ]);
    const { entries } = await one.settled();
    assert.deepEqual(
      shortOf(entries[0]?.['lines']).filter(([unit]) => String(unit).startsWith('tool_call')),
      [
        ['tool_call file_search', 3, 0.75],
        ['tool_call web_search', 3, 1.5],
      ].reverse(),
    );
  });

  test('with a line of caches at the price of input where its model has none for them', async () => {
    upstream.upstream.answers(answerOf(usageOf(10, 1, { prompt_tokens_details: { cached_tokens: 4 } })));
    const capture = await captured(await customer(), { ...hello, model: 'plain' });
    assert.deepEqual(shortOf(capture['lines']), [
      ['input_token', 6, 0.006],
      ['cached_input_token', 4, 0.004],
      ['output_token', 1, 0.002],
    ]);
  });
});

test('tiers and tools without a price are refused as before', async () => {
  const one = await customer();
  assertError(await one.post({ ...hello, service_tier: 'priority' }), 'invalid_parameter', 'service_tier');
  const tools = [{ type: 'code_interpreter', container: { type: 'auto' } }];
  assertError(
    await one.post({ model: 'carded', input: 'Hi', tools }, {}, responsesPath),
    'invalid_parameter',
    'tools[0].type',
  );
  assertError(await one.post({ ...hello, model: 'plain', service_tier: 'flex' }), 'invalid_parameter', 'service_tier');
});

describe('odd usage', () => {
  for (const [reason, usage, charged] of [
    ['caches_above_prompt', usageOf(10, 1, { prompt_tokens_details: { cached_tokens: 11 } }), 0.012],
    ['bad_count', usageOf(10, 1, { prompt_tokens_details: { cached_tokens: -4 } }), 0.012],
    ['parts_differ', usageOf(10, 1, { prompt_tokens_details: { text_tokens: 3, audio_tokens: 4 } }), 0.012],
    ['unknown_field', usageOf(10, 1, { citation_tokens: 7 }), 0.012],
    ['unpriced_tier', usageOf(10, 1), 0.012],
  ] as const) {
    test(`that is ${reason} is charged as plain tokens and counted`, async () => {
      const before = await oddCount(reason);
      upstream.upstream.answers(answerOf(usage, reason === 'unpriced_tier' ? { service_tier: 'gold' } : {}));
      const capture = await captured(await customer(), { ...hello, model: 'plain' });
      assert.equal(capture['charged'], charged);
      assert.equal(await oddCount(reason), before + 1);
    });
  }

  test('that is absent is counted, and the call is estimated', async () => {
    const before = await oddCount('absent');
    upstream.upstream.answers(chatAnswer('Hi', null));
    const capture = await captured(await customer(), hello);
    assert.equal(capture['usage_source'], 'estimated');
    assert.equal(capture['usage'], undefined);
    assert.equal(await oddCount('absent'), before + 1);
  });
});

test('an entry keeps who served it and what was said of it', async () => {
  const { database } = gateway.core;
  const usage = usageOf(100, 10, { prompt_tokens_details: { cached_tokens: 20 } });
  upstream.upstream.answers(answerOf(usage, { id: 'chatcmpl-9', service_tier: 'default' }));
  const one = await customer();
  await captured(one, hello);
  const { rows } = await database.pool.query(
    `select provider, cost, vendor from entries where account_id = $1 and type = 'capture'`,
    [one.account],
  );
  const text = `{"id":"chatcmpl-9","model":"up-stream","tier":"default","form":"chat","usage":${JSON.stringify(usage)}}`;
  assert.deepEqual(rows, [{ provider: 'vendor', cost: null, vendor: text }]);
});
