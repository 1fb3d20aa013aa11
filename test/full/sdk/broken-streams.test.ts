/** Streams whose upstream breaks off: every SDK raises, none takes the text so far for the answer. */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { ChatOpenAI } from '@langchain/openai';
import { streamText } from 'ai';
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import OpenAI, { APIError } from 'openai';
import * as z from 'zod';
import { type ChatGateway, type Customer, startChatGateway } from '../../support/chat-gateway.ts';
import { pythonWith } from '../../support/python.ts';
import { deltaEvent, responsesEvent } from '../../support/upstream.ts';

let chat: ChatGateway;
before(async () => {
  chat = await startChatGateway();
});
after(() => chat.stop());

const hello = { model: 'chat-one', messages: [{ role: 'user' as const, content: 'Hello' }] };
const ask = { model: 'code-one', input: 'Hello' };
const baseURL = () => `${chat.gateway.url}/v1`;
const openai = ({ key }: Customer) => new OpenAI({ baseURL: baseURL(), apiKey: key, maxRetries: 0 });

const brokenChat = { pieces: [deltaEvent('Hel')], ending: 'break' } as const;
const brokenResponse = {
  pieces: [
    responsesEvent('response.created', 0, { response: { id: 'resp_cut', status: 'in_progress' } }),
    responsesEvent('response.output_text.delta', 1, { delta: 'Hel' }),
  ],
  ending: 'break',
} as const;

test("a chat stream raises the SDK's own error of npm's openai, with what happened", async () => {
  chat.first.answers(brokenChat);
  const stream = await openai(await chat.customer()).chat.completions.create({ ...hello, stream: true });
  let text = '';
  await assert.rejects(
    async () => {
      for await (const { choices } of stream) text += choices[0]?.delta.content ?? '';
    },
    (error) => error instanceof APIError && /was interrupted/.test(error.message),
  );
  assert.equal(text, 'Hel');
});

test("a responses stream of npm's openai delivers the error and then raises", async () => {
  chat.first.answers(brokenResponse);
  const stream = await openai(await chat.customer()).responses.create({ ...ask, stream: true });
  const types: string[] = [];
  await assert.rejects(async () => {
    for await (const { type } of stream) types.push(type);
  });
  assert.deepEqual(types.slice(0, 2), ['response.created', 'response.output_text.delta']);
});

test('LangChain raises', async () => {
  chat.first.answers(brokenChat);
  const { key } = await chat.customer();
  const model = new ChatOpenAI({
    model: 'chat-one',
    apiKey: key,
    maxRetries: 0,
    configuration: { baseURL: baseURL() },
  });
  const pieces: unknown[] = [];
  await assert.rejects(async () => {
    for await (const piece of await model.stream('Hello')) pieces.push(piece);
  }, /was interrupted/);
});

test('the Vercel AI SDK delivers the error, and raises', async () => {
  chat.first.answers(brokenChat);
  const { key } = await chat.customer();
  const sdk = createOpenAICompatible({ name: 'tollgate', baseURL: baseURL(), apiKey: key });
  const errors: unknown[] = [];
  const { fullStream } = streamText({
    model: sdk('chat-one'),
    prompt: 'Hello',
    maxRetries: 0,
    onError: () => undefined,
  });
  await assert.rejects(async () => {
    for await (const part of fullStream) if (part.type === 'error') errors.push(part.error);
  });
  assert.match(JSON.stringify(errors), /was interrupted/);
});

test("PyPI's openai raises on chat and on responses", async () => {
  const python = join(await pythonWith('openai==3.54.0'), 'python');
  chat.first.answers(brokenChat, brokenResponse);
  const { stdout } = await promisify(execFile)(python, [fileURLToPath(new URL('openai_broken.py', import.meta.url))], {
    timeout: 60_000,
    env: { ...process.env, SDK_BASE_URL: baseURL(), SDK_KEY: (await chat.customer()).key },
  });
  const reported = stdout
    .trim()
    .split('\n')
    .map((text) => raised.parse(JSON.parse(text)));
  const [ofChat, ofResponses] = reported;
  assert.deepEqual([ofChat?.name, ofChat?.seen, ofChat?.kind], ['chat', 1, 'openai']);
  assert.match(ofChat?.message ?? '', /was interrupted/);
  assert.equal(ofResponses?.name, 'responses');
  assert.notEqual(ofResponses.kind, null, 'the loop does not just end');
});

const raised = z.object({ name: z.string(), seen: z.int(), kind: z.string().nullable(), message: z.string() });
