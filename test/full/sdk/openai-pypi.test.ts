/** The `openai` package of PyPI against both roots: a Python script tries it, and prints the results. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import * as z from 'zod';
import { type ChatGateway, startChatGateway } from '../../support/chat-gateway.ts';
import type { TestGateway } from '../../support/gateway.ts';
import { pythonWith } from '../../support/python.ts';
import { chatAnswer, chatStream, errorAnswer } from '../../support/upstream.ts';
import { pixel, type RefusedKeys, roots, startSdkGateway } from './support.ts';

const run = promisify(execFile);
const script = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const line = z.looseObject({ name: z.string() });

let gateway: TestGateway;
let refused: RefusedKeys;
let python: string;
let chat: ChatGateway;
before(async () => {
  python = join(await pythonWith('openai==3.54.0'), 'python');
  ({ gateway, refused } = await startSdkGateway());
  chat = await startChatGateway();
});
after(async () => {
  await gateway.stop();
  await chat.stop();
});

for (const root of roots) {
  test(`${root}: the Python SDK works unchanged, with its own typed errors`, async () => {
    const { stdout } = await run(python, [script('openai_client.py')], {
      timeout: 60_000,
      env: {
        ...process.env,
        SDK_BASE_URL: `${gateway.url}${root}`,
        SDK_KEY: gateway.key,
        SDK_PIXEL: pixel,
        SDK_POOR_KEY: refused.poor,
        SDK_LIMITED_KEY: refused.limited,
        SDK_SPENT_KEY: refused.spent,
      },
    });
    const lines = stdout.trim().split('\n');
    const reported = new Map(
      lines.map((text) => line.parse(JSON.parse(text))).map(({ name, ...facts }) => [name, facts]),
    );
    const content = (name: string) => String(reported.get(name)?.['content']);

    assert.match(content('text'), /You wrote: "Hello"/);
    assert.deepEqual(reported.get('stream'), { content: content('text'), usages: 0 });
    assert.deepEqual(reported.get('stream with usage'), { content: content('text'), usages: 1 });
    assert.match(content('vision'), /You sent one image/);
    assert.match(content('tools'), /The tool answered: "sunny"/);
    assert.deepEqual([reported.get('tools')?.['called'], reported.get('tools')?.['names']], ['get_weather', ['city']]);
    assert.deepEqual(reported.get('json'), { is_object: true });
    assert.ok(z.array(z.string()).parse(reported.get('models')?.['ids']).includes('sim-chat'));
    assert.equal(reported.get('response')?.['status'], 'completed');
    assert.deepEqual(reported.get('response stream'), {
      first: 'response.created',
      last: 'response.completed',
      content: content('response'),
    });
    assert.deepEqual(reported.get('embeddings'), { lengths: [8, 8], tokens: 5 });
    assert.deepEqual(reported.get('audio'), { begins: 'RIFF', said: true, translated: true });
    assert.deepEqual(reported.get('completion'), { finish: 'length', tokens: 3 });
    assert.deepEqual(reported.get('moderations'), { flagged: [false, true] });
    assert.deepEqual(reported.get('image'), { begins: 'PNG', url: null });
    for (const [name, error, status, code, param] of [
      ['wrong key', 'AuthenticationError', 401, 'invalid_api_key', null],
      ['unknown model', 'NotFoundError', 404, 'model_not_found', 'model'],
      ['bad value', 'BadRequestError', 400, 'invalid_parameter', 'temperature'],
      ['no balance', 'APIStatusError', 402, 'insufficient_balance', null],
      ['spent', 'RateLimitError', 429, 'spend_limit_exceeded', null],
      ['key reused', 'ConflictError', 409, 'idempotency_key_reused', null],
    ] as const) {
      assert.deepEqual(reported.get(name), { error, sent: 1, status, code, param }, name);
    }
    const { error, code } = reported.get('over the limit') ?? {};
    assert.deepEqual([error, code], ['RateLimitError', 'call_limit_exceeded']);
  });
}

test('the Python SDK waits out limits by itself, and a call sent again under an Idempotency-Key is made once', async () => {
  const { key, settled } = await chat.customer();
  const before = chat.first.requests.length;
  const limited = { ...errorAnswer(429, 'Slow down'), headers: { 'retry-after': '1' } };
  const answers = [chatAnswer('Hello again'), chatStream(['Hello', ' streamed']), chatAnswer('Once')];
  chat.first.answers(...answers.slice(0, 2).flatMap((answer) => [limited, answer]), ...answers.slice(2));
  const env = { ...process.env, SDK_BASE_URL: `${chat.gateway.url}/v1`, SDK_KEY: key };
  const { stdout } = await run(python, [script('openai_retries.py')], { timeout: 60_000, env });
  const reported = stdout
    .trim()
    .split('\n')
    .map((text) => line.parse(JSON.parse(text)));
  assert.deepEqual(reported, [
    { name: 'limited', content: 'Hello again' },
    { name: 'limited stream', content: 'Hello streamed' },
    { name: 'keyed', content: 'Once' },
    { name: 'keyed', content: 'Once' },
  ]);
  assert.equal(chat.first.requests.length, before + 5);
  assert.equal((await settled()).balance, 99.965);
});
