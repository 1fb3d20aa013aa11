/** Calls that only read, from body to ledger: what passes, what it costs, and how it fails. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { audit } from '../../src/audit/audit.ts';
import { chargesCheck } from '../../src/audit/checks/charge-sums.ts';
import { type Customer, customerOf, typesOf } from '../support/chat-gateway.ts';
import { assertError } from '../support/errors.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { assertLedgerAddsUp } from '../support/money.ts';
import { openUpstream, type Upstream } from '../support/upstream.ts';

let upstreams: Awaited<ReturnType<typeof openUpstream>>[];
let first: Upstream;
let second: Upstream;
let gateway: TestGateway;
before(async () => {
  upstreams = [await openUpstream(), await openUpstream()];
  [first, second] = upstreams.map(({ upstream }) => upstream) as [Upstream, Upstream];
  gateway = await startTestGateway({ configuration: configurationFor(first.url, second.url), worker: false });
});
after(async () => {
  const { database, secrets } = gateway.core;
  await assertLedgerAddsUp(database, secrets.first.ledger);
  assert.deepEqual((await audit({ database, ledgerKeys: [secrets.first.ledger] }, [chargesCheck])).findings, []);
  await gateway.stop();
  for (const { close } of upstreams) await close();
});

const configurationFor = (one: string, other: string) => `
providers:
  first: { kind: openai, base_url: '${one}' }
  second: { kind: openai, base_url: '${other}' }
  talker: { kind: openai, base_url: '${one}', endpoints: [chat] }
  writer: { kind: openai, base_url: '${one}', endpoints: [chat, completions] }
  sim: { kind: simulator }
models:
  - id: embed
    kind: embedding
    routes: [{ provider: first, model: up-embed }]
    price: { input_per_million: 1000 }
  - id: embed-two
    kind: embedding
    routes: [{ provider: first, model: up-embed }, { provider: second, model: up-embed-2 }]
    price: { input_per_million: 1000 }
  - id: embed-nowhere
    kind: embedding
    routes: [{ provider: talker, model: up-embed }]
    price: { input_per_million: 1000 }
  - id: sim-embed
    kind: embedding
    routes: [{ provider: sim, model: sim-embedding }]
    price: { input_per_million: 1000 }
  - id: talk
    kind: chat
    translate: true
    routes: [{ provider: first, model: up-chat }]
    price: { input_per_million: 1000, output_per_million: 1000 }
  - id: write
    kind: chat
    routes: [{ provider: writer, model: up-write }]
    price: { input_per_million: 1000, output_per_million: 2000 }
    limits: { max_output_tokens: 100 }
  - id: judge
    kind: moderation
    routes: [{ provider: first, model: up-judge }]
    price: { per_call: 0.005 }
  - id: free-judge
    kind: moderation
    routes: [{ provider: first, model: up-judge }]
    price: { per_call: 0 }
  - id: rank-search
    kind: rerank
    routes: [{ provider: first, model: up-rank }]
    price: { per_search: 0.5 }
  - id: rank-token
    kind: rerank
    routes: [{ provider: first, model: up-rank }]
    price: { input_per_million: 1000 }
  - id: sim-write
    kind: chat
    routes: [{ provider: sim, model: sim-chat }]
    price: { input_per_million: 1000, output_per_million: 2000 }
  - id: sim-judge
    kind: moderation
    routes: [{ provider: sim, model: sim-moderation }]
    price: { per_call: 0.005 }
  - id: sim-rank
    kind: rerank
    routes: [{ provider: sim, model: sim-rerank }]
    price: { per_search: 0.5 }
`;

const customer = async (balance = '100') => customerOf(gateway, await gateway.newKey({ balance, level: 'chat' }));
const embeddingsPath = '/v1/embeddings';
const embeddingsOf = (usage: unknown, embedding: unknown = [0.5, -0.25]) => ({
  object: 'list',
  data: [{ object: 'embedding', index: 0, embedding }],
  model: 'up',
  usage,
});
const usageOf = (tokens: number) => ({ prompt_tokens: tokens, total_tokens: tokens });

/** The capture of a customer's only call. */
async function captureOf(one: Customer) {
  const { entries } = await one.settled();
  const captures = entries.filter(({ type }) => type === 'capture');
  assert.equal(captures.length, 1, JSON.stringify(typesOf(entries)));
  return captures[0] ?? assert.fail();
}

