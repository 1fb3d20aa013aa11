import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { TaskId } from '../../src/domain/ids.ts';
import { signLink, verifyLink, type LinkKeys } from '../../src/tasks/provider-calls/signed-links.ts';

const oldKey = { id: '0ld', links: Buffer.alloc(32, 1) };
const newKey = { id: 'n3w', links: Buffer.alloc(32, 2) };
const keys: LinkKeys = { first: newKey, all: [newKey, oldKey] };
const taskId = 'img_0199abc' as TaskId;
const link = { taskId, file: 3, expiresAtSeconds: 1_790_000_000 };

/** As a router would take a link apart. */
function parts(address: string) {
  const url = new URL(address, 'http://gate');
  const [, , id = '', file = ''] = url.pathname.split('/');
  return { path: { taskId: id, file }, query: Object.fromEntries(url.searchParams) };
}
const verdictOf = (address: string, known = keys, nowSeconds = 1_789_999_999) => {
  const { path, query } = parts(address);
  return verifyLink(path, query, known, nowSeconds);
};

test('a signed link has its documented form and is good until it expires', () => {
  const address = signLink(link, keys);
  assert.match(address, /^\/files\/img_0199abc\/3\?e=1790000000&k=n3w&s=[\w-]{43}$/);
  assert.deepEqual(verdictOf(address), { verdict: 'good', link });
  assert.deepEqual(verdictOf(address, keys, 1_790_000_000), { verdict: 'expired' });
});

test('the first secret signs, all verify, and one that was taken away does not', () => {
  const earlier = signLink(link, { first: oldKey, all: [oldKey] });
  assert.equal(verdictOf(earlier).verdict, 'good');
  assert.equal(verdictOf(earlier, { first: newKey, all: [newKey] }).verdict, 'forged');
});

test('a link names its secret, and is not good under another', () => {
  assert.equal(verdictOf(signLink(link, keys).replace('k=n3w', 'k=0ld')).verdict, 'forged');
});

test('no character of a link can be changed', () => {
  const address = signLink(link, keys);
  for (let at = '/files/'.length; at < address.length; at++) {
    if (/[/?&=]/.test(address[at]!)) continue;
    const changed = address.slice(0, at) + (address[at] === '4' ? '5' : '4') + address.slice(at + 1);
    assert.equal(verdictOf(changed).verdict, 'forged', changed);
  }
});

test('a signature is good for one task, file and time only', () => {
  const address = signLink(link, keys);
  const { path, query } = parts(address);
  for (const [otherPath, otherQuery] of [
    [{ ...path, taskId: 'img_other' }, query],
    [{ ...path, file: '4' }, query],
    [{ ...path, file: '03' }, query],
    [path, { ...query, e: '1790000001' }],
    [path, { ...query, e: '01790000000' }],
    [path, { ...query, e: '1790000000.0' }],
    [path, { ...query, s: `${query['s']!}=` }],
    [path, { ...query, s: '' }],
    [path, { ...query, s: [query['s'], query['s']] }],
    [path, { e: query['e'], k: query['k'] }],
    [path, {}],
  ] as const) {
    assert.deepEqual(verifyLink(otherPath, otherQuery, keys, 0), { verdict: 'forged' });
  }
});

test('a forged link is not reported as expired', () => {
  assert.equal(verdictOf('/files/img_1/0?e=1&k=n3w&s=x', keys, 2_000_000_000).verdict, 'forged');
});

test('nothing that a caller sends makes the verification throw', () =>
  fc.assert(
    fc.property(
      fc.string(),
      fc.string(),
      fc.dictionary(fc.constantFrom('e', 'k', 's'), fc.anything()),
      (id, file, query) => {
        assert.equal(verifyLink({ taskId: id, file }, query, keys, 0).verdict, 'forged');
      },
    ),
  ));

test('what a link cannot name is refused when it is signed', () => {
  for (const wrong of [
    { file: -1 },
    { file: 1.5 },
    { file: 10_000 },
    { expiresAtSeconds: 0 },
    { expiresAtSeconds: 1.5 },
    { expiresAtSeconds: Number.NaN },
    { taskId: 'a/b' as TaskId },
  ]) {
    assert.throws(() => signLink({ ...link, ...wrong }, keys), RangeError);
  }
});
