import assert from 'node:assert/strict';
import { test } from 'node:test';
import pino from 'pino';
import { logOptions } from '../../src/observability/logging/log.ts';
import { Mask } from '../../src/observability/logging/mask.ts';

test('what has the form of a secret is struck out, and what stands round it stays', () => {
  const { applied } = new Mask();
  for (const [text, masked] of [
    ['the key sk-tg-abc_DEF-123, he said', 'the key sk-tg-…, he said'],
    ['Authorization: Bearer abc.def-123', 'Authorization: Bearer …'],
    ['signed by whsec_c2VjcmV0Cg==', 'signed by whsec_…'],
    ['connect postgres://me:pass@db:5432/x failed', 'connect postgres://…@db:5432/x failed'],
    ['GET https://s3.example/b/k?X-Amz-Signature=abc&x=1 answered 403', 'GET https://s3.example/b/k?… answered 403'],
    ['{"msg":"at /files/img_1/0?e=1&k=2&s=3","a":1}', '{"msg":"at /files/img_1/0?…","a":1}'],
    ['{"msg":"http://a/b?s=1\\" quoted"}', '{"msg":"http://a/b?…\\" quoted"}'],
  ] as const) {
    assert.equal(applied(text), masked);
  }
  const innocent = '{"requestId":"req_1","path":"/v1/models","msg":"why? the key is basic, a bearer of it"}';
  assert.equal(applied(innocent), innocent);
});

test('paths that callers choose are searched once, whatever they are made of', () => {
  const { applied } = new Mask();
  for (const piece of ['/files/', '/files//', '/hooks/x', 'aa://', 'aa://b', 'bearer ', '/files/?']) {
    const path = piece.repeat(40_000); // from each slash on it would take minutes
    assert.ok(!applied(`${path}x/files/a?s=secret-signature`).includes('secret'));
  }
});

test('a known secret is struck out wherever it is, one that is known later from then on, and none that is short', () => {
  const mask = new Mask(['a$secret.with"signs', 'short']);
  assert.equal(mask.applied('x a$secret.with"signs short'), 'x [removed] short');
  assert.equal(mask.applied(JSON.stringify({ msg: 'a$secret.with"signs' })), '{"msg":"[removed]"}');
  assert.equal(mask.applied('later-known'), 'later-known');
  mask.know(['later-known']);
  assert.equal(mask.applied('later-known'), '[removed]');
});

test('no line of the log says anything under a name that is for secrets', () => {
  const written: string[] = [];
  const log = pino(logOptions('trace'), { write: (line: string) => void written.push(line) });
  const secret = 'sentinel';
  log.child({ password: secret, step: 'submit' }).info({ authorization: secret, headers: { cookie: secret } }, 'one');
  log.error({ err: Object.assign(new Error('x'), { config: secret }), prompt: secret, url: secret }, 'two');
  assert.equal(written.length, 2);
  assert.ok(!written.join('').includes(secret), written.join(''));
  assert.ok(written[0]?.includes('"step":"submit"'));
});