describe('embeddings', () => {
  test('pass byte for byte both ways, but for the model, and are charged what their usage says', async () => {
    for (const root of ['/v1', '/ai/v1']) {
      const one = await customer();
      const answer =
        '{ "object":"list","data":[{"object":"embedding","index":0,"embedding":"AAAAPwAAgL4="}],"usage":{"prompt_tokens":7,"total_tokens":7}, "x":1.50 }';
      first.answers({ headers: { 'content-type': 'application/json' }, pieces: [answer] });
      const body =
        '{ "input":["Hello","ü"], "encoding_format":"base64","dimensions": 2, "model" : "embed", "made_up": 1.0 }';
      const response = await gateway.fetch(`${root}/embeddings`, {
        method: 'POST',
        headers: { ...one.headers, 'Content-Type': 'application/json' },
        body,
      });
      assert.deepEqual([response.status, await response.text()], [200, answer]);
      const seen = first.requests.at(-1);
      assert.deepEqual([seen?.path, seen?.body.toString()], ['/v1/embeddings', body.replace('"embed"', '"up-embed"')]);
      const { charged, lines, unit, units, usage, usage_source: source, model } = await captureOf(one);
      assert.deepEqual(
        { charged, unit, units, usage, source, model },
        { charged: 0.007, unit: 'token', units: 7, usage: usageOf(7), source: 'upstream', model: 'embed' },
      );
      assert.deepEqual(lines, [{ unit: 'input_token', units: 7, unit_price: 0.001, amount: 0.007 }]);
    }
  });

  test('without a usage are counted: text by its vocabulary, tokens one by one', async () => {
    first.answers({ json: embeddingsOf(undefined) });
    for (const [input, tokens] of [
      [['Hello world', 'Hello'], 4],
      [[1, 2, 3], 3],
      [
        [
          [1, 2],
          [3, 4, 5],
        ],
        5,
      ],
    ] as const) {
      const one = await customer();
      const { status, body } = await one.post({ model: 'embed', input }, {}, embeddingsPath);
      assert.equal(status, 200, JSON.stringify(body));
      const { units, usage_source: source } = await captureOf(one);
      assert.deepEqual([units, source], [tokens, 'estimated']);
    }
  });

  test('hold what they can cost, as a quote says: of tokens just that', async () => {
    const one = await customer();
    first.answers({ json: embeddingsOf(usageOf(3)) });
    const body = { model: 'embed', input: [1, 2, 3] };
    const quote = await one.post({ path: '/embeddings', body }, {}, '/v1/quotes');
    const { hold, unit, units, lines } = quote.body;
    assert.deepEqual({ hold, unit, units }, { hold: 0.003, unit: 'token', units: 3 });
    assert.deepEqual(lines, [{ unit: 'input_token', units: 3, unit_price: 0.001, amount: 0.003 }]);
    await one.post(body, {}, embeddingsPath);
    const { entries } = await one.settled();
    assert.deepEqual([entries[0]?.['type'], entries[0]?.['amount']], ['hold', -0.003]);
  });

  test('whose answer is lost are asked for again at the same route, and charged once', async () => {
    const one = await customer();
    const before = first.requests.length;
    first.answers({ ending: 'break-before' }, { json: embeddingsOf(usageOf(2)) });
    assert.equal((await one.post({ model: 'embed', input: 'Hi' }, {}, embeddingsPath)).status, 200);
    assert.equal(first.requests.length, before + 2);
    assert.equal((await captureOf(one))['charged'], 0.002);
  });

  test('whose answer is lost twice go to the next route', async () => {
    const one = await customer();
    const before = first.requests.length;
    first.answers({ ending: 'break-before' });
    second.answers({ json: embeddingsOf(usageOf(2)) });
    assert.equal((await one.post({ model: 'embed-two', input: 'Hi' }, {}, embeddingsPath)).status, 200);
    assert.equal(first.requests.length, before + 2);
    assert.equal((second.requests.at(-1)?.json() as { model: string }).model, 'up-embed-2');
    await captureOf(one);
  });

  test('that an upstream refuses are not sent again there, and cost nothing', async () => {
    for (const [status, code] of [
      [500, 'upstream_error'],
      [400, null],
    ] as const) {
      const one = await customer();
      const before = first.requests.length;
      first.answers({ status, json: { error: { message: 'No.', code: null } } });
      const { status: answered, body } = await one.post({ model: 'embed', input: 'Hi' }, {}, embeddingsPath);
      assert.deepEqual([answered, body['error'].code], [status === 500 ? 502 : 400, code]);
      assert.equal(first.requests.length, before + 1);
      assert.deepEqual(typesOf((await one.settled()).entries), ['hold', 'release']);
    }
  });

  test('under an Idempotency-Key are asked for once', async () => {
    const one = await customer();
    first.answers({ json: embeddingsOf(usageOf(2)) });
    const before = first.requests.length;
    const key = { 'Idempotency-Key': 'once' };
    const [again, other] = [
      { model: 'embed', input: 'Hi' },
      { model: 'embed', input: 'Ho' },
    ];
    const answers = [await one.post(again, key, embeddingsPath), await one.post(again, key, embeddingsPath)];
    assert.deepEqual(answers[0]?.body, answers[1]?.body);
    assert.equal(answers[1]?.headers.get('idempotency-replayed'), 'true');
    assertError(await one.post(other, key, embeddingsPath), 'idempotency_key_reused');
    assert.equal(first.requests.length, before + 1);
  });

  test('are refused with what is wrong, and nothing is held', async () => {
    const one = await customer();
    const long = 'word '.repeat(310_000);
    for (const [body, code, param] of [
      [{ model: 'embed' }, 'missing_parameter', 'input'],
      [{ model: 'embed', input: ['a', ''] }, 'invalid_parameter', 'input[1]'],
      [{ model: 'embed', input: long }, 'invalid_parameter', 'input'],
      [{ model: 'talk', input: 'a' }, 'invalid_parameter', 'model'],
      [{ model: 'embed-nowhere', input: 'a' }, 'invalid_parameter', 'model'],
    ] as const) {
      const answer = await one.post(body, {}, embeddingsPath);
      assertError(answer, code, param);
    }
    const chat = { model: 'embed', messages: [{ role: 'user', content: 'a' }] };
    assert.match((await one.post(chat)).body['error'].message, /kind 'embedding'/);
    const poor = await customer('0.000001');
    assertError(await poor.post({ model: 'embed', input: 'a' }, {}, embeddingsPath), 'insufficient_balance');
  });

  test('of a caller that leaves cost what was counted of its input', async () => {
    const one = await customer();
    const seen = first.requests.length;
    first.answers({ ending: 'stall-before' });
    const leaving = new AbortController();
    const call = one
      .open({ model: 'embed', input: [1, 2, 3, 4] }, leaving.signal, embeddingsPath)
      .catch(() => undefined);
    await first.received(seen + 1);
    leaving.abort();
    await call;
    const { units, usage_source: source } = await captureOf(one);
    assert.deepEqual([units, source], [4, 'estimated']);
  });
});

