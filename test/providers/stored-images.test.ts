/** Answers that are images themselves: found in the stored text as it streams, whatever form it has. */
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setFlagsFromString } from 'node:v8';
import { describe, test } from 'node:test';
import { runInNewContext } from 'node:vm';
import { GatewayError } from '../../src/domain/errors.ts';
import type { Poll, ResultPart, StoredAnswer } from '../../src/providers/contract.ts';
import type { Refusal } from '../../src/providers/http/wire.ts';
import { imageJob } from '../support/jobs.ts';
import { storedImages } from '../../src/providers/stored-images.ts';

const signal = new AbortController().signal;
const [red, green] = [Buffer.from([0xff, 0, 0, 0xfb, 0xf0]), Buffer.from('a green image')];
const [red64, green64] = [red.toString('base64'), green.toString('base64')];

describe('images are found', () => {
  test('as OpenAI answers', async () => {
    const answer = { created: 1, data: [{ b64_json: red64 }, { b64_json: green64 }], usage: { total_tokens: 3 } };
    assert.deepEqual(await imagesOf(JSON.stringify(answer)), [red, green]);
    assert.deepEqual(await imagesOf(JSON.stringify(answer, null, '\t')), [red, green]);
  });

  test('in any order of members, and not in what only looks like them', async () => {
    const decoy = `"b64_json": "${green64}", "data": [{"b64_json": "x"}]`;
    const element = { revised_prompt: decoy, more: { b64_json: 'no' }, b64_json: red64, list: [[{ url: 'no' }]] };
    const answer = { usage: { data: [{ b64_json: 'no' }] }, prompt: decoy, data: [element], after: [decoy, '\\'] };
    assert.deepEqual(await imagesOf(JSON.stringify(answer)), [red]);
  });

  test('under names that are written with escapes', async () => {
    assert.deepEqual(await imagesOf(`{"d\\u0061ta":[{"b\\u00364_json":"${red64}"}]}`), [red]);
    assert.deepEqual(await imagesOf(`{"da\\u0000ta":[{"b64_json":"${green64}"}],"data":[{"b64_json":"${red64}"}]}`), [
      red,
    ]);
  });

  test('where the last of several members of a name counts', async () => {
    const text = `{"data":[{"b64_json":"no"}],"data":[{"b64_json":"no","b64_json":"${red64}"}]}`;
    assert.deepEqual(await imagesOf(text), [red]);
  });

  test('wherever the pieces of the text are cut', async () => {
    const text = `{"x":[-1.5e+3,true,"\\"\\u00e9\\\\"],"data":[{"revised_prompt":"é\\n","b64_json":"${red64
      .replaceAll('/', '\\/')
      .replaceAll('+', '\\u002B')}"}]}\n`;
    assert.deepEqual(await imagesOf(text, 1), [red]);
    const bytes = Buffer.from(text);
    for (let at = 0; at <= bytes.length; at++) {
      const answer = inPieces(bytes, (part) => [part.subarray(0, at), part.subarray(at)]);
      assert.deepEqual(await imagesOf(answer), [red], `cut at ${at}`);
    }
  });

  test('behind addresses, which are downloaded when they are read', async () => {
    const asked: string[] = [];
    const read = reader({
      fetchResult: (url) => {
        asked.push(url);
        return Promise.resolve(Readable.from([green]));
      },
    });
    const text = '{"data":[{"url":"https:\\/\\/files.example\\/a.png?s=1\\u0026t=2","revised_prompt":null}]}';
    const poll = await read(answerOf(text));
    assert.deepEqual(asked, []);
    assert.deepEqual(await opened(partsOf(poll)), [green]);
    assert.deepEqual(asked, ['https://files.example/a.png?s=1&t=2']);
  });

  test('in data URIs, in either member', async () => {
    const data = [
      { url: `data:image/png;base64,${red64}` },
      { b64_json: `data:image/png;base64,${green64}` },
      { b64_json: null, url: `DATA:image/png;name=a;BASE64,${red64}` },
    ];
    assert.deepEqual(await imagesOf(JSON.stringify({ data })), [red, green, red]);
    assert.deepEqual(await imagesOf(JSON.stringify({ data }).replaceAll('/', '\\/'), 7), [red, green, red]);
  });

  test('in base64 of either alphabet, with or without padding, with line breaks', async () => {
    const url64 = red.toString('base64url');
    assert.match(url64, /[-_]/);
    const lines = `${green64.slice(0, 5)}\r\n${green64.slice(5)}\n`;
    const data = [{ b64_json: url64 }, { b64_json: lines }, { b64_json: red64 }];
    assert.deepEqual(await imagesOf(JSON.stringify({ data }), 3), [red, green, red]);
  });

  test('beside elements without one, which are left out', async () => {
    const data = [
      { error: { code: 'moderation_blocked', message: 'No.' } },
      { b64_json: red64 },
      {},
      null,
      'text',
      { b64_json: '', url: null },
      { b64_json: green64, error: null },
    ];
    assert.deepEqual(await imagesOf(JSON.stringify({ data })), [red, green]);
  });
});

