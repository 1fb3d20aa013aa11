/** Volcengine's signature, against what the provider's own Node SDK (@volcengine/openapi 1.36.2) made of the same requests. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signingHeaders } from '../../../src/providers/volc-visual/signature.ts';

const credentials = { accessKey: 'AKLTexample0000', secretKey: 'c2VjcmV0IGV4YW1wbGU=' };
const visual = { region: 'cn-north-1', service: 'cv' };
const submit = {
  method: 'POST',
  url: 'https://visual.volcengineapi.com/?Version=2022-08-31&Action=CVSync2AsyncSubmitTask',
  body: '{"req_key":"jimeng_t2i_v40","prompt":"清晨的收费站"}',
};
const contentType = 'application/json';
const at = new Date('2026-03-04T05:06:07.890Z');

test('a request without a content type is signed as the SDK signs it, which leaves that header out', () => {
  assert.deepEqual(signingHeaders(submit, credentials, visual, at), {
    'x-date': '20260304T050607Z',
    'x-content-sha256': '4b55a3643755f95d28f6ce4a6363823f6cbf37fe88a103faba135f70698604cc',
    authorization:
      'HMAC-SHA256 Credential=AKLTexample0000/20260304/cn-north-1/cv/request, ' +
      'SignedHeaders=host;x-content-sha256;x-date, ' +
      'Signature=fd07c0e055d06fd07c8c77a3cab0b99ea64d4a536008f08376fc60dd857134ee',
  });
});

// The SDK, set to sign the content type too, as the visual service's own example does.
for (const { name, request, scope = visual, time = at, signature } of [
  {
    name: 'a submit',
    request: { ...submit, contentType },
    signature: 'b5b7c54e04d7e3821d51a7ffaaf886a94b9e61d5eb7b0e942193fe877b49ba0d',
  },
  {
    name: 'a host with a port and a path',
    request: {
      ...{ method: 'post', url: 'http://127.0.0.1:8080/volc?Action=CVGetResult&Version=2022-08-31' },
      ...{ body: '{}', contentType },
    },
    time: new Date('2026-12-31T23:59:59Z'),
    signature: '2311a7db6fbafa23159743343f5938e278680751fecf1aed65ea3aa1c46f8def',
  },
  {
    name: 'a query with signs to be encoded and put in order, and no body',
    request: {
      method: 'GET',
      url: 'https://iam.volcengineapi.com/?Query=a+b*c~%C3%A9&Offset=0&Version=2018-01-01&Action=ListUsers&Limit=10',
      ...{ body: '', contentType },
    },
    scope: { region: 'cn-north-1', service: 'iam' },
    time: new Date('2020-12-30T00:00:00Z'),
    signature: '614b9b4fd148451a0281a9fd2b192a8cfc20cc94405360fa11ccc4f9681e9643',
  },
]) {
  test(`${name} is signed as the SDK signs it`, () => {
    const headers = signingHeaders(request, credentials, scope, time);
    assert.equal(headers['content-type'], contentType);
    assert.match(headers['authorization'] ?? '', new RegExp(`date, Signature=${signature}$`));
  });
}

test('every part of a request is under its signature', () => {
  const signed = (change: Partial<typeof submit>, secretKey = credentials.secretKey, day = at) =>
    signingHeaders({ ...submit, ...change }, { ...credentials, secretKey }, visual, day)['authorization'];
  const variants = [
    signed({}),
    signed({ method: 'PUT' }),
    signed({ url: submit.url.replace('visual', 'other') }),
    signed({ url: submit.url.replace('Submit', 'Cancel') }),
    signed({ url: submit.url.replace('/?', '/x?') }),
    signed({ url: submit.url.replace('.com', '.com:8443') }),
    signed({ body: '{}' }),
    signed({}, 'another'),
    signed({}, undefined, new Date(at.getTime() + 1_000)),
  ];
  assert.equal(new Set(variants).size, variants.length);
  assert.equal(signed({ url: submit.url.replace('.com', '.com:443') }), variants[0], 'the port of the scheme is none');
});