describe('completions', () => {
  const path = '/v1/completions';
  const textOf = (text: string, finish: string | null = null) =>
    `data: ${JSON.stringify({ id: 'cmpl-1', object: 'text_completion', choices: [{ index: 0, text, finish_reason: finish }] })}\n\n`;

  test('pass whole, and are charged for what was read and written', async () => {
    const one = await customer();
    const usage = { prompt_tokens: 4, completion_tokens: 6, total_tokens: 10 };
    const json = {
      id: 'cmpl-1',
      object: 'text_completion',
      choices: [{ index: 0, text: 'x', finish_reason: 'stop' }],
      usage,
    };
    first.answers({ json });
    const { status, body } = await one.post({ model: 'write', prompt: 'Once', max_tokens: 7, n: 2 }, {}, path);
    assert.deepEqual([status, body], [200, json]);
    assert.deepEqual(first.requests.at(-1)?.json(), { model: 'up-write', prompt: 'Once', max_tokens: 7, n: 2 });
    const { entries } = await one.settled();
    assert.deepEqual(entries[0]?.['lines'][1].units, 14);
    assert.equal(entries[1]?.['charged'], 0.016);
  });

  test('are streamed, with a wish for the usage that the caller does not see', async () => {
    const one = await customer();
    const usage = { prompt_tokens: 4, completion_tokens: 2, total_tokens: 6 };
    const chunks = [textOf('Hel'), textOf('lo', 'stop')];
    first.answers({ pieces: [...chunks, `data: ${JSON.stringify({ choices: [], usage })}\n\n`, 'data: [DONE]\n\n'] });
    const { text, isWhole } = await one.raw({ model: 'write', prompt: ['Once'], stream: true }, path);
    assert.deepEqual([text, isWhole], [`${chunks.join('')}data: [DONE]\n\n`, true]);
    assert.deepEqual((first.requests.at(-1)?.json() as Record<string, unknown>)['stream_options'], {
      include_usage: true,
    });
    assert.equal((await captureOf(one))['charged'], 0.008);
  });

  test('without a usage are counted by their text', async () => {
    const one = await customer();
    first.answers({ pieces: [textOf('Hello world', 'stop'), 'data: [DONE]\n\n'] });
    await one.raw({ model: 'write', prompt: [1, 2, 3], stream: true }, path);
    const { lines, usage_source: source } = await captureOf(one);
    const counts = (lines as { units: number }[]).map(({ units }) => units);
    assert.deepEqual([counts, source], [[3, 2], 'estimated']);
  });

  test('are refused by models whose provider has none, translated or not', async () => {
    const one = await customer();
    assertError(await one.post({ model: 'talk', prompt: 'Once' }, {}, path), 'invalid_parameter', 'model');
    assertError(await one.post({ model: 'write' }, {}, path), 'missing_parameter', 'prompt');
    assertError(await one.post({ model: 'write', prompt: 'a', best_of: 3 }, {}, path), 'invalid_parameter', 'best_of');
    assertError(await one.post({ model: 'write', prompt: ['a', 1] }, {}, path), 'invalid_parameter', 'prompt[1]');
  });

  test('are simulated, a prompt and a choice at a time', async () => {
    const one = await customer();
    const ask = { model: 'sim-write', prompt: ['First things', 'Second things'], n: 2, echo: true };
    const { body } = await one.post(ask, {}, path);
    const texts = (body['choices'] as { text: string; index: number }[]).map(
      ({ text, index }) => [index, text] as const,
    );
    assert.deepEqual(
      texts.map(([index, text]) => [index, text.slice(0, 12)]),
      [
        [0, 'First things'],
        [1, 'First things'],
        [2, 'Second thing'],
        [3, 'Second thing'],
      ],
    );
    assert.match(texts[2]?.[1] ?? '', /You wrote: "Second things"/);
    const { text } = await one.raw({ model: 'sim-write', prompt: 'First things', stream: true }, path);
    assert.ok(text.endsWith('data: [DONE]\n\n') && text.includes('"object":"text_completion"'), text.slice(-200));
  });
});

