/** The public suite's part about calls: chat and responses, whole and streamed, once under a key, and audio; charged to the micro-unit. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { answerOf } from '../gateway.ts';
import { admin, itemsOf, newCaller, type Site } from './site.ts';

const chats = '/v1/chat/completions';
const responses = '/v1/responses';
const ask = { model: 'sim-chat', messages: [{ role: 'user', content: 'Who goes there?' }] };

export function testCalls(site: () => Site): void {
  test('a chat is answered whole, and charged what its usage says', async () => {
    const caller = await newCaller(site());
    const { status, body, headers } = await caller.post(chats, ask);
    assert.equal(status, 200, JSON.stringify(body));
    assert.match(String(body['choices'][0].message.content), /simulator/);
    const { prompt_tokens: input, completion_tokens: output } = body['usage'] as Record<string, number>;
    assert.ok(input !== undefined && output !== undefined);
    const requestId = headers.get('x-request-id') ?? assert.fail('no request id');
    const entry = await captureOf(site(), requestId);
    assert.equal(Math.round(Number(entry['charged']) * 1e6), input * 2 + output * 8);
    assert.equal(entry['usage_source'], 'upstream');
  });

  test('a chat is streamed, an event at a time, to its [DONE]', async () => {
    const caller = await newCaller(site());
    const answer = await caller.fetch(chats, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ ...ask, stream: true, stream_options: { include_usage: true } }),
    });
    assert.equal(answer.status, 200);
    assert.match(answer.headers.get('content-type') ?? '', /^text\/event-stream/);
    const text = await answer.text();
    assert.ok(text.endsWith('data: [DONE]\n\n'), text.slice(-300));
    assert.ok(text.split('\n\n').length > 5);
    assert.match(text, /"usage":\{"prompt_tokens":/);
    await captureOf(site(), answer.headers.get('x-request-id') ?? '');
  });

  for (const stream of [false, true]) {
    test(`a response is ${stream ? 'streamed' : 'answered whole'} and charged`, async () => {
      const caller = await newCaller(site());
      const answer = await caller.fetch(responses, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ model: 'sim-code', input: 'Write a gate', stream }),
      });
      const text = await answer.text();
      assert.equal(answer.status, 200, text);
      if (stream) assert.match(text, /event: response\.completed\ndata: /);
      else assert.equal((JSON.parse(text) as { status: string }).status, 'completed');
      await captureOf(site(), answer.headers.get('x-request-id') ?? '');
    });
  }

  test('a chat under an Idempotency-Key is asked and charged once, whichever API gets it', async () => {
    const caller = await newCaller(site());
    const header = { 'Idempotency-Key': randomUUID() };
    const answers = await Promise.all(site().apis.map((url) => caller.at(url).post(chats, ask, header)));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200],
    );
    assert.equal(answers[0]?.body['id'], answers[1]?.body['id']);
    const other = await caller.post(chats, { ...ask, model: 'sim-code' }, header);
    assert.equal(other.status, 409);
    const usage = await admin(site()).get('/v1/account/usage?group_by=key');
    const keys = await admin(site()).get('/v1/account/keys?limit=100');
    const own = itemsOf(keys).find(({ last4 }) => caller.key.endsWith(String(last4)));
    assert.equal(itemsOf(usage).find(({ key_id: id }) => id === own?.['id'])?.['calls'], 1);
  });

  test('a text is spoken, and what was spoken transcribed and translated, charged by characters and seconds', async () => {
    const caller = await newCaller(site());
    const body = { model: 'sim-speech', voice: 'alloy', input: 'The gate is open', response_format: 'wav' };
    const spoken = await caller.fetch('/v1/audio/speech', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    assert.equal(spoken.status, 200);
    const audio = await spoken.blob();
    const speech = await captureOf(site(), spoken.headers.get('x-request-id') ?? '');
    assert.deepEqual([speech['charged'], speech['unit'], speech['units']], [0.0016, 'character', 16]);
    for (const path of ['/v1/audio/transcriptions', '/v1/audio/translations']) {
      const form = new FormData();
      form.set('model', 'sim-transcription');
      form.set('file', audio, 'speech.wav');
      const { status, body: heard, headers } = await answerOf(await caller.fetch(path, { method: 'POST', body: form }));
      assert.equal(status, 200, JSON.stringify(heard));
      assert.equal(String(heard['text']).split(' ').length, 4);
      // 1.152 s, of which a begun second counts.
      const entry = await captureOf(site(), headers.get('x-request-id') ?? '');
      assert.deepEqual([entry['charged'], entry['unit'], entry['units']], [0.002, 'second', 2]);
    }
  });

  test('errors have the form of the OpenAI API', async () => {
    const caller = await newCaller(site(), { level: 'read' });
    for (const [answer, status, code] of [
      [await caller.at(site().url).post(chats, ask), 403, 'permission_denied'],
      [await admin(site()).post(chats, { ...ask, model: 'no-such-model' }), 404, 'model_not_found'],
      [await admin(site()).post(chats, { model: 'sim-chat' }), 400, 'missing_parameter'],
      [await caller.get('/v1/nowhere'), 404, 'route_not_found'],
      [await caller.get('/v1/models', { Authorization: 'Bearer sk-tg-wrong' }), 401, 'invalid_api_key'],
    ] as const) {
      assert.equal(answer.status, status, JSON.stringify(answer.body));
      assert.deepEqual(Object.keys(answer.body['error']), ['message', 'type', 'param', 'code']);
      assert.equal(answer.body['error'].code, code);
    }
  });
}

/** The capture of a call. A settlement may come a moment after the last byte. */
async function captureOf(site: Site, requestId: string): Promise<Record<string, unknown>> {
  for (let tries = 0; tries < 200; tries++) {
    const [entry, ...more] = itemsOf(await admin(site).get(`/v1/account/ledger?type=capture&request_id=${requestId}`));
    assert.deepEqual(more, []);
    if (entry !== undefined) return entry;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return assert.fail(`${requestId} was never charged`);
}
