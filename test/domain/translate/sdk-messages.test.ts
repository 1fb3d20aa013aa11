/** Anthropic's own SDK reads translated streams: its accumulated message is the translation of the whole answer. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import { messagesAnswerOfChat } from '../../../src/domain/translate/messages-answer.ts';
import { MessagesStream } from '../../../src/domain/translate/messages-stream.ts';
import { chatCases, chunk } from './chat-answers.ts';
import { bytesOf, eventsOf, translate } from './streamed.ts';

const terms = () => ({ id: 'ID', model: 'asked-model', request: { stop_sequences: ['END'] } });

const clientOf = (bytes: Buffer): Anthropic =>
  new Anthropic({
    apiKey: 'none',
    maxRetries: 0,
    fetch: () =>
      Promise.resolve(
        new Response(new Uint8Array(bytes), { status: 200, headers: { 'content-type': 'text/event-stream' } }),
      ),
  });
const asked = { model: 'm', max_tokens: 9, messages: [{ role: 'user' as const, content: 'Hi' }] };

for (const { name, chunks, whole, message } of chatCases) {
  test(`Messages: ${name}`, async () => {
    const bytes = translate(new MessagesStream(terms()), [bytesOf(chunks)]);
    const answer = messagesAnswerOfChat(whole, terms());
    assert.deepEqual(answer['content'], message.content);
    assert.equal(answer['stop_reason'], message.stop_reason);
    assert.equal(answer['stop_sequence'], message.stop_sequence ?? null);
    assert.equal(answer['model'], 'upstream-model');
    assert.deepEqual(answer['usage'], {
      input_tokens: 200,
      cache_creation_input_tokens: 400,
      cache_read_input_tokens: 2000,
      output_tokens: 50,
      output_tokens_details: { thinking_tokens: 20 },
      cache_creation: null,
      server_tool_use: null,
      service_tier: null,
    });

    const streamed = await clientOf(bytes).messages.stream(asked).finalMessage();
    const read: unknown = JSON.parse(
      JSON.stringify(streamed),
      // What the SDK reads of it besides.
      (key, value: unknown) => (key === 'parsed_output' ? undefined : value),
    );
    assert.deepEqual(read, answer);
    refuseDisorder(bytes);
  });
}

/** The order of events in Anthropic's documentation: blocks one after the other, each begun, appended to and ended. */
function refuseDisorder(bytes: Buffer): void {
  const events = eventsOf(bytes);
  const types = events.map(({ type }) => String(type));
  assert.equal(types[0], 'message_start');
  assert.deepEqual(types.slice(-2), ['message_delta', 'message_stop']);
  let index = -1;
  let isOpen = false;
  for (const event of events.slice(1, -2)) {
    if (event['type'] === 'content_block_start') {
      assert.equal(isOpen, false);
      isOpen = true;
      index++;
    }
    assert.equal(isOpen, true);
    assert.equal(event['index'], index);
    if (event['type'] === 'content_block_stop') isOpen = false;
  }
  assert.equal(isOpen, false);
}

test('an error in mid-stream is raised by the SDK, with its type', async () => {
  const stream = new MessagesStream(terms());
  const begun = stream.push(Buffer.from(`data: ${JSON.stringify(chunk({ content: 'Hel' }))}\n\n`));
  const failed = stream.fail({ code: 'upstream_error', message: 'The provider broke off.' }, 'req_1');
  assert.ok(begun);
  const reading = clientOf(Buffer.concat([begun, failed]))
    .messages.stream(asked)
    .finalMessage();
  await assert.rejects(reading, (error: unknown) => {
    assert.ok(error instanceof Anthropic.APIError);
    assert.deepEqual(error.error, {
      type: 'error',
      error: { type: 'api_error', message: 'The provider broke off.' },
      request_id: 'req_1',
    });
    return true;
  });
});
