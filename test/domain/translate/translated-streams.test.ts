/** Translated streams that come in any pieces, that break, and that are not what they should be. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { countsOf } from '../../../src/domain/billing/token-counts.ts';
import fc from 'fast-check';
import type { MemoryRoom } from '../../../src/domain/chat/byte-collector.ts';
import type { JsonObject } from '../../../src/domain/json/json-object.ts';
import { GatewayError } from '../../../src/domain/errors.ts';
import { messagesAnswerOfChat } from '../../../src/domain/translate/messages-answer.ts';
import { MessagesStream } from '../../../src/domain/translate/messages-stream.ts';
import { responsesAnswerOfChat } from '../../../src/domain/translate/responses-answer.ts';
import { ResponsesStream } from '../../../src/domain/translate/responses-stream.ts';
import { call, chatCases, chunk, finish, usageChunk } from './chat-answers.ts';
import { bytesOf, cutAt, eventsOf, translate } from './streamed.ts';

const terms = { id: 'ID', model: 'asked-model', createdAt: 1_790_000_000, request: {} };
const forms = {
  messages: (room?: MemoryRoom) => new MessagesStream(terms, room),
  responses: (room?: MemoryRoom) => new ResponsesStream(terms, room),
};
const caseOf = (name: string) => {
  const found = chatCases.find((each) => each.name === name);
  assert.ok(found, name);
  return found;
};
const varied = ['a text', 'thoughts as reasoning, then a tool call', 'parallel tool calls, interleaved'].flatMap(
  (name) => caseOf(name).chunks.filter((each) => each !== usageChunk && !isFinish(each)),
);
const long = bytesOf([...varied.slice(0, 6), finish('stop'), usageChunk]);

function isFinish({ choices }: { choices?: unknown }): boolean {
  return JSON.stringify(choices).includes('"finish_reason":"');
}

for (const [form, open] of Object.entries(forms)) {
  describe(`a stream translated to ${form}`, () => {
    const whole = translate(open(), [long]).toString();

    test('is the same wherever it is cut in two, and byte by byte', () => {
      for (let at = 0; at <= long.length; at++) {
        assert.equal(translate(open(), cutAt(long, [at])).toString(), whole, `cut at ${at}`);
      }
      assert.equal(
        translate(
          open(),
          [...long].map((byte) => Buffer.of(byte)),
        ).toString(),
        whole,
      );
    });

    test('is the same in any pieces, whatever the answer', () => {
      const cases = chatCases.map(({ chunks }) => bytesOf(chunks));
      const property = fc.property(
        fc.constantFrom(...cases),
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 40 }),
        (bytes, shares) => {
          const reads = cutAt(
            bytes,
            shares.map((share) => Math.floor(share * bytes.length)),
          );
          assert.equal(translate(open(), reads).toString(), translate(open(), [bytes]).toString());
        },
      );
      fc.assert(property, { numRuns: 300 });
    });

    test('is the same at the cuts that hurt: in names, escapes, characters, line ends and between events', () => {
      const text = long.toString('latin1');
      const hurting = [
        ...[
          'data: ',
          'data:',
          '{"id"',
          '"choices"',
          '"delta"',
          '"content"',
          '\\"',
          '\\n',
          '\xf0\x9f',
          '\n\n',
          '[DONE]',
        ],
        ...['"tool_calls"', '"arguments"', '"finish_reason"', '"usage"', '"prompt_tokens"', '"reasoning"', '}]}'],
      ].flatMap((mark) => {
        const at = text.indexOf(mark);
        return at === -1 ? [] : [at, at + 1, at + mark.length - 1, at + mark.length];
      });
      assert.ok(new Set(hurting).size >= 25, `${new Set(hurting).size} places`);
      for (const at of hurting) assert.equal(translate(open(), cutAt(long, [at])).toString(), whole, `cut at ${at}`);
      assert.equal(translate(open(), cutAt(long, hurting)).toString(), whole);
    });

    test('loses nothing of comments, names and other line ends around the events', () => {
      const odd = `: hello\r\n\r\n${long.toString().replaceAll('\n', '\r\n').replaceAll('data:', 'id: 1\r\nevent: x\r\ndata:')}`;
      assert.equal(translate(open(), [Buffer.from(odd)]).toString(), whole);
    });

    test('ends in good order without a usage, with what was counted where it was', () => {
      const bytes = bytesOf([chunk({ content: 'Hi' }), finish('stop')]);
      const usageOf = (sent: Buffer) => {
        const event = eventsOf(sent).findLast(({ usage, response }) => usage ?? response) ?? {};
        return (event['usage'] ?? (event['response'] as JsonObject)['usage']) as JsonObject | null;
      };
      const counted = usageOf(translate(open(), [bytes], countsOf({ fresh: 7, output: 2 })));
      assert.deepEqual([counted?.['input_tokens'], counted?.['output_tokens']], [7, 2]);
      assert.equal(usageOf(translate(open(), [bytes]))?.['output_tokens'] ?? 0, 0);
    });

    test('is an empty answer when nothing came but the end', () => {
      const events = eventsOf(translate(open(), [Buffer.from('data: [DONE]\n\n')]));
      assert.equal(events.length, 3);
    });

    test('passes the first call on while the second waits, and texts at once', () => {
      const stream = open();
      const sent = (delta: JsonObject) => eventsOf(stream.push(bytesOfOne(chunk(delta))) ?? Buffer.alloc(0)).length;
      assert.ok(sent({ content: 'a' }) > 1);
      assert.equal(sent({ content: 'b' }), 1);
      assert.ok(sent(call(0, 'call_a', 'weather', '{"city":')) >= 2);
      assert.equal(sent(call(1, 'call_b', 'weather', '{}')), 0);
      assert.ok(sent(call(0, undefined, undefined, '"Rome"}')) >= 3);
    });

    test('keeps what waits within the room that it is given, and ends where there is no more', () => {
      let held = 0;
      const room: MemoryRoom = {
        take: (bytes) => held + bytes <= 1000 && ((held += bytes), true),
        give: (bytes) => (held -= bytes),
      };
      const stream = open(room);
      stream.push(bytesOfOne(chunk(call(0, 'call_a', 'weather', '{"city":'))));
      stream.push(bytesOfOne(chunk(call(1, 'call_b', 'weather', '"'.padEnd(400)))));
      assert.ok(held >= 800, `${held} bytes`);
      assert.throws(() => stream.push(bytesOfOne(chunk(call(1, undefined, undefined, 'x'.repeat(400))))), /too large/);
    });

    for (const [name, chunks] of [
      ['a finish reason that is a failure', [finish('insufficient_system_resource')]],
      ['a call without a name', [chunk(call(0, 'call_a', undefined, '{}')), finish('tool_calls')]],
      [
        'a call that goes on after it was whole',
        [chunk(call(0, 'a', 'x', '{}')), chunk(call(1, 'b', 'x', '{}')), chunk(call(0, undefined, undefined, '{}'))],
      ],
      ['content of a kind that is not known', [chunk({ content: [{ type: 'image' }] })]],
    ] as const) {
      test(`${name} is the provider's error`, () =>
        assert.throws(
          () => translate(open(), [bytesOf(chunks)]),
          (error: unknown) => error instanceof GatewayError && error.code === 'upstream_error',
        ));
    }

    test("an event that is no JSON is the provider's error", () =>
      assert.throws(() => open().push(Buffer.from('data: {"choices":[{}]\n\n')), /has an event that is no JSON/));
  });
}

const bytesOfOne = (one: JsonObject): Buffer => Buffer.from(`data: ${JSON.stringify(one)}\n\n`);

describe('whole answers', () => {
  const cut = (reason: string, args: string) => ({
    choices: [
      {
        message: { content: 'I look.', tool_calls: [{ id: 'a', function: { name: 'x', arguments: args } }] },
        finish_reason: reason,
      },
    ],
  });

  test('a call that the limit cut off is left out of a message, and is incomplete in a response', () => {
    const message = messagesAnswerOfChat(cut('length', '{"city":"Ro'), terms);
    assert.deepEqual([message['content'], message['stop_reason']], [[{ type: 'text', text: 'I look.' }], 'max_tokens']);
    const { output } = responsesAnswerOfChat(cut('length', '{"city":"Ro'), terms) as { output: JsonObject[] };
    assert.deepEqual(
      output.map(({ type, status }) => [type, status]),
      [
        ['message', 'completed'],
        ['function_call', 'incomplete'],
      ],
    );
  });

  test("arguments that are no object, and answers without a choice, are the provider's error", () => {
    const isUpstreams = (error: unknown) => error instanceof GatewayError && error.code === 'upstream_error';
    assert.throws(() => messagesAnswerOfChat(cut('stop', '[1]'), terms), isUpstreams);
    assert.throws(() => messagesAnswerOfChat(cut('stop', '{"a'), terms), isUpstreams);
    assert.throws(() => messagesAnswerOfChat({ choices: [] }, terms), isUpstreams);
    assert.throws(() => responsesAnswerOfChat({}, terms), isUpstreams);
  });

  test('the calls of tools in a namespace get both names back', () => {
    const request = { tools: [{ type: 'namespace', name: 'files', tools: [{ type: 'function', name: 'read' }] }] };
    const called = { id: 'a', function: { name: 'files__read', arguments: '{}' } };
    const answer = { choices: [{ message: { tool_calls: [called] }, finish_reason: 'tool_calls' }] };
    const { output } = responsesAnswerOfChat(answer, { ...terms, request }) as { output: JsonObject[] };
    assert.deepEqual([output[0]?.['name'], output[0]?.['namespace']], ['read', 'files']);
  });

  test("counts that can't be are plain input, as they are charged", () => {
    const usage = {
      prompt_tokens: 10,
      completion_tokens: 1,
      prompt_tokens_details: { cached_tokens: 8, cache_write_tokens: 5 },
    };
    const answer = { choices: [{ message: { content: 'a' }, finish_reason: 'stop' }], usage };
    const counts = messagesAnswerOfChat(answer, terms)['usage'] as JsonObject;
    assert.deepEqual(
      [counts['input_tokens'], counts['cache_read_input_tokens'], counts['cache_creation_input_tokens']],
      [10, 0, 0],
    );
  });
});
