/** LangChain over the Responses API, against both roots. */
import { HumanMessage, ToolMessage } from '@langchain/core/messages';
import { ChatOpenAI } from '@langchain/openai';
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { TestGateway } from '../../support/gateway.ts';
import {
  countingFetch,
  outputTokensOf,
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
  const model = ({ apiKey = gateway.key, fetch: ownFetch = fetch } = {}) =>
    new ChatOpenAI({
      model: 'sim-code',
      useResponsesApi: true,
      apiKey,
      configuration: { baseURL: `${gateway.url}${root}`, fetch: ownFetch },
    });

  test(`${root}: a text, with its usage`, async () => {
    const answer = await model().invoke('A function that adds');
    assert.match(answer.text, /\S/);
    assert.match(String(answer.response_metadata['id']), /^resp_/);
    assert.ok(outputTokensOf(answer) > 0);
  });

  test(`${root}: a stream is the same text in pieces, with its usage`, async () => {
    const whole = await model().invoke('A function that adds');
    let text = '';
    let [chunks, tokens] = [0, 0];
    for await (const chunk of await model().stream('A function that adds')) {
      text += chunk.text;
      tokens += outputTokensOf(chunk);
      chunks++;
    }
    assert.equal(text, whole.text);
    assert.ok(chunks > 2 && tokens > 0);
  });

  test(`${root}: a tool is called, and its result goes back`, async () => {
    const tool = { type: 'function', function: { name: 'get_weather', parameters: weatherParameters } } as const;
    const bound = model().bindTools([tool]);
    const question = new HumanMessage('Use get_weather for Paris');
    const answer = await bound.invoke([question]);
    const call = answer.tool_calls?.[0];
    assert.equal(call?.name, 'get_weather');
    const result = new ToolMessage({ content: 'sunny', tool_call_id: call.id ?? '' });
    assert.match((await bound.invoke([question, answer, result])).text, /sunny/);
  });

  test(`${root}: a conversation goes on from the response before`, async () => {
    const first = await model().invoke('A function that adds');
    const id = String(first.response_metadata['id']);
    const next = await model().invoke('And one that subtracts', { previous_response_id: id });
    assert.match(next.text, /\S/);
    await assert.rejects(model().invoke('Go on', { previous_response_id: 'resp_of_another' }), { status: 404 });
  });

  test(`${root}: a call without balance raises its status, and is sent once`, async () => {
    const { fetch, calls } = countingFetch();
    await assert.rejects(model({ apiKey: refused.poor, fetch }).invoke('Hello'), { status: 402 });
    assert.equal(calls(), 1);
  });
}
