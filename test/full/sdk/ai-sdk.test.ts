/** The Vercel AI SDK with its OpenAI-compatible provider against both roots. */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { APICallError, generateImage, generateText, jsonSchema, Output, stepCountIs, streamText, tool } from 'ai';
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { TestGateway } from '../../support/gateway.ts';
import { countingFetch, pixel, type RefusedKeys, roots, startSdkGateway, weatherParameters } from './support.ts';

let gateway: TestGateway;
let refused: RefusedKeys;
before(async () => {
  ({ gateway, refused } = await startSdkGateway());
});
after(() => gateway.stop());

for (const root of roots) {
  const sdk = (apiKey = gateway.key, options: { fetch?: typeof fetch; includeUsage?: boolean } = {}) =>
    createOpenAICompatible({
      name: 'tollgate',
      baseURL: `${gateway.url}${root}`,
      apiKey,
      supportsStructuredOutputs: true,
      ...options,
    });

  test(`${root}: a text, with its usage`, async () => {
    const { text, usage, finishReason } = await generateText({ model: sdk()('sim-chat'), prompt: 'Hello' });
    assert.match(text, /You wrote: "Hello"/);
    assert.equal(finishReason, 'stop');
    assert.ok((usage.inputTokens ?? 0) > 0 && (usage.outputTokens ?? 0) > 0);
  });

  for (const includeUsage of [false, true]) {
    test(`${root}: a stream ${includeUsage ? 'with' : 'without'} usage`, async () => {
      const result = streamText({ model: sdk(gateway.key, { includeUsage })('sim-chat'), prompt: 'Hello' });
      let text = '';
      for await (const part of result.textStream) text += part;
      assert.match(text, /You wrote: "Hello"/);
      assert.equal(((await result.usage).outputTokens ?? 0) > 0, includeUsage);
    });
  }

  test(`${root}: an image in a message`, async () => {
    const { text } = await generateText({
      model: sdk()('sim-chat'),
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is this?' },
            { type: 'image', image: pixel },
          ],
        },
      ],
    });
    assert.match(text, /You sent one image/);
  });

  const getWeather = tool({
    description: 'The weather',
    inputSchema: jsonSchema<{ city: string }>(weatherParameters),
    execute: () => 'sunny',
  });
  const question = {
    prompt: 'Use get_weather for Paris',
    tools: { get_weather: getWeather },
    stopWhen: stepCountIs(2),
  };

  test(`${root}: a tool is called, and its result goes back`, async () => {
    const { text, steps } = await generateText({ model: sdk()('sim-chat'), ...question });
    assert.equal(steps[0]?.toolCalls[0]?.toolName, 'get_weather');
    assert.match(text, /The tool answered: "sunny"/);
  });

  test(`${root}: the same, streamed`, async () => {
    assert.match(await streamText({ model: sdk()('sim-chat'), ...question }).text, /The tool answered: "sunny"/);
  });

  test(`${root}: JSON by a schema`, async () => {
    const schema = jsonSchema<{ city: string }>(weatherParameters);
    const { output } = await generateText({
      model: sdk()('sim-chat'),
      prompt: 'Hello',
      output: Output.object({ schema }),
    });
    assert.equal(typeof output.city, 'string');
  });

  for (const [name, status, keyOf, model] of [
    ['a wrong key', 401, () => 'sk-tg-wrong', 'sim-chat'],
    ['no balance', 402, () => refused.poor, 'sim-chat'],
    ['an unknown model', 404, () => gateway.key, 'nothing'],
  ] as const) {
    test(`${root}: ${name} is the SDK's own error, and is sent once`, async () => {
      const counting = countingFetch();
      await assert.rejects(generateText({ model: sdk(keyOf(), counting)(model), prompt: 'Hello' }), (error) => {
        assert.ok(APICallError.isInstance(error));
        assert.deepEqual([error.statusCode, error.isRetryable], [status, false]);
        return true;
      });
      assert.equal(counting.calls(), 1);
    });
  }
}

test('/v1: images, which this SDK asks for as base64', async () => {
  const { key } = await gateway.newKey({ balance: '1' });
  const provider = createOpenAICompatible({ name: 'tollgate', baseURL: `${gateway.url}/v1`, apiKey: key });
  const model = provider.imageModel('sim-image');
  const { images } = await generateImage({ model, prompt: 'A toll gate', size: '1024x1024', n: 2 });
  assert.deepEqual(
    images.map(({ mediaType, uint8Array }) => [mediaType, Buffer.from(uint8Array.subarray(1, 4)).toString()]),
    [
      ['image/png', 'PNG'],
      ['image/png', 'PNG'],
    ],
  );
  assert.deepEqual(await gateway.money(key), { balance: 0.6, held: 0 });
});
