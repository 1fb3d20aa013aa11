/** SDKs that try again by themselves: after the wait that a limit names, and with an Idempotency-Key without a second charge. */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { ChatOpenAI } from '@langchain/openai';
import { generateText } from 'ai';
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import OpenAI, { APIConnectionError } from 'openai';
import { type ChatGateway, type Customer, startChatGateway } from '../../support/chat-gateway.ts';
import { chatAnswer, chatStream, errorAnswer } from '../../support/upstream.ts';
import { countingFetch, roots } from './support.ts';

let chat: ChatGateway;
before(async () => {
  chat = await startChatGateway();
});
after(() => chat.stop());

const hello = { model: 'chat-one', messages: [{ role: 'user' as const, content: 'Hello' }] };
const limited = { ...errorAnswer(429, 'Slow down'), headers: { 'retry-after': '1' } };

for (const root of roots) {
  const baseURL = () => `${chat.gateway.url}${root}`;
  const openai = ({ key }: Customer, options: { fetch?: typeof fetch; maxRetries?: number } = {}) =>
    new OpenAI({ baseURL: baseURL(), apiKey: key, ...options });
  const retrying: [what: string, ask: (customer: Customer, counting: { fetch: typeof fetch }) => Promise<string>][] = [
    [
      'the OpenAI SDK',
      async (customer, counting) => {
        const { choices } = await openai(customer, counting).chat.completions.create(hello);
        return choices[0]?.message.content ?? '';
      },
    ],
    [
      'the Vercel AI SDK',
      async ({ key }, counting) => {
        const sdk = createOpenAICompatible({ name: 'tollgate', baseURL: baseURL(), apiKey: key, ...counting });
        return (await generateText({ model: sdk('chat-one'), prompt: 'Hello' })).text;
      },
    ],
    [
      'LangChain',
      async ({ key }, counting) => {
        const configuration = { baseURL: baseURL(), fetch: counting.fetch };
        return (await new ChatOpenAI({ model: 'chat-one', apiKey: key, configuration }).invoke('Hello')).text;
      },
    ],
  ];
  for (const [what, ask] of retrying) {
    test(`${root}: ${what} waits out a limit by itself and gets its answer, charged once`, async () => {
      const customer = await chat.customer();
      const before = chat.first.requests.length;
      chat.first.answers(limited, chatAnswer('Hello again'));
      const counting = countingFetch();
      assert.equal(await ask(customer, counting), 'Hello again');
      assert.deepEqual([counting.calls(), chat.first.requests.length - before], [2, 2]);
      assert.equal((await customer.settled()).balance, 99.988);
    });
  }

  test(`${root}: a stream that meets a limit before it begins is asked for again by the OpenAI SDK`, async () => {
    const customer = await chat.customer();
    chat.first.answers(limited, chatStream(['Hello', ' again']));
    let text = '';
    for await (const { choices } of await openai(customer).chat.completions.create({ ...hello, stream: true }))
      text += choices[0]?.delta.content ?? '';
    assert.equal(text, 'Hello again');
  });

  test(`${root}: under an Idempotency-Key an answer that was lost is not made again`, async () => {
    const customer = await chat.customer();
    const before = chat.first.requests.length;
    chat.first.answers(chatAnswer('Once'), chatAnswer('Twice'));
    let isLost = true;
    const losing: typeof fetch = async (input, init) => {
      const answer = await fetch(input, init);
      if (!isLost) return answer;
      isLost = false;
      await answer.body?.cancel();
      throw new TypeError('fetch failed');
    };
    const options = { headers: { 'Idempotency-Key': 'lost' } };
    await assert.rejects(
      openai(customer, { fetch: losing, maxRetries: 0 }).chat.completions.create(hello, options),
      APIConnectionError,
    );
    isLost = true;
    const { choices } = await openai(customer, { fetch: losing }).chat.completions.create(hello, options);
    assert.equal(choices[0]?.message.content, 'Once');
    assert.equal(chat.first.requests.length, before + 1);
    assert.equal((await customer.settled()).balance, 99.988);
  });
}
