/** The `openai` package of npm against both roots, as its users write it. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import OpenAI, {
  APIError,
  AuthenticationError,
  BadRequestError,
  ConflictError,
  NotFoundError,
  RateLimitError,
  toFile,
} from 'openai';
import type { TestGateway } from '../../support/gateway.ts';
import { countingFetch, hello, pixel, type RefusedKeys, roots, startSdkGateway, weatherParameters } from './support.ts';

let gateway: TestGateway;
let refused: RefusedKeys;
before(async () => {
  ({ gateway, refused } = await startSdkGateway());
});
after(() => gateway.stop());

const tool = {
  type: 'function',
  function: { name: 'get_weather', description: 'The weather', parameters: weatherParameters },
} as const;

for (const root of roots) {
  const client = (apiKey = gateway.key, options: { fetch?: typeof fetch } = {}) =>
    new OpenAI({ baseURL: `${gateway.url}${root}`, apiKey, ...options });

  test(`${root}: a text, with its usage`, async () => {
    const { choices, usage, object } = await client().chat.completions.create(hello);
    assert.match(choices[0]?.message.content ?? '', /simulator/);
    assert.equal(choices[0]?.finish_reason, 'stop');
    assert.equal(object, 'chat.completion');
    assert.ok(usage && usage.prompt_tokens > 0 && usage.completion_tokens > 0);
  });

  for (const includeUsage of [false, true]) {
    test(`${root}: a stream ${includeUsage ? 'with' : 'without'} usage`, async () => {
      const stream = await client().chat.completions.create({
        ...hello,
        stream: true,
        ...(includeUsage && { stream_options: { include_usage: true } }),
      });
      let text = '';
      let usages = 0;
      let finish: string | null | undefined;
      for await (const { choices, usage } of stream) {
        text += choices[0]?.delta.content ?? '';
        finish = choices[0]?.finish_reason ?? finish;
        if (usage) usages++;
      }
      assert.match(text, /You wrote: "Hello"/);
      assert.equal(finish, 'stop');
      assert.equal(usages, includeUsage ? 1 : 0);
    });
  }

  test(`${root}: an image in a message`, async () => {
    const { choices } = await client().chat.completions.create({
      model: 'sim-chat',
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is this?' },
            { type: 'image_url', image_url: { url: pixel, detail: 'low' } },
          ],
        },
      ],
    });
    assert.match(choices[0]?.message.content ?? '', /You sent one image/);
  });

  test(`${root}: a tool is called, and its result goes back`, async () => {
    const question = { role: 'user', content: 'Use get_weather for Paris' } as const;
    const first = await client().chat.completions.create({ model: 'sim-chat', messages: [question], tools: [tool] });
    const message = first.choices[0]?.message;
    const call = message?.tool_calls?.[0];
    assert.equal(first.choices[0]?.finish_reason, 'tool_calls');
    assert.ok(message && call?.type === 'function');
    assert.equal(call.function.name, 'get_weather');
    assert.deepEqual(Object.keys(JSON.parse(call.function.arguments) as object), ['city']);
    const second = await client().chat.completions.create({
      model: 'sim-chat',
      messages: [question, message, { role: 'tool', tool_call_id: call.id, content: 'sunny' }],
      tools: [tool],
    });
    assert.match(second.choices[0]?.message.content ?? '', /The tool answered: "sunny"/);
  });

  test(`${root}: the SDK's own loop runs a tool, streamed`, async () => {
    let city: unknown;
    const runner = client().chat.completions.runTools({
      model: 'sim-chat',
      stream: true,
      messages: [{ role: 'user', content: 'Use get_weather for Paris' }],
      tools: [
        {
          type: 'function',
          function: {
            name: 'get_weather',
            description: 'The weather',
            parameters: weatherParameters,
            parse: (input: string) => JSON.parse(input) as { city: string },
            function: (input: { city: string }) => {
              city = input.city;
              return 'sunny';
            },
          },
        },
      ],
    });
    assert.match((await runner.finalContent()) ?? '', /The tool answered: "sunny"/);
    assert.equal(typeof city, 'string');
  });

  test(`${root}: JSON mode, and a schema`, async () => {
    const object = await client().chat.completions.create({ ...hello, response_format: { type: 'json_object' } });
    assert.equal(typeof JSON.parse(object.choices[0]?.message.content ?? ''), 'object');
    const { choices } = await client().chat.completions.parse({
      ...hello,
      response_format: { type: 'json_schema', json_schema: { name: 'place', strict: true, schema: weatherParameters } },
    });
    assert.match(JSON.stringify(choices[0]?.message.parsed), /^\{"city":"/);
  });

  test(`${root}: models are listed, and one is asked for`, async () => {
    const ids: string[] = [];
    for await (const { id } of client().models.list()) ids.push(id);
    assert.ok(ids.includes('sim-chat') && ids.includes('sim-image'));
    assert.equal((await client().models.retrieve('sim-code')).id, 'sim-code');
    await assert.rejects(client().models.retrieve('nothing'), NotFoundError);
  });

  test(`${root}: a response, and one that goes on from it`, async () => {
    const first = await client().responses.create({ model: 'sim-code', input: 'A function that adds' });
    assert.equal(first.status, 'completed');
    assert.match(first.output_text, /\S/);
    assert.ok(first.usage && first.usage.total_tokens > 0);
    const next = { model: 'sim-code', input: 'Go on', previous_response_id: first.id };
    assert.equal((await client().responses.create(next)).status, 'completed');
    await assert.rejects(
      client().responses.create({ ...next, previous_response_id: 'resp_of_another' }),
      NotFoundError,
    );
  });

  test(`${root}: embeddings, which the SDK decodes from base64`, async () => {
    const input = ['The red toll gate', 'the red gate', 'A blue boat sails'];
    const { data, usage } = await client().embeddings.create({ model: 'sim-embedding', input, dimensions: 64 });
    const [gate = [], near = [], far = []] = data.map(({ embedding }) => embedding);
    const cosine = (one: number[], other: number[]) =>
      one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
    assert.deepEqual([gate.length, usage.total_tokens], [64, 11]);
    assert.ok(cosine(gate, near) > cosine(gate, far));
    const plain = await client().embeddings.create({
      model: 'sim-embedding',
      input,
      dimensions: 64,
      encoding_format: 'float',
    });
    assert.deepEqual(plain.data[0]?.embedding, gate);
  });

  test(`${root}: speech, whole, streamed and as events`, async () => {
    const ask = { model: 'sim-speech', voice: 'alloy', input: 'Good morning' } as const;
    const whole = Buffer.from(
      await (await client().audio.speech.create({ ...ask, response_format: 'wav' })).arrayBuffer(),
    );
    assert.equal(whole.subarray(0, 4).toString('latin1'), 'RIFF');
    const pieces: Buffer[] = [];
    for await (const piece of (await client().audio.speech.create(ask)).body ?? [])
      pieces.push(Buffer.from(piece as Uint8Array));
    const mp3 = Buffer.concat(pieces);
    assert.ok(mp3.length > 1_000);
    const events = await client().audio.speech.create({ ...ask, stream_format: 'sse' });
    assert.match(await events.text(), /"type":"speech\.audio\.done"/);
  });

  test(`${root}: transcriptions of what was spoken, in their formats and as a stream, and a translation`, async () => {
    const spoken = await client().audio.speech.create({
      ...{ model: 'sim-speech', voice: 'alloy', input: 'Good morning' },
      response_format: 'wav',
    });
    const wav = Buffer.from(await spoken.arrayBuffer());
    const ask = async () => ({ model: 'sim-transcription', file: await toFile(wav, 'morning.wav') });
    const { text } = await client().audio.transcriptions.create(await ask());
    assert.ok(text.length > 0);
    const verbose = await client().audio.transcriptions.create({ ...(await ask()), response_format: 'verbose_json' });
    assert.equal(verbose.text, text);
    assert.match(
      await client().audio.transcriptions.create({ ...(await ask()), response_format: 'srt' }),
      /^1\n00:00:00,000 --> /,
    );
    let streamed = '';
    for await (const event of await client().audio.transcriptions.create({ ...(await ask()), stream: true }))
      if (event.type === 'transcript.text.done') streamed = event.text;
    assert.equal(streamed, text);
    assert.ok((await client().audio.translations.create(await ask())).text.length > 0);
  });

  test(`${root}: a legacy completion, whole and streamed`, async () => {
    const ask = { model: 'sim-chat', prompt: 'Once upon a time' } as const;
    const { choices } = await client().completions.create(ask);
    let streamed = '';
    for await (const chunk of await client().completions.create({ ...ask, stream: true }))
      streamed += chunk.choices[0]?.text ?? '';
    assert.match(streamed, /Once upon a time/);
    assert.equal(choices[0]?.text, streamed);
  });

  test(`${root}: moderations, of the gateway's own choice of model, too`, async () => {
    const { results } = await client().moderations.create({ input: ['A toll gate', 'I will murder you'] });
    assert.deepEqual(
      results.map(({ flagged }) => flagged),
      [false, true],
    );
  });

  test(`${root}: what belongs to a response`, async () => {
    const { id, usage } = await client().responses.create({ model: 'sim-code', input: 'A function that adds' });
    const items = await client().responses.inputItems.list(id);
    assert.equal(items.data.length, 1);
    const counted = await client().responses.inputTokens.count({ model: 'sim-code', input: 'A function that adds' });
    assert.equal(counted.input_tokens, usage?.input_tokens);
  });

  test(`${root}: a response, streamed`, async () => {
    const stream = client().responses.stream({ model: 'sim-code', input: 'A function that adds' });
    let text = '';
    const types: string[] = [];
    for await (const event of stream) {
      types.push(event.type);
      if (event.type === 'response.output_text.delta') text += event.delta;
    }
    assert.equal(types[0], 'response.created');
    assert.equal(types.at(-1), 'response.completed');
    const final = await stream.finalResponse();
    assert.equal(final.output_text, text);
    assert.ok(final.usage && final.usage.output_tokens > 0);
  });

  test(`${root}: a stored response is read and deleted`, async () => {
    const { id, output_text } = await client().responses.create({ model: 'sim-code', input: 'A function that adds' });
    const read = await client().responses.retrieve(id, { include: ['message.output_text.logprobs'] });
    assert.deepEqual([read.id, read.output_text], [id, output_text]);
    await client().responses.delete(id);
    await assert.rejects(client().responses.retrieve(id), NotFoundError);
  });

  test(`${root}: a tool is called in a response`, async () => {
    const { output } = await client().responses.create({
      model: 'sim-code',
      input: 'Use get_weather',
      tools: [{ type: 'function', name: 'get_weather', parameters: weatherParameters, strict: true }],
    });
    const call = output.find((item) => item.type === 'function_call');
    assert.equal(call?.name, 'get_weather');
  });

  test(`${root}: refusals are the SDK's own errors`, async () => {
    await assert.rejects(client('sk-tg-wrong').chat.completions.create(hello), (error) => {
      assert.ok(error instanceof AuthenticationError);
      assert.equal(error.code, 'invalid_api_key');
      return true;
    });
    await assert.rejects(client().chat.completions.create({ ...hello, model: 'nothing' }), (error) => {
      assert.ok(error instanceof NotFoundError);
      assert.equal(error.code, 'model_not_found');
      return true;
    });
    await assert.rejects(client().chat.completions.create({ ...hello, temperature: 9 }), (error) => {
      assert.ok(error instanceof BadRequestError);
      assert.deepEqual([error.param, error.code], ['temperature', 'invalid_parameter']);
      return true;
    });
    await assert.rejects(client(refused.limited).chat.completions.create(hello, { maxRetries: 0 }), (error) => {
      assert.ok(error instanceof RateLimitError);
      assert.equal(error.code, 'call_limit_exceeded');
      return true;
    });
  });

  test(`${root}: what no second try helps is sent once`, async () => {
    const poor = countingFetch();
    await assert.rejects(client(refused.poor, poor).chat.completions.create(hello), (error) => {
      assert.ok(error instanceof APIError);
      assert.deepEqual([error.status, error.code, error.type], [402, 'insufficient_balance', 'billing_error']);
      return true;
    });
    assert.equal(poor.calls(), 1);
    const spent = countingFetch();
    await assert.rejects(client(refused.spent, spent).chat.completions.create(hello), RateLimitError);
    assert.equal(spent.calls(), 1);
    const options = { headers: { 'Idempotency-Key': `sdk-${root}` } };
    await client().chat.completions.create(hello, options);
    const reused = countingFetch();
    await assert.rejects(
      client(gateway.key, reused).chat.completions.create({ ...hello, top_p: 0.5 }, options),
      ConflictError,
    );
    assert.equal(reused.calls(), 1);
  });
}

test('/v1: an image', async () => {
  const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key });
  const { data, created } = await client.images.generate({ model: 'sim-image', prompt: 'A toll', size: '1024x1024' });
  assert.ok(created > 0);
  const image = await gateway.fetch(data?.[0]?.url ?? '', { key: null });
  assert.equal(image.headers.get('content-type'), 'image/png');
});

test('/v1: an image as base64, and a stream that is refused before it costs', async () => {
  const { key } = await gateway.newKey({ balance: '1' });
  const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: key });
  const image = { model: 'sim-image', prompt: 'A toll', size: '1024x1024', quality: 'auto' } as const;
  await assert.rejects(client.images.generate({ ...image, stream: true, partial_images: 1 }), BadRequestError);
  await assert.rejects(client.images.generate({ ...image, output_format: 'webp' }), BadRequestError);
  assert.deepEqual(await gateway.money(key), { balance: 1, held: 0 });
  const { data } = await client.images.generate({ ...image, response_format: 'b64_json', output_format: 'png' });
  assert.equal(
    Buffer.from(data?.[0]?.b64_json ?? '', 'base64')
      .subarray(1, 4)
      .toString(),
    'PNG',
  );
});
