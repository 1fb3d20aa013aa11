/** LangChain's chat model and embeddings for OpenAI against both roots. */
import { HumanMessage, ToolMessage } from '@langchain/core/messages';
import { ChatOpenAI, OpenAIEmbeddings } from '@langchain/openai';
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { TestGateway } from '../../support/gateway.ts';
import {
  countingFetch,
  outputTokensOf,
  pixel,
  type RefusedKeys,
  roots,
  startSdkGateway,
  weatherParameters,
} from './support.ts';

let gateway: TestGateway;
let refused: RefusedKeys;
before(async () => {
  ({ gateway, refused } = await startSdkGateway());
});
after(() => gateway.stop());

for (const root of roots) {
  const model = (options: { apiKey?: string; fetch?: typeof fetch; model?: string; streamUsage?: boolean } = {}) => {
    const { apiKey = gateway.key, fetch: ownFetch = fetch, ...fields } = options;
    const configuration = { baseURL: `${gateway.url}${root}`, fetch: ownFetch };
    return new ChatOpenAI({ model: 'sim-chat', apiKey, configuration, ...fields });
  };

  test(`${root}: a text, with its usage`, async () => {
    const answer = await model().invoke('Hello');
    assert.match(answer.text, /You wrote: "Hello"/);
    assert.ok(outputTokensOf(answer) > 0);
  });

  for (const streamUsage of [false, true]) {
    test(`${root}: a stream ${streamUsage ? 'with' : 'without'} usage`, async () => {
      let text = '';
      let tokens = 0;
      for await (const chunk of await model({ streamUsage }).stream('Hello')) {
        text += chunk.text;
        tokens += outputTokensOf(chunk);
      }
      assert.match(text, /You wrote: "Hello"/);
      assert.equal(tokens > 0, streamUsage);
    });
  }

  test(`${root}: an image in a message`, async () => {
    const content = [
      { type: 'text', text: 'What is this?' },
      { type: 'image_url', image_url: { url: pixel } },
    ];
    assert.match((await model().invoke([new HumanMessage({ content })])).text, /You sent one image/);
  });

  test(`${root}: a tool is called, and its result goes back`, async () => {
    const tool = { type: 'function', function: { name: 'get_weather', parameters: weatherParameters } } as const;
    const bound = model().bindTools([tool]);
    const question = new HumanMessage('Use get_weather for Paris');
    const answer = await bound.invoke([question]);
    const call = answer.tool_calls?.[0];
    assert.equal(call?.name, 'get_weather');
    const result = new ToolMessage({ content: 'sunny', tool_call_id: call.id ?? '' });
    assert.match((await bound.invoke([question, answer, result])).text, /The tool answered: "sunny"/);
  });

  for (const method of ['jsonMode', 'jsonSchema', 'functionCalling'] as const) {
    test(`${root}: structured output by ${method}`, async () => {
      const structured = model().withStructuredOutput<Record<string, unknown>>(weatherParameters, {
        method,
        name: 'place',
      });
      const answer = await structured.invoke('Hello');
      assert.ok(method === 'jsonMode' ? Object.keys(answer).length > 0 : typeof answer['city'] === 'string');
    });
  }

  test(`${root}: texts become vectors, those of a document and of a query alike`, async () => {
    const embeddings = new OpenAIEmbeddings({
      model: 'sim-embedding',
      dimensions: 64,
      apiKey: gateway.key,
      configuration: { baseURL: `${gateway.url}${root}` },
    });
    const [gate, bridge, ...others] = await embeddings.embedDocuments(['A toll gate', 'A bridge']);
    assert.deepEqual([gate?.length, bridge?.length, others.length], [64, 64, 0]);
    assert.notDeepEqual(gate, bridge);
    assert.deepEqual(await embeddings.embedQuery('A toll gate'), gate);
  });

  for (const [name, status, keyOf, id] of [
    ['a wrong key', 401, () => 'sk-tg-wrong', 'sim-chat'],
    ['no balance', 402, () => refused.poor, 'sim-chat'],
    ['an unknown model', 404, () => gateway.key, 'nothing'],
  ] as const) {
    test(`${root}: ${name} raises its status, and is sent once`, async () => {
      const { fetch, calls } = countingFetch();
      await assert.rejects(model({ apiKey: keyOf(), fetch, model: id }).invoke('Hello'), { status });
      assert.equal(calls(), 1);
    });
  }
}