describe('moderations', () => {
  const path = '/v1/moderations';
  const answer = { id: 'modr-1', model: 'up', results: [{ flagged: false, categories: {}, category_scores: {} }] };

  test('are charged by the call, whatever they read', async () => {
    for (const [model, charged] of [
      ['judge', 0.005],
      ['free-judge', 0],
    ] as const) {
      const one = await customer();
      first.answers({ json: answer });
      const { status, body } = await one.post({ model, input: ['a', 'b'] }, {}, path);
      assert.deepEqual([status, body], [200, answer]);
      const capture = await captureOf(one);
      const { unit, units, lines, usage_source: source } = capture;
      assert.deepEqual(
        { charged: capture['charged'], unit, units, lines, source },
        {
          charged,
          unit: 'call',
          units: 1,
          lines: [{ unit: 'call', units: 1, unit_price: charged, amount: charged }],
          source: 'measured',
        },
      );
    }
  });

  test('may leave the model out, and take images by their addresses', async () => {
    const one = await customer();
    first.answers({ json: answer });
    assert.equal((await one.post({ input: 'a' }, {}, path)).status, 200);
    assert.deepEqual(first.requests.at(-1)?.json(), { model: 'up-judge', input: 'a' });
    const image = (url: string) => ({ model: 'judge', input: [{ type: 'image_url', image_url: { url } }] });
    assertError(
      await one.post(image('ftp://example.com/x.png'), {}, path),
      'invalid_parameter',
      'input[0].image_url.url',
    );
    assertError(await one.post({ model: 'judge', input: [] }, {}, path), 'invalid_parameter', 'input');
    assertError(await one.post({ model: 'embed', input: 'a' }, {}, path), 'invalid_parameter', 'model');
  });

  test('are simulated by a list of words', async () => {
    const one = await customer();
    const { body } = await one.post(
      { model: 'sim-judge', input: ['A toll gate', 'I will murder the skill', '我想自杀'] },
      {},
      path,
    );
    const results = body['results'] as { flagged: boolean; categories: Record<string, boolean> }[];
    assert.deepEqual(
      results.map(({ flagged }) => flagged),
      [false, true, true],
    );
    assert.deepEqual([results[1]?.categories['violence'], results[2]?.categories['self-harm']], [true, true]);
  });
});

