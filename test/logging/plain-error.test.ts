import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { plainError } from '../../src/observability/logging/plain-error.ts';

const textOf = (error: unknown): string => JSON.stringify(plainError(error));

test('an error is logged with type, message, code, where it was thrown and what caused it', () => {
  const cause = Object.assign(new TypeError('no route'), { code: 'ENETUNREACH' });
  const { stack, ...logged } = plainError(Object.assign(new Error('failed', { cause }), { status: 502 }));
  assert.deepEqual([logged.type, logged.message, logged.status], ['Error', 'failed', 502]);
  assert.deepEqual(
    [logged.cause?.type, logged.cause?.message, logged.cause?.code],
    ['TypeError', 'no route', 'ENETUNREACH'],
  );
  assert.match(stack ?? '', /^at .*plain-error\.test/);
});

test('what else an error carries is left out: parameters and rows, requests and headers', () => {
  const database = Object.assign(new pg.DatabaseError('duplicate key', 100, 'error'), {
    code: '23505',
    detail: 'Key (prompt)=(secret) already exists.',
    where: 'secret',
    query: 'secret',
    parameters: ['secret'],
  });
  assert.equal(plainError(database).code, '23505');
  const store = Object.assign(new Error('AccessDenied'), {
    $metadata: { httpStatusCode: 403, requestId: 'secret' },
    $response: { headers: { authorization: 'secret' } },
    config: { headers: 'secret' },
  });
  for (const error of [database, store]) assert.ok(!textOf(error).includes('secret'), textOf(error));
});

test('a message that quotes the value it complains of is logged without it, in the stack, too', () => {
  const syntax = (() => {
    try {
      return JSON.parse('{"a": secret}') as unknown;
    } catch (error) {
      return error;
    }
  })();
  assert.ok(syntax instanceof SyntaxError && syntax.message.includes('secret'));
  const data = Object.assign(new pg.DatabaseError('invalid input syntax for type uuid: "secret"', 1, 'error'), {
    code: '22P02',
  });
  assert.equal(plainError(data).message, 'invalid input syntax for type uuid');
  for (const error of [syntax, data]) assert.ok(!textOf(error).includes('secret'), textOf(error));
});

test('errors of several, errors that cause themselves, long ones, and what is no error are logged within bounds', () => {
  const several = plainError(new AggregateError([new Error('a'), new Error('b')], 'both'));
  assert.deepEqual(
    several.errors?.map(({ message }) => message),
    ['a', 'b'],
  );
  const round = new Error('round');
  round.cause = round;
  assert.ok(textOf(round).length < 20_000);
  assert.ok(textOf(new Error('x'.repeat(100_000))).length < 5_000);
  assert.deepEqual(plainError({ secret: 1 }), { type: 'object', message: '' });
  assert.deepEqual(plainError('why'), { type: 'string', message: 'why' });
});
