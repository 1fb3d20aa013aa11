/** IP addresses and ranges: one form of each, and what lies in what, as node:net judges it too. */
import assert from 'node:assert/strict';
import { BlockList, isIP } from 'node:net';
import { describe, test } from 'node:test';
import { contains, parseRange, rangeText } from '../../src/domain/accounts/address-ranges.ts';
import { areWithin, refusalOfAddress } from '../../src/domain/accounts/allowed-ips.ts';
import { generator } from '../support/random.ts';

const normal = (text: string): string | undefined => {
  const range = parseRange(text);
  return range && rangeText(range);
};

describe('each address and range has one form', () => {
  const cases = [
    ['203.0.113.7', '203.0.113.7'],
    ['203.0.113.7/32', '203.0.113.7'],
    ['10.1.2.3/8', '10.0.0.0/8'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
    ['2001:db8:1:2:3:4:5:6/32', '2001:db8::/32'],
    ['1:0:0:2:0:0:0:3', '1:0:0:2::3'],
    ['1:2:3:4:5:6:7::', '1:2:3:4:5:6:7:0'],
    ['::', '::'],
    ['::/0', '::/0'],
    ['::1/128', '::1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::ffff:c000:201', '192.0.2.1'],
    ['::ffff:10.0.0.0/104', '10.0.0.0/8'],
    ['64:ff9b::192.0.2.1', '64:ff9b::c000:201'],
  ] as const;
  for (const [written, form] of cases) test(`${written} is ${form}`, () => assert.equal(normal(written), form));
});

test('what is neither an address nor a range is none', () => {
  const wrong = [
    ...['', ' ', 'localhost', '10.0.0', '10.0.0.256', '010.0.0.1', '10.0.0.1/33', '10.0.0.1/', '10.0.0.1/8/8'],
    ...['10.0.0.1/-1', '10.0.0.1/08', ':', ':::', '1::2::3', '1:2:3:4:5:6:7', '1:2:3:4:5:6:7:8:9', '12345::', 'g::'],
    ...['::1/129', 'fe80::1%eth0', '::10.0.0.256', '1:2:3:4:5:6:7:10.0.0.1', '[::1]', '10.0.0.1:80', '::1.2.3'],
  ];
  assert.deepEqual(wrong.filter(parseRange), []);
});

test('addresses are read and ranges compared as node:net does', () => {
  const random = generator(26);
  const number = (below: number) => Math.floor(random() * below);
  const v4 = () => [number(2), number(2), number(2), number(256)].join('.');
  // Few values, so that many addresses lie in a range; zeros, so that some are left out.
  const v6 = () => Array.from({ length: 8 }, () => [0, 0, 1, number(65_536)][number(4)]?.toString(16)).join(':');
  for (let round = 0; round < 5_000; round++) {
    const [family, address, base] = round % 2 === 0 ? (['ipv4', v4(), v4()] as const) : (['ipv6', v6(), v6()] as const);
    const prefix = number(family === 'ipv4' ? 33 : 129);
    const list = new BlockList();
    list.addSubnet(base, prefix, family);
    const [outer, inner] = [parseRange(`${base}/${prefix}`), parseRange(address)];
    assert.ok(outer && inner);
    assert.equal(contains(outer, inner), list.check(address, family), `${address} in ${base}/${prefix}`);
    const written = rangeText(inner);
    assert.notEqual(isIP(written), 0, written);
    assert.deepEqual(parseRange(written), inner);
    if (family === 'ipv6') assert.equal(written, new URL(`http://[${address}]`).hostname.slice(1, -1));
  }
});

test('a range lies only in a wider one of its own family', () => {
  assert.equal(areWithin(['10.1.0.0/16', '2001:db8::1'], ['10.0.0.0/8', '2001:db8::/32']), true);
  assert.equal(areWithin(['10.0.0.0/7'], ['10.0.0.0/8']), false);
  assert.equal(areWithin(['::/0'], ['0.0.0.0/0']), false);
  assert.equal(areWithin(null, ['0.0.0.0/0', '::/0']), false);
});

test('a list allows its addresses in either form, and refuses all others and an unknown one', () => {
  const key = { allowedIps: ['192.0.2.0/24', '2001:db8::/32', 'written by hand'] };
  for (const good of ['192.0.2.255', '::ffff:192.0.2.1', '::ffff:c000:201', '2001:db8:ffff::1'])
    assert.equal(refusalOfAddress(key, good), undefined, good);
  for (const bad of ['192.0.3.0', '2001:db9::1', '::1', 'written by hand', '']) {
    const refusal = refusalOfAddress(key, bad);
    assert.equal(refusal?.code, 'permission_denied', bad);
  }
  assert.equal(refusalOfAddress({ allowedIps: null }, ''), undefined);
});
