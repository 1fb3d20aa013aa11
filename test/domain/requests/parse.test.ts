/** What all bodies have in common: the model's id, the model's kind, and which fault is reported. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { z } from 'zod';
import { modelKinds } from '../../../src/domain/catalogue.ts';
import { errorTable, GatewayError } from '../../../src/domain/errors.ts';
import { avatarTalkFields, parseAvatarTalkFields } from '../../../src/domain/requests/avatar-talk.ts';
import { chatBody, parseChatRequest } from '../../../src/domain/requests/chat-request.ts';
import { listOf, text } from '../../../src/domain/requests/fields.ts';
import { imageBody, parseImageRequest } from '../../../src/domain/requests/image-request.ts';
import { endpointKinds, modelIdOf, paramOf, parseWith, requireKind } from '../../../src/domain/requests/parse.ts';
import { parseResponsesRequest, responsesBody } from '../../../src/domain/requests/responses-request.ts';
import { parseVideoRequest, videoBody } from '../../../src/domain/requests/video-request.ts';
import { modelOf, refuses } from './cases.ts';

describe('the model of a body', () => {
  test('is its id', () => assert.equal(modelIdOf({ model: 'sim-chat' }), 'sim-chat'));
  test('may have 256 characters', () => assert.equal(modelIdOf({ model: 'm'.repeat(256) }).length, 256));
  test('is not looked for in prototypes', () => {
    assert.throws(() => modelIdOf(Object.create({ model: 'm' })), { code: 'missing_parameter', param: 'model' });
  });
  refuses(
    [
      ['a body of null', null, 'invalid_parameter', null],
      ['a body that is an array', [{ model: 'm' }], 'invalid_parameter', null],
      ['a body that is a number', 5, 'invalid_parameter', null],
      ['no model', {}, 'missing_parameter', 'model'],
      ['a model of null', { model: null }, 'missing_parameter', 'model'],
      ['an empty model', { model: '' }, 'invalid_parameter', 'model'],
      ['a model that is a number', { model: 5 }, 'invalid_parameter', 'model'],
      ['a model of 257 characters', { model: 'm'.repeat(257) }, 'invalid_parameter', 'model'],
    ],
    modelIdOf,
  );
});

describe('the kind of a model', () => {
  for (const [endpoint, kinds] of Object.entries(endpointKinds)) {
    for (const kind of modelKinds) {
      const served = (kinds as readonly string[]).includes(kind);
      test(`${kind} is ${served ? 'served' : 'refused'} by the endpoint ${endpoint}`, () => {
        const check = () => requireKind(modelOf(kind), kinds);
        if (served) assert.doesNotThrow(check);
        else assert.throws(check, { code: 'invalid_parameter', param: 'model' });
      });
    }
  }

  test('a wrong kind is reported with the kinds that the endpoint serves', () => {
    assert.throws(() => requireKind(modelOf('chat'), endpointKinds.video), {
      message:
        "The model 'some-chat' is of kind 'chat'; this endpoint supports models of kind 'video', 'avatar-video' or 'avatar-image'.",
    });
  });
});

describe('the fault that is reported', () => {
  test('says the rule and the value, but no text that may be private', () => {
    const schema = z.object({ name: z.string().max(3, 'must have at most 3 characters') });
    assert.throws(() => parseWith(schema, { name: 'long' }), {
      message: "'name' must have at most 3 characters; got 'long'.",
    });
    assert.throws(() => parseWith(schema, { name: 'a secret' }), {
      message: "'name' must have at most 3 characters; got a string of 8 characters.",
    });
  });

  test('of a missing value says what is allowed', () => {
    const schema = z.object({ name: z.string('must be a string') });
    assert.throws(() => parseWith(schema, {}), {
      code: 'missing_parameter',
      message: "'name' is required: it must be a string.",
    });
  });

  test('is the first in the body, however deep', () => {
    const row = z.object({ a: text, b: text }, 'must be an object');
    const schema = z.object({ x: row, rows: listOf(row, 'must be rows') });
    const faultOf = (body: object) => () => parseWith(schema, body);
    assert.throws(
      faultOf({
        rows: [
          { a: 'a', b: 'b' },
          { b: 1, a: 1 },
        ],
        x: 5,
      }),
      { param: 'rows[1].b' },
    );
    assert.throws(faultOf({ x: { a: 1 }, rows: 5 }), { param: 'x.a' });
    assert.throws(faultOf({ x: { a: 'a' }, rows: 5 }), { param: 'x.b' });
    assert.throws(faultOf({ rows: 5 }), { param: 'rows' });
  });

  test('is found at once in an array of a million wrong items', () => {
    const schema = z.object({ texts: listOf(text, 'must be texts') });
    const body = { texts: new Array<null>(1_000_000).fill(null) };
    assert.throws(() => parseWith(schema, body), { param: 'texts[0]' });
  });

  test('has its path written as callers write it', () => {
    assert.equal(paramOf(['messages', 0, 'content', 1, 'image_url', 'url']), 'messages[0].content[1].image_url.url');
    assert.equal(paramOf(['n']), 'n');
  });
});

test('whatever JSON comes, a parser answers with a request or with a GatewayError of status 400', () => {
  const names = [
    'model',
    'prompt',
    'content',
    'messages',
    'input',
    'image_urls',
    'size',
    'n',
    'upscale',
    'role',
    'type',
    'tools',
  ];
  const json = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom(
        null,
        true,
        0,
        1,
        -1,
        1.5,
        1e400,
        '',
        'text',
        'image_url',
        'user',
        'https://a.example/x',
        '1024x1024',
      ),
      fc.string(),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...names, '__proto__', 'constructor'), tie('value'), { maxKeys: 5 }),
    ),
  })).value;
  const parsers: ((body: unknown) => unknown)[] = [
    (body) => parseImageRequest(body, modelOf('image')),
    (body) => parseVideoRequest(body, modelOf('video')),
    (body) => parseVideoRequest(body, modelOf('avatar-video')),
    (body) => parseAvatarTalkFields(body as Record<string, string>, modelOf('avatar-talk')),
    (body) => parseChatRequest(body),
    (body) => parseResponsesRequest(body),
  ];
  fc.assert(
    fc.property(json, fc.constantFrom(...parsers), (body, parse) => {
      try {
        parse(body);
      } catch (error) {
        if (!(error instanceof GatewayError)) throw error;
        assert.equal(errorTable[error.code].status, 400);
        assert.doesNotMatch(error.message, /Invalid|undefined/, 'a message of zod instead of a rule');
      }
    }),
    { numRuns: 2000 },
  );
});

describe('the schema of a body can be shown as JSON Schema', () => {
  const schemas = { imageBody, videoBody, avatarTalkFields, chatBody, responsesBody };
  for (const [name, schema] of Object.entries(schemas)) {
    test(name, () => {
      const { properties } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
      assert.deepEqual(Object.keys(properties ?? {}), Object.keys(schema.shape));
    });
  }

  test('with the bounds and items of its arrays', () => {
    const { properties } = z.toJSONSchema(imageBody, { io: 'input', unrepresentable: 'any' });
    assert.deepEqual(properties?.['image_urls'], {
      anyOf: [
        { type: 'array', items: { type: 'string', format: 'uri', maxLength: 2048 }, minItems: 0, maxItems: 14 },
        { type: 'null' },
      ],
    });
  });
});
