/** OpenAI's own SDK reads translated streams: its accumulated response is the translation of the whole answer. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import OpenAI from 'openai';
import type { JsonObject } from '../../../src/domain/json/json-object.ts';
import { responsesAnswerOfChat } from '../../../src/domain/translate/responses-answer.ts';
import { ResponsesStream } from '../../../src/domain/translate/responses-stream.ts';
import { chatCases, chunk } from './chat-answers.ts';
import { bytesOf, eventsOf, translate } from './streamed.ts';

const request = { instructions: 'Be brief.', tools: [], metadata: { a: 'b' }, reasoning: { effort: 'low' } };
const terms = () => ({ id: 'ID', model: 'asked-model', createdAt: 1_790_000_000, request });

const clientOf = (bytes: Buffer): OpenAI =>
  new OpenAI({
    apiKey: 'none',
    maxRetries: 0,
    fetch: () =>
      Promise.resolve(
        new Response(new Uint8Array(bytes), { status: 200, headers: { 'content-type': 'text/event-stream' } }),
      ),
  });

for (const { name, chunks, whole, response } of chatCases) {
  test(`Responses: ${name}`, async () => {
    const bytes = translate(new ResponsesStream(terms()), [bytesOf(chunks)]);
    const answer = responsesAnswerOfChat(whole, terms());
    const status = response.status ?? 'completed';
    assert.equal(answer['status'], status);
    assert.deepEqual(answer['incomplete_details'], response.reason === undefined ? null : { reason: response.reason });
    assert.deepEqual((answer['output'] as readonly JsonObject[]).map(shortened), response.output);
    assert.equal(answer['model'], 'upstream-model');
    assert.deepEqual(answer['usage'], {
      input_tokens: 2600,
      input_tokens_details: { cached_tokens: 2000, cache_write_tokens: 400 },
      output_tokens: 50,
      output_tokens_details: { reasoning_tokens: 20 },
      total_tokens: 2650,
    });

    const { output_text: outputText, ...streamed } = JSON.parse(
      JSON.stringify(await clientOf(bytes).responses.stream({ model: 'm', input: 'Hi' }).finalResponse()),
      // What the SDK reads of them besides.
      (key, value: unknown) =>
        key === 'parsed' || key === 'parsed_arguments' || key === 'output_parsed' ? undefined : value,
    ) as JsonObject;
    assert.deepEqual(streamed, answer);
    assert.equal(typeof outputText, 'string');
    refuseDisorder(bytes, answer, status);
  });
}

/** The order of events in OpenAI's documentation, and that the events of an item say what the item does. */
function refuseDisorder(bytes: Buffer, answer: JsonObject, status: string): void {
  const events = eventsOf(bytes);
  assert.deepEqual(
    events.map((event) => event['sequence_number']),
    events.map((_, index) => index),
  );
  const types = events.map(({ type }) => String(type));
  assert.deepEqual(types.slice(0, 2), ['response.created', 'response.in_progress']);
  assert.equal(types.at(-1), `response.${status}`);
  assert.deepEqual((events.at(-1)?.['response'] as JsonObject)['output'], answer['output']);
  let index = -1;
  let text = '';
  for (const event of events.slice(2, -1)) {
    const type = String(event['type']);
    if (type === 'response.output_item.added') {
      text = '';
      index++;
    }
    assert.equal(event['output_index'], index);
    if (type.endsWith('.delta')) text += String(event['delta']);
    if (type.endsWith('.done')) {
      const said = event['text'] ?? event['refusal'] ?? event['arguments'];
      if (said !== undefined) assert.equal(said, text);
    }
    if (type === 'response.output_item.done') {
      assert.deepEqual(event['item'], (answer['output'] as readonly JsonObject[])[index]);
    }
  }
}

/** Without ids, and what is the same in all items of a type. */
function shortened(item: JsonObject): JsonObject {
  const { type } = item;
  if (type === 'function_call') {
    return { type, call_id: item['call_id'], name: item['name'], arguments: item['arguments'] };
  }
  const parts = (type === 'reasoning' ? item['summary'] : item['content']) as readonly JsonObject[];
  assert.equal(parts.length, 1);
  const [part] = parts;
  return part?.['type'] === 'refusal' ? { type, refusal: part['refusal'] } : { type, text: part?.['text'] };
}

test('an error in mid-stream is the last event that the SDK gives', async () => {
  const stream = new ResponsesStream(terms());
  const begun = stream.push(Buffer.from(`data: ${JSON.stringify(chunk({ content: 'Hel' }))}\n\n`));
  const failed = stream.fail({ code: 'upstream_error', message: 'The provider broke off.' });
  assert.ok(begun);
  const last = eventsOf(failed)[0];
  assert.deepEqual(last, {
    type: 'error',
    sequence_number: eventsOf(begun).length,
    code: 'upstream_error',
    message: 'The provider broke off.',
    param: null,
  });
  const events = await clientOf(Buffer.concat([begun, failed])).responses.create({
    model: 'm',
    input: 'Hi',
    stream: true,
  });
  const seen: { type: string }[] = [];
  for await (const event of events) seen.push(event);
  assert.equal(seen.at(-2)?.type, 'response.output_text.delta');
  assert.deepEqual(seen.at(-1), last);
});