describe('an answer without an image fails', () => {
  test('with the first error of an element, as the wire format judges it', async () => {
    const refusal = ({ json }: { json: unknown }): Refusal | undefined =>
      JSON.stringify(json).includes('moderation') ? { code: 'content_policy_violation', fallOver: false } : undefined;
    const data = [{}, { error: { code: 'moderation_blocked', message: 'It was blocked.' } }, { error: 'Out of luck.' }];
    const read = reader({ refusal });
    const blocked = errorOf(await read(answerOf(JSON.stringify({ data }))));
    assert.deepEqual([blocked.code, blocked.message], ['content_policy_violation', 'It was blocked.']);
    const unlucky = errorOf(await read(answerOf(JSON.stringify({ data: data.slice(2) }))));
    assert.deepEqual([unlucky.code, unlucky.message], ['upstream_error', 'Out of luck.']);
  });

  test('with the error of the whole, without the operator’s secrets and addresses', async () => {
    for (const data of [undefined, null, [], [{}]]) {
      const text = JSON.stringify({ error: { message: 'sk-operator-1 failed at https://10.0.0.1/x' }, data });
      const { code, message } = errorOf(await reader()(answerOf(text)));
      assert.deepEqual([code, message], ['upstream_error', '[removed] failed at [removed]']);
    }
  });

  test('with words of our own where it says nothing', async () => {
    for (const text of ['{"data":[]}', '{"data":[{}]}', `{"data":[{"error":"${'x'.repeat(20_000)}"}]}`]) {
      const { code, message } = errorOf(await reader()(answerOf(text)));
      assert.deepEqual([code, message], ['upstream_error', 'The provider returned no image.']);
    }
  });
});

describe('what is no such answer is upstream_error', () => {
  const whole = `{"created":1,"data":[{"b64_json":"${red64}"}],"ok":true}`;
  const nonsense = {
    'nothing at all': '',
    'a page': '<html>Welcome</html>',
    'an event stream': `event: image_generation.completed\ndata: ${whole}\n\n`,
    'two answers': `${whole}${whole}`,
    'an array': `[${whole}]`,
    'a string': '"data"',
    'a number': '17',
    'no data': '{"images":[]}',
    'data that are an object': `{"data":{"b64_json":"${red64}"}}`,
    'a control character in a string': `{"a":"\n","data":[{"b64_json":"${red64}"}]}`,
    'an unknown escape': `{"a":"\\x","data":[{"b64_json":"${red64}"}]}`,
    'a broken escape': `{"a":"\\u12g4","data":[{"b64_json":"${red64}"}]}`,
    'a word that is none': `{"a":nul,"data":[{"b64_json":"${red64}"}]}`,
    'a number that is none': `{"a":01,"data":[{"b64_json":"${red64}"}]}`,
    'a comma too many': `{"data":[{"b64_json":"${red64}"},]}`,
    'a comma too few': `{"a":1 "data":[{"b64_json":"${red64}"}]}`,
    'the wrong bracket': `{"data":[{"b64_json":"${red64}"}}}`,
  };
  for (const [name, text] of Object.entries(nonsense)) {
    test(name, async () => assert.equal(errorOf(await reader()(answerOf(text))).code, 'upstream_error'));
  }

  test('an answer that is cut anywhere', async () => {
    for (let length = 0; length < whole.length; length++) {
      assert.equal(errorOf(await reader()(answerOf(whole.slice(0, length)))).code, 'upstream_error', String(length));
    }
  });

  test('nesting that never ends, which is not followed', async () => {
    let pieces = 0;
    const endless = inPieces(Buffer.alloc(1), function* () {
      for (;;) {
        pieces++;
        yield Buffer.alloc(1024, '[');
      }
    });
    assert.equal(errorOf(await reader()(endless)).code, 'upstream_error');
    assert.ok(pieces <= 2);
  });

  for (const [name, element] of Object.entries({
    'a text that is no base64': { b64_json: 'an image!' },
    'base64 that ends too early': { b64_json: red64.slice(0, 5) },
    'base64 with something behind its padding': { b64_json: `${red64}AAAA` },
    'base64 with a backslash': { b64_json: `\\${red64}` },
    'a data URI that is no base64': { url: 'data:image/svg+xml,<svg/>' },
    'an address of another kind': { url: 'file:///etc/passwd' },
    'an address that is none': { url: 'https://' },
    'an address that is far too long': { url: `https://files.example/${'a'.repeat(9_000)}` },
  })) {
    test(`${name}, when the image is read`, async () => {
      const [part] = partsOf(await reader()(answerOf(JSON.stringify({ data: [element] }))));
      assert.ok(part !== undefined);
      await assert.rejects(
        async () => buffer(await part.open(signal)),
        (error) => error instanceof GatewayError && error.code === 'upstream_error',
      );
    });
  }
});

