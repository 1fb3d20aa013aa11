/** Lines of batches: as they are read from a file, and as they are written into one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inputsOf, parseInputLine } from '../../../src/domain/batches/input-line.ts';
import { type EndedLine, outputLine } from '../../../src/domain/batches/output-line.ts';
import { parseBatchRequest } from '../../../src/domain/requests/batch-request.ts';

const good = { custom_id: 'a', method: 'POST', url: '/v1/embeddings', body: { model: 'm' } };

for (const [what, change, param] of [
  ['without a custom_id', { custom_id: undefined }, 'custom_id'],
  ['with an empty custom_id', { custom_id: '' }, 'custom_id'],
  ['with a custom_id of 513 characters', { custom_id: 'x'.repeat(513) }, 'custom_id'],
  ['with a NUL in its custom_id', { custom_id: 'a\0b' }, 'custom_id'],
  ['of another method', { method: 'GET' }, 'method'],
  ['of another endpoint than its batch', { url: '/v1/chat/completions' }, 'url'],
  ['without a body', { body: undefined }, 'body'],
  ['whose body is a text', { body: '{}' }, 'body'],
] as const) {
  test(`a line ${what} is refused under the name of the field`, () => {
    assert.throws(() => parseInputLine({ ...good, ...change }, '/v1/embeddings'), { name: 'GatewayError', param });
  });
}

test('inputs of embeddings are counted by text, and tokens are one input', () => {
  assert.deepEqual(
    [{ input: 'a' }, { input: ['a', 'b'] }, { input: [1, 2, 3] }, { input: [[1], [2]] }].map(inputsOf),
    [1, 2, 1, 2],
  );
});

const ended: EndedLine = {
  ...{ n: 7, customId: 'a "b"', state: 'completed', requestId: 'req_1', statusCode: 200, errorCode: null },
};
const written = (line: Partial<EndedLine>, answer?: string): unknown => {
  const text = outputLine('batch_0a', { ...ended, ...line }, answer === undefined ? undefined : Buffer.from(answer));
  assert.equal(text.at(-1), 0x0a);
  assert.equal(text.filter((byte) => byte === 0x0a).length, 1, 'a line has one line break, at its end');
  return JSON.parse(text.toString());
};

test('an answer stands in its line as it was written, without its line breaks', () => {
  assert.deepEqual(written({}, '{\n  "big": 12345678901234567890,\r\n "text": "a\\nb"\n}'), {
    ...{ id: 'batch_req_0a_7', custom_id: 'a "b"', error: null },
    response: { status_code: 200, request_id: 'req_1', body: { big: 12345678901234567890, text: 'a\nb' } },
  });
  assert.match(
    outputLine('batch_0a', ended, Buffer.from('{"n":12345678901234567890}')).toString(),
    /12345678901234567890/,
  );
});

test('an answer that is no JSON stands in its line as a text', () => {
  const line = written({ state: 'failed', statusCode: 502 }, '<html>\n') as { response: { body: unknown } };
  assert.equal(line.response.body, '<html>\n');
});

for (const [state, code] of [
  ['expired', 'batch_expired'],
  ['cancelled', 'batch_cancelled'],
  ['unknown', 'outcome_unknown'],
] as const) {
  test(`a line that is ${state} has no response and the error ${code}`, () => {
    const line = written({ state, statusCode: null, requestId: null }) as {
      response: unknown;
      error: { code: string };
    };
    assert.deepEqual([line.response, line.error.code], [null, code]);
  });
}

const request = { input_file_id: 'file-1', endpoint: '/v1/embeddings', completion_window: '24h' };

test('a batch has a window of hours, and keeps its output for 30 days', () => {
  assert.deepEqual(parseBatchRequest(request), {
    ...{
      inputFileId: 'file-1',
      endpoint: '/v1/embeddings',
      windowSeconds: 86_400,
      metadata: null,
      outputSeconds: 2_592_000,
    },
  });
  assert.equal(parseBatchRequest({ ...request, completion_window: '168h' }).windowSeconds, 604_800);
});

for (const [change, param] of [
  [{ completion_window: '169h' }, 'completion_window'],
  [{ completion_window: '0h' }, 'completion_window'],
  [{ completion_window: '7d' }, 'completion_window'],
  [{ endpoint: '/v1/audio/speech' }, 'endpoint'],
  [{ metadata: Object.fromEntries(Array.from({ length: 17 }, (_, n) => [`k${n}`, 'v'])) }, 'metadata'],
  [{ metadata: { ['k'.repeat(65)]: 'v' } }, 'metadata'],
  [{ metadata: { k: 'v'.repeat(513) } }, 'metadata'],
  [{ output_expires_after: { anchor: 'created_at', seconds: 3599 } }, 'output_expires_after.seconds'],
  [{ output_expires_after: { anchor: 'now', seconds: 3600 } }, 'output_expires_after.anchor'],
] as const) {
  test(`a batch with ${JSON.stringify(change).slice(0, 60)} is refused at ${param}`, () => {
    assert.throws(() => parseBatchRequest({ ...request, ...change }), { code: 'invalid_parameter', param });
  });
}
