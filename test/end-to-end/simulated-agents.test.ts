/** The simulator behind the gateway, as an agent meets it: a tool loop to its end, and calls charged by a stated usage. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import OpenAI from 'openai';
import { chatPath, customerOf, responsesPath } from '../support/chat-gateway.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { assertLedgerAddsUp } from '../support/money.ts';

const configuration = `
providers:
  simulator: { kind: simulator }
models:
  - id: agent-chat
    kind: chat
    routes: [{ provider: simulator, model: sim-chat }]
    price: { input_per_million: 1000, output_per_million: 1000, cached_input_per_million: 100 }
    allow: [service_tier]
  - id: agent-code
    kind: code
    routes: [{ provider: simulator, model: sim-code }]
    price: { input_per_million: 1000, output_per_million: 1000, cached_input_per_million: 100 }
    allow: [service_tier]
`;

let gateway: TestGateway;
before(async () => {
  gateway = await startTestGateway({ configuration, worker: false });
});
after(async () => {
  await assertLedgerAddsUp(gateway.core.database, gateway.core.secrets.first.ledger);
  await gateway.stop();
});

const customer = async () => customerOf(gateway, await gateway.newKey({ balance: '100', level: 'chat' }));

/** A file's editor, and the script that has it used. */
const script =
  'Fix the greeting. [sim:tool=read_file {"path":"hello.txt"}] [sim:then] ' +
  '[sim:tool=write_file {"path":"hello.txt","content":"Hello, world\\n"}] [sim:then] [sim:say="Fixed."]';
const parameters = { type: 'object', properties: { path: { type: 'string' }, content: { type: 'string' } } };
const names = ['read_file', 'write_file'];

function editor(files: Map<string, string>) {
  return (name: string, input: string): string => {
    const { path, content } = JSON.parse(input) as { path: string; content?: string };
    if (name === 'write_file') files.set(path, content ?? '');
    return files.get(path) ?? 'There is no such file.';
  };
}

test('an agent edits a file over streamed chat completions, and each of its calls is charged', async () => {
  const files = new Map([['hello.txt', 'Helo\n']]);
  const use = editor(files);
  const { key, settled } = await customer();
  const client = new OpenAI({ apiKey: key, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
  const run = client.chat.completions.runTools({
    ...{ model: 'agent-chat', stream: true, messages: [{ role: 'user', content: script }] },
    tools: names.map((name) => ({
      type: 'function' as const,
      function: {
        ...{ name, parameters, description: name },
        function: (input: string) => use(name, input),
      },
    })),
  });
  assert.equal(await run.finalContent(), 'Fixed.');
  assert.equal(files.get('hello.txt'), 'Hello, world\n');
  const { entries } = await settled();
  assert.equal(entries.filter((entry) => entry['usage_source'] === 'upstream').length, 3);
});

test('an agent edits a file over responses', async () => {
  const files = new Map([['hello.txt', 'Helo\n']]);
  const use = editor(files);
  const client = new OpenAI({ apiKey: (await customer()).key, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
  const input: OpenAI.Responses.ResponseInputItem[] = [{ role: 'user', content: script }];
  const tools = names.map((name) => ({ ...{ type: 'function' as const, name, parameters }, strict: false }));
  for (let turns = 0; turns < 2; turns++) {
    const response = await client.responses.stream({ model: 'agent-code', input, tools, store: false }).finalResponse();
    const calls = response.output.filter((item) => item.type === 'function_call');
    assert.equal(calls.length, 1);
    for (const { call_id, name, arguments: args } of calls) {
      input.push({ type: 'function_call', call_id, name, arguments: args });
      input.push({ type: 'function_call_output', call_id, output: use(name, args) });
    }
  }
  const last = await client.responses.create({ model: 'agent-code', input, tools, store: false });
  assert.equal(last.output_text, 'Fixed.');
  assert.equal(files.get('hello.txt'), 'Hello, world\n');
});

for (const [path, model, prompt, usage] of [
  [
    chatPath,
    'agent-chat',
    'messages',
    {
      prompt_tokens: 1000,
      prompt_tokens_details: { cached_tokens: 400, cache_write_tokens: 20 },
      completion_tokens: 50,
    },
  ],
  [
    responsesPath,
    'agent-code',
    'input',
    { input_tokens: 1000, input_tokens_details: { cached_tokens: 400 }, output_tokens: 50 },
  ],
] as const) {
  for (const stream of [false, true]) {
    test(`a usage stated by the prompt is what ${path} charges, ${stream ? 'streamed' : 'whole'}`, async () => {
      const { raw, settled } = await customer();
      // Longer than the usage, which may not be beyond what its hold was for.
      const text = `${'a word and '.repeat(400)}[sim:usage=${JSON.stringify(usage)}]`;
      const asked = prompt === 'input' ? text : [{ role: 'user', content: text }];
      const { status, text: answer } = await raw({ model, stream, [prompt]: asked, service_tier: 'flex' }, path);
      assert.equal(status, 200);
      assert.match(answer, /"service_tier":"flex"/);
      // 600 fresh, 400 cached and 50 produced tokens.
      assert.equal((await settled()).balance, 100 - 0.6 - 0.04 - 0.05);
    });
  }
}

for (const knob of ['[sim:break=too much to do]', '[sim:break]']) {
  test(`a stream that '${knob}' ends early is an error to its caller, and free`, async () => {
    const { raw, settled } = await customer();
    const body = { model: 'agent-chat', stream: true, messages: [{ role: 'user', content: `Hello ${knob}` }] };
    const { status, text } = await raw(body);
    assert.equal(status, 200);
    assert.match(text, /"content":"[^"]+"[^]*"code":"upstream_error"/);
    assert.equal((await settled()).balance, 100);
  });
}