describe('rankings', () => {
  const path = '/v1/rerank';
  const ask = (model: string, documents: readonly unknown[] = ['one', 'two words']) => ({
    model,
    query: 'one',
    documents,
  });
  const results = [{ index: 0, relevance_score: 0.9 }];

  for (const [what, model, answer, sold, source] of [
    [
      "a search at Cohere's count",
      'rank-search',
      { meta: { billed_units: { search_units: 1 } } },
      ['search', 1, 0.5],
      'upstream',
    ],
    ['a search by its documents', 'rank-search', {}, ['search', 1, 0.5], 'measured'],
    ["a search beside Jina's tokens", 'rank-search', { usage: { total_tokens: 9 } }, ['search', 1, 0.5], 'upstream'],
    ["tokens at Jina's count", 'rank-token', { usage: { total_tokens: 9 } }, ['token', 9, 0.009], 'upstream'],
    [
      'tokens beside searches',
      'rank-token',
      { meta: { billed_units: { search_units: 1 } } },
      ['token', 6, 0.006],
      'estimated',
    ],
  ] as const) {
    test(`are charged ${what}`, async () => {
      const one = await customer();
      first.answers({ json: { results, ...answer } });
      assert.equal((await one.post(ask(model), {}, path)).status, 200);
      const { unit, units, charged, usage_source: by } = await captureOf(one);
      assert.deepEqual([[unit, units, charged], by], [sold, source]);
    });
  }

  test('hold a search for each hundred documents, long ones counted as several', async () => {
    const one = await customer();
    const held = async (documents: readonly unknown[]) =>
      (await one.post({ path: '/rerank', body: ask('rank-search', documents) }, {}, '/v1/quotes')).body;
    const { hold, unit, units } = await held(Array.from({ length: 101 }, () => 'short'));
    assert.deepEqual({ hold, unit, units }, { hold: 1, unit: 'search', units: 2 });
    assert.equal((await held(Array.from({ length: 60 }, () => 'x'.repeat(1500))))['units'], 2);
  });

  test('are refused with what is wrong', async () => {
    const one = await customer();
    assertError(await one.post(ask('rank-search', []), {}, path), 'invalid_parameter', 'documents');
    assertError(await one.post(ask('rank-search', ['a', 1]), {}, path), 'invalid_parameter', 'documents[1]');
    assertError(await one.post({ ...ask('rank-search'), query: '' }, {}, path), 'invalid_parameter', 'query');
    assertError(await one.post({ ...ask('rank-search'), top_n: 0 }, {}, path), 'invalid_parameter', 'top_n');
  });

  test('are simulated by the words that documents share with the query', async () => {
    const one = await customer();
    const documents = ['A blue boat', { text: 'The toll gate' }, 'toll'];
    const asked = { model: 'sim-rank', query: 'toll gate', documents, top_n: 2, return_documents: true };
    const { body } = await one.post(asked, {}, path);
    const found = body['results'] as { index: number; document: { text: string } }[];
    assert.deepEqual(
      found.map(({ index, document }) => [index, document.text]),
      [
        [1, 'The toll gate'],
        [2, 'toll'],
      ],
    );
    assert.equal((await captureOf(one))['charged'], 0.5);
  });
});

