/** What is read of large answers without parsing them: the same as of small ones, and never more values than a bound. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerFacts } from '../../../src/domain/chat/answer-facts.ts';
import { readJson } from '../../../src/domain/chat/json-reading.ts';
import { TooManyValues } from '../../../src/domain/json/json-bounds.ts';

const KiB = 1024;
/** Makes an object of any size: what comes first is never asked for. */
const padded = (text: string, bytes: number): Buffer =>
  Buffer.from(text.replace('{', `{"padding":"${'{[\\"'.repeat(bytes / 4)}",`));

const object = `{ "list":[1,{"list":2}], "o":{"a":{"b":[]}, "n":null}, "n":1.5e3 ,
  "a\\u0062c":"\\"é","twice":1,"twice":{"last":true} } \n`;
const names = ['list', 'o', 'n', 'abc', 'twice', 'padding2'];

for (const [what, bytes] of [
  ['small', 0],
  ['large', 100 * KiB],
] as const) {
  test(`members of a ${what} object are read as JSON has them`, () => {
    const read = readJson(padded(object, bytes), names);
    assert.ok(read);
    assert.deepEqual(
      names.map((name) => [read.value(name), read.isList(name), read.isObject(name)]),
      [
        [[1, { list: 2 }], true, false],
        [{ a: { b: [] }, n: null }, false, true],
        [1500, false, false],
        ['"é', false, false],
        [{ last: true }, false, true],
        [undefined, false, false],
      ],
    );
    assert.deepEqual(read.object('o', ['a'])?.value('a'), { b: [] });
    assert.deepEqual(read.object('o', ['a'])?.object('a', ['b'])?.value('b'), []);
    for (const name of ['n', 'list', 'padding2']) assert.equal(read.object(name, ['a']), undefined);
  });

  test(`what is no ${what} object is none`, () => {
    const { length } = object.trimEnd();
    for (const text of [object.slice(0, length - 1), object.slice(0, length - 9), `${object}x`, `${object}{}`])
      assert.equal(readJson(padded(text, bytes), names), undefined, text);
    for (const text of ['', '[]', '"x"', '1', ' '])
      assert.equal(readJson(Buffer.from(text + ' '.repeat(bytes)), names), undefined, text);
  });
}

test('values that are not asked for are skipped, however many they are', () => {
  const lists = `"x":[${'[],'.repeat(2_000_000)}[]]`;
  const usage = '"usage":{"prompt_tokens":9,"completion_tokens":3}';
  const facts = answerFacts('chat/completions', Buffer.from(`{${lists},"id":"a","choices":[{"x":[]}],${usage}}`));
  const stated = {
    ...{ id: 'a', tier: undefined, toolCalls: {} },
    usage: { prompt_tokens: 9, completion_tokens: 3 },
  };
  assert.deepEqual(facts, { hasError: false, hasOutput: true, stated, produced: '' });
});

test('what has to be parsed is refused where it has too many values', () => {
  const lists = `[${'[],'.repeat(1_000_001)}[]]`;
  assert.throws(() => readJson(Buffer.from(`{"x":${lists}}`), ['x'])?.value('x'), TooManyValues);
  for (const text of [`{"choices":${lists}}`, `{"choices":[],"usage":${lists}}`])
    assert.throws(() => answerFacts('chat/completions', Buffer.from(text)), TooManyValues, text.slice(0, 20));
});

test('an answer without a usage is read for its text, large or small', () => {
  for (const bytes of [0, 100 * KiB]) {
    const chat = answerFacts('chat/completions', padded('{"choices":[{"message":{"content":"Hi"}}]}', bytes));
    assert.equal(chat?.produced, 'Hi');
    const output = '{"error":{},"output":[{"content":[{"text":"Ho"}]}],"usage":{"input_tokens":-1}}';
    const { hasError, hasOutput, produced } = answerFacts('responses', padded(output, bytes)) ?? {};
    assert.deepEqual([hasError, hasOutput, produced], [true, true, 'Ho']);
  }
});

test('a large answer that is broken where it is read is none', () => {
  assert.equal(
    answerFacts('chat/completions', padded('{"choices":[{"message":{"content":"Hi}]]}]}', 100 * KiB)),
    undefined,
  );
  assert.equal(answerFacts('chat/completions', padded('{"choices":[tru],"usage":nul}', 100 * KiB)), undefined);
});
