/** The `@anthropic-ai/sdk` package of npm against both roots, as its users write it. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import Anthropic, {
  APIError,
  AuthenticationError,
  BadRequestError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
} from '@anthropic-ai/sdk';
import type { TestGateway } from '../../support/gateway.ts';
import { type RefusedKeys, startSdkGateway, weatherParameters } from './support.ts';

let gateway: TestGateway;
let refused: RefusedKeys;
before(async () => {
  ({ gateway, refused } = await startSdkGateway());
});
after(() => gateway.stop());

/** One of the SDK's classes of errors. */
type ErrorKind = abstract new (...args: never[]) => APIError;

const hello = { model: 'sim-chat', max_tokens: 100, messages: [{ role: 'user' as const, content: 'Hello' }] };
const tools = [{ name: 'get_weather', input_schema: weatherParameters }];

for (const base of ['', '/ai']) {
  const client = (apiKey = gateway.key) => new Anthropic({ baseURL: `${gateway.url}${base}`, apiKey, authToken: null });
  const where = `${base}/v1`;

  test(`${where}: a message, with its usage and the id of its request`, async () => {
    const { data, response, request_id: requestId } = await client().messages.create(hello).withResponse();
    const [block] = data.content;
    assert.match(block?.type === 'text' ? block.text : '', /You wrote: "Hello"/);
    assert.equal(data.stop_reason, 'end_turn');
    assert.ok(data.usage.input_tokens > 0 && data.usage.output_tokens > 0);
    assert.equal(requestId, response.headers.get('x-request-id'));
  });

  test(`${where}: a stream says the same, with the same usage`, async () => {
    const whole = await client().messages.create(hello);
    const stream = client().messages.stream(hello);
    let text = '';
    stream.on('text', (piece) => (text += piece));
    const streamed = await stream.finalMessage();
    assert.deepEqual(streamed.content, whole.content);
    assert.equal(streamed.usage.output_tokens, whole.usage.output_tokens);
    assert.equal(streamed.usage.input_tokens, whole.usage.input_tokens);
    assert.match(text, /You wrote/);
  });

  test(`${where}: a tool is called, and answers`, async () => {
    const asked = { role: 'user' as const, content: 'Use get_weather for Paris' };
    const first = await client().messages.create({ ...hello, tools, messages: [asked] });
    const call = first.content.find((block) => block.type === 'tool_use');
    assert.deepEqual([first.stop_reason, call?.name], ['tool_use', 'get_weather']);
    const answered = {
      role: 'user' as const,
      content: [{ type: 'tool_result' as const, tool_use_id: call?.id ?? '', content: 'sunny' }],
    };
    const messages = [asked, { role: 'assistant' as const, content: first.content }, answered];
    const second = await client().messages.create({ ...hello, tools, messages });
    assert.match(JSON.stringify(second.content), /sunny/);
  });

  test(`${where}: a key as a token, counting, and models`, async () => {
    const bearer = new Anthropic({ baseURL: `${gateway.url}${base}`, apiKey: null, authToken: gateway.key });
    assert.ok((await bearer.messages.countTokens({ model: 'sim-chat', messages: hello.messages })).input_tokens > 0);
    const ids: string[] = [];
    for await (const { id } of client().models.list()) ids.push(id);
    assert.deepEqual(ids, ['sim-chat', 'sim-code']);
    assert.equal((await client().models.retrieve('sim-chat')).display_name, 'sim-chat');
  });

  test(`${where}: errors are the SDK's own`, async () => {
    const rejected = async (call: Promise<unknown>, kind: ErrorKind, status: number, type: string) => {
      await assert.rejects(call, (error: unknown) => {
        assert.ok(error instanceof kind, String(error));
        const { status: seen, requestID, error: body } = error;
        assert.equal(seen, status);
        assert.ok(typeof requestID === 'string' && requestID !== '');
        assert.equal((body as { error: { type: string } }).error.type, type);
        return true;
      });
    };
    const create = (key?: string, more: object = {}) => client(key).messages.create({ ...hello, ...more });
    await rejected(create('sk-tg-wrong'), AuthenticationError, 401, 'authentication_error');
    await rejected(create(refused.poor), APIError, 402, 'billing_error');
    await rejected(create(refused.limited), RateLimitError, 429, 'rate_limit_error');
    await rejected(create(refused.spent), RateLimitError, 429, 'rate_limit_error');
    await rejected(create(undefined, { model: 'none' }), NotFoundError, 404, 'not_found_error');
    await rejected(create(undefined, { max_tokens: -1 }), BadRequestError, 400, 'invalid_request_error');
    const reader = await gateway.newKey({ level: 'read' });
    await rejected(create(reader.key), PermissionDeniedError, 403, 'permission_error');
    const broken = client().messages.create({
      ...hello,
      stream: true,
      messages: [{ role: 'user', content: 'Hi [sim:break=Overloaded]' }],
    });
    await assert.rejects(async () => {
      for await (const event of await broken) assert.notEqual(event.type, 'message_stop');
    }, APIError);
  });
}