describe('what belongs to responses', () => {
  const path = '/v1/responses';
  const usage = { input_tokens: 5, output_tokens: 2, total_tokens: 7 };
  const response = (id: string) => ({
    json: { id, object: 'response', status: 'completed', model: 'up', output: [], usage },
  });
  const missing = { status: 404, json: { error: { message: 'Not found.' } } };

  test('its input items are listed where it was made, and only for its account', async () => {
    const [one, other] = [await customer(), await customer()];
    first.answers(response('resp_items'));
    assert.equal((await one.post({ model: 'talk', input: 'Hi' }, {}, path)).status, 200);
    const items = { object: 'list', data: [{ id: 'msg_1', type: 'message' }], has_more: false };
    first.answers({ json: items });
    const listed = await gateway.get(`${path}/resp_items/input_items?limit=2`, one.headers);
    assert.deepEqual([listed.status, listed.body], [200, items]);
    assert.equal(first.requests.at(-1)?.path, '/v1/responses/resp_items/input_items?limit=2');
    assertError(await gateway.get(`${path}/resp_items/input_items`, other.headers), 'response_not_found');
    first.answers(missing, response('resp_items'));
    assertError(await gateway.get(`${path}/resp_items/input_items`, one.headers), 'route_not_found');
    first.answers(missing);
    assertError(await gateway.get(`${path}/resp_items/input_items`, one.headers), 'response_not_found');
  });

  test('its input is counted at no cost, where a provider does', async () => {
    const one = await customer();
    first.answers({ json: { object: 'response.input_tokens', input_tokens: 11 } });
    const counted = await one.post({ model: 'talk', input: 'Hi' }, {}, `${path}/input_tokens`);
    assert.deepEqual([counted.status, counted.body], [200, { object: 'response.input_tokens', input_tokens: 11 }]);
    assert.deepEqual(first.requests.at(-1)?.json(), { model: 'up-chat', input: 'Hi' });
    first.answers(missing);
    assertError(await one.post({ model: 'talk', input: 'Hi' }, {}, `${path}/input_tokens`), 'route_not_found');
    assertError(await one.post({ model: 'talk' }, {}, `${path}/input_tokens`), 'missing_parameter', 'input');
    assert.deepEqual((await one.settled()).entries, []);
  });

  test('its conversation is compacted and charged, where a provider does', async () => {
    const one = await customer();
    const json = {
      id: 'resp_c',
      object: 'response.compaction',
      output: [{ type: 'compaction', encrypted_content: 'x' }],
      usage,
    };
    first.answers({ json });
    const compacted = await one.post({ model: 'talk', input: 'Hi' }, {}, `${path}/compact`);
    assert.deepEqual([compacted.status, compacted.body], [200, json]);
    assert.equal(first.requests.at(-1)?.path, '/v1/responses/compact');
    assert.equal((await captureOf(one))['charged'], 0.007);
    const another = await customer();
    first.answers(missing);
    assertError(await another.post({ model: 'talk', input: 'Hi' }, {}, `${path}/compact`), 'route_not_found');
    assert.deepEqual(typesOf((await another.settled()).entries), ['hold', 'release']);
  });

  test('the simulator has all three', async () => {
    const one = await customer();
    const { body } = await one.post({ model: 'sim-write', input: 'Hello' }, {}, path);
    const items = await gateway.get(`${path}/${String(body['id'])}/input_items`, one.headers);
    assert.equal(items.body['data'][0].content[0].text, 'Hello');
    const counted = await one.post({ model: 'sim-write', input: 'Hello' }, {}, `${path}/input_tokens`);
    assert.equal(counted.body['input_tokens'], body['usage'].input_tokens);
    const compacted = await one.post({ model: 'sim-write', input: 'Hello' }, {}, `${path}/compact`);
    const output = compacted.body['output'] as { type: string }[];
    assert.deepEqual([compacted.status, output.at(-1)?.type], [200, 'compaction']);
  });
});

describe('the simulator', () => {
  const embed = async (one: Customer, input: unknown, more = {}) => {
    const { status, body } = await one.post({ model: 'sim-embed', input, ...more }, {}, embeddingsPath);
    assert.equal(status, 200, JSON.stringify(body));
    return (body['data'] as { embedding: unknown }[]).map(({ embedding }) => embedding);
  };
  const cosine = (a: readonly number[], b: readonly number[]) =>
    a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);

  test('gives unit vectors of texts, whose cosines grow with the words that texts share', async () => {
    const one = await customer();
    const texts = ['The red toll gate', 'the red gate', 'A blue boat sails'];
    const [gate, near, far] = (await embed(one, texts)) as [number[], number[], number[]];
    assert.ok(Math.abs(cosine(gate, gate) - 1) < 1e-5);
    assert.ok(cosine(gate, near) > 0.7 && cosine(gate, far) < 0.3, `${cosine(gate, near)}, ${cosine(gate, far)}`);
    assert.deepEqual(await embed(one, texts[0]), [gate]);
  });

  test('writes them as base64 and as long as asked for', async () => {
    const one = await customer();
    const [written] = await embed(one, 'Hello', { encoding_format: 'base64', dimensions: 8 });
    const [numbers] = await embed(one, 'Hello', { dimensions: 8 });
    const bytes = Buffer.from(String(written), 'base64');
    assert.deepEqual(
      Array.from({ length: 8 }, (_, at) => bytes.readFloatLE(at * 4)),
      numbers,
    );
    const { status, body } = await one.post({ model: 'sim-embed', input: 'a', dimensions: 5000 }, {}, embeddingsPath);
    assert.deepEqual([status, body['error'].param], [400, 'dimensions']);
  });
});
