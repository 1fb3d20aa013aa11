/** The Vercel AI SDK with its provider for Anthropic against both roots. */
import { createAnthropic } from '@ai-sdk/anthropic';
import { APICallError, generateText, jsonSchema, stepCountIs, streamText, tool } from 'ai';
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { TestGateway } from '../../support/gateway.ts';
import { countingFetch, type RefusedKeys, roots, startSdkGateway, weatherParameters } from './support.ts';

let gateway: TestGateway;
let refused: RefusedKeys;
before(async () => {
  ({ gateway, refused } = await startSdkGateway());
});
after(() => gateway.stop());

for (const root of roots) {
  const sdk = (apiKey = gateway.key, options: { fetch?: typeof fetch } = {}) =>
    createAnthropic({ baseURL: `${gateway.url}${root}`, apiKey, ...options });

  test(`${root}: a text and a stream say the same, with the same usage`, async () => {
    const whole = await generateText({ model: sdk()('sim-chat'), prompt: 'Hello' });
    assert.match(whole.text, /You wrote: "Hello"/);
    assert.equal(whole.finishReason, 'stop');
    const stream = streamText({ model: sdk()('sim-chat'), prompt: 'Hello' });
    assert.equal(await stream.text, whole.text);
    const countsOf = ({ inputTokens, outputTokens }: typeof whole.usage) => [inputTokens, outputTokens];
    assert.deepEqual(countsOf(await stream.usage), countsOf(whole.usage));
    assert.ok(countsOf(whole.usage).every((count) => (count ?? 0) > 0));
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

  test(`${root}: a tool is called and its result goes back, whole and streamed`, async () => {
    const { text, steps } = await generateText({ model: sdk()('sim-chat'), ...question });
    assert.equal(steps[0]?.toolCalls[0]?.toolName, 'get_weather');
    assert.match(text, /The tool answered: "sunny"/);
    assert.match(await streamText({ model: sdk()('sim-chat'), ...question }).text, /The tool answered: "sunny"/);
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