test('a failure of the blob store is no failure of the provider', async () => {
  const broken: StoredAnswer = {
    bytes: 1,
    read: () =>
      Promise.resolve(
        new Readable({
          read() {
            this.destroy(new Error('the disk is away'));
          },
        }),
      ),
  };
  await assert.rejects(() => reader()(broken), /the disk is away/);
});

test('64 MiB in two images, and a million odd elements, take a bounded memory', async () => {
  const answer = largeAnswer(2);
  assert.ok(answer.bytes > 64 * 1024 * 1024);
  const read = reader();
  // What is compiled and pooled once is not counted.
  await read(answerOf(JSON.stringify({ data: [{ b64_json: red64 }] })));
  const before = memory();
  let peak = 0;
  const parts = partsOf(await read(answer));
  peak = Math.max(peak, memory());
  assert.equal(parts.length, 2);
  for (const part of parts) {
    let bytes = 0;
    for await (const piece of await part.open(signal)) {
      const isHalfWay = bytes < largeImageBytes / 2;
      bytes += (piece as Buffer).length;
      if (isHalfWay && bytes >= largeImageBytes / 2) peak = Math.max(peak, memory());
    }
    assert.equal(bytes, largeImageBytes);
  }
  assert.ok(peak - before < 32 * 1024 * 1024, `${peak - before} bytes more`);
});

type Given = Partial<Parameters<typeof storedImages>[0] & Parameters<typeof storedImages>[2]>;

const reader = ({ refusal, fetchResult }: Given = {}) => {
  const read = storedImages(
    refusal === undefined ? {} : { refusal },
    { secrets: { api_key: 'sk-operator-1' }, headers: {} },
    { fetchResult: fetchResult ?? (() => Promise.reject(new Error('nothing is fetched here'))) },
  );
  return (answer: StoredAnswer) => read(answer, imageJob());
};

/** An answer that is read in pieces of so many bytes. */
function answerOf(text: string, pieceBytes = 16 * 1024): StoredAnswer {
  return inPieces(Buffer.from(text), function* (bytes) {
    for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
  });
}

const inPieces = (bytes: Buffer, cut: (bytes: Buffer) => Iterable<Buffer>): StoredAnswer => ({
  bytes: bytes.length,
  read: ({ start, end } = { start: 0, end: bytes.length }) =>
    Promise.resolve(Readable.from(cut(bytes.subarray(start, end)), { objectMode: false })),
});

async function imagesOf(answer: string | StoredAnswer, pieceBytes?: number): Promise<Buffer[]> {
  return opened(partsOf(await reader()(typeof answer === 'string' ? answerOf(answer, pieceBytes) : answer)));
}

function partsOf(poll: Poll): ResultPart[] {
  assert.ok(poll.state === 'succeeded', JSON.stringify(poll));
  return poll.parts;
}

const opened = (parts: ResultPart[]): Promise<Buffer[]> =>
  Promise.all(parts.map(async (part) => buffer(await part.open(signal))));

function errorOf(poll: Poll): GatewayError {
  assert.ok(poll.state === 'failed', JSON.stringify(poll));
  return poll.error;
}

const largeImageBytes = 24 * 1024 * 1024;

/** `{"data":[1,1,…,{"b64_json":"…"},…]}`, made as it is read: nothing is held but a piece of an image. */
function largeAnswer(images: number): StoredAnswer {
  const piece = Buffer.alloc(48 * 1024, 'an image ');
  const piece64 = Buffer.from(piece.toString('base64'));
  const pieces = largeImageBytes / piece.length;
  const [junk, junks] = [Buffer.from('1,'.repeat(8 * 1024)), 128];
  const [start, end] = [Buffer.from('{"data":['), Buffer.from(']}')];
  const [before, after] = [Buffer.from('{"b64_json":"'), Buffer.from('"}')];
  function* all(): Generator<Buffer> {
    yield start;
    for (let at = 0; at < junks; at++) yield junk;
    for (let image = 0; image < images; image++) {
      yield image === 0 ? before : Buffer.concat([Buffer.from(','), before]);
      for (let at = 0; at < pieces; at++) yield piece64;
      yield after;
    }
    yield end;
  }
  let bytes = 0;
  for (const { length } of all()) bytes += length;
  function* part(start: number, end: number): Generator<Buffer> {
    let at = 0;
    for (const piece of all()) {
      if (at + piece.length > start && at < end) yield piece.subarray(Math.max(0, start - at), end - at);
      at += piece.length;
      if (at >= end) return;
    }
  }
  return {
    bytes,
    read: ({ start, end } = { start: 0, end: bytes }) =>
      Promise.resolve(Readable.from(part(start, end), { objectMode: false })),
  };
}

/** What is in use: garbage that is not collected yet is not. */
function memory(): number {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  assert.ok(isCallable(collect));
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const isCallable = (value: unknown): value is () => void => typeof value === 'function';
