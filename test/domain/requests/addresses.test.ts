/** Which texts are addresses and which are data URIs, and that saying so takes no time that grows out of hand. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { isDataUri, isHttpAddress } from '../../../src/domain/requests/named-addresses.ts';

describe('an http address', () => {
  for (const url of [
    'http://a',
    'https://a.example/b?c=d#e',
    'HTTPS://A.EXAMPLE',
    'https://127.0.0.1:8080/',
    'http://[::1]/x',
    'https://bücher.example/猫.png',
  ]) {
    test(`may be ${url}`, () => assert.ok(isHttpAddress(url, 2048)));
  }
  for (const url of [
    '',
    'a',
    '//a.example',
    'http:a.example',
    'http:/a.example',
    'http:///a.example',
    'http://',
    'https://?x',
    'https://a b',
    ' https://a.example',
    'https://a.example ',
    'https://a.example/\n',
    'https://a.example:99999/',
    'https://[::1',
    'ftp://a.example',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'data:image/png;base64,AAAA',
  ]) {
    test(`is not ${JSON.stringify(url)}`, () => assert.ok(!isHttpAddress(url, 2048)));
  }
  test('has at most as many characters as it may', () => {
    assert.ok(isHttpAddress('https://a', 9));
    assert.ok(!isHttpAddress('https://ab', 9));
  });
});

describe('a data URI', () => {
  for (const uri of [
    'data:image/png;base64,AAAA',
    'data:image/png;base64,AA==',
    'data:image/png;base64,AAA=',
    'data:image/png;base64,AA',
    'data:image/svg+xml;charset=utf-8;base64,AAAA',
    'DATA:image/PNG;BASE64,+/09',
    'data:application/vnd.ms-excel;base64,AAAA',
  ]) {
    test(`may be ${uri}`, () => assert.ok(isDataUri(uri)));
  }
  for (const uri of [
    '',
    'data:',
    'data:,AAAA',
    'data:image/png,AAAA',
    'data:image/png;base64',
    'data:image/png;base64,',
    'data:image/png;base64,=',
    'data:image/png;base64,==',
    'data:image/png;base64,A',
    'data:image/png;base64,AAAAA',
    'data:image/png;base64,A===',
    'data:image/png;base64,AAA==',
    'data:image/png;base64,AA=',
    'data:image/png;base64,AA=A',
    'data:image/png;base64,AA AA',
    'data:image/png;base64,AAAA\n',
    'data:image/png;base64,AA-_',
    'data:image/png;base64,AAAé',
    'data:image/png;base64,AAA,',
    'data:image;base64,AAAA',
    'data:;base64,AAAA',
    'data:image/png; base64,AAAA',
    ' data:image/png;base64,AAAA',
    `data:image/${'a'.repeat(400)};base64,AAAA`,
  ]) {
    test(`is not ${JSON.stringify(uri.slice(0, 60))}`, () => assert.ok(!isDataUri(uri)));
  }

  test('is whatever bytes are encoded as one', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1 }), (bytes) => {
        assert.ok(isDataUri(`data:image/png;base64,${Buffer.from(bytes).toString('base64')}`));
      }),
    );
  });

  test('of 20 MiB is read to its end, whether it is good or wrong in its last character', () => {
    const uri = `data:image/png;base64,${'A'.repeat(20 * 1024 * 1024)}`;
    assert.ok(isDataUri(uri));
    assert.ok(!isDataUri(`${uri.slice(0, -1)}*`));
    assert.ok(!isDataUri(`data:image/png;${'base64;'.repeat(1_000_000)},`));
  });
});
