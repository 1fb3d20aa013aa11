/** Whose address counts behind proxies: what a trusted one appended, and nothing that a caller made up. */
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { callerAddress } from '../../src/api/server/caller-address.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { newPerson, password, signedIn } from '../support/people.ts';
import { until } from '../support/process.ts';

const seen = (trusted: readonly string[], peer: string | undefined, forwarded?: string): string =>
  callerAddress(trusted)({
    socket: { remoteAddress: peer } as never,
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  });

describe('the address of a caller', () => {
  const proxies = ['10.0.0.0/8', '2001:db8::/32', '192.0.2.7'];
  const rows: [what: string, trusted: readonly string[], peer: string, forwarded: string | undefined, seen: string][] =
    [
      ['is the peer without proxies, whatever it says', [], '198.51.100.1', '203.0.113.9', '198.51.100.1'],
      ['is a peer that is not trusted, whatever it says', proxies, '198.51.100.1', '203.0.113.9', '198.51.100.1'],
      ['is a trusted peer that says nothing', proxies, '10.1.2.3', undefined, '10.1.2.3'],
      ['is whom a trusted peer names', proxies, '10.1.2.3', '203.0.113.9', '203.0.113.9'],
      [
        'is not what the caller wrote before it',
        proxies,
        '10.1.2.3',
        '127.0.0.1, 10.9.9.9, 203.0.113.9',
        '203.0.113.9',
      ],
      ['is the last that is no proxy', proxies, '10.1.2.3', '1.1.1.1, 203.0.113.9, 192.0.2.7, 10.0.0.1', '203.0.113.9'],
      ['is a proxy that calls by itself', proxies, '10.1.2.3', '192.0.2.7', '192.0.2.7'],
      ['may be IPv6', proxies, '2001:db8::1', '2606:4700::1111', '2606:4700::1111'],
      [
        'is read behind a proxy whose address is in its mapped form',
        proxies,
        '::ffff:10.1.2.3',
        '203.0.113.9',
        '203.0.113.9',
      ],
      ['has no second form', proxies, '10.1.2.3', '::ffff:203.0.113.9', '203.0.113.9'],
      ['has no port', proxies, '10.1.2.3', '203.0.113.9:51000', '203.0.113.9'],
      ['has no port in IPv6', proxies, '10.1.2.3', '[2606:4700::1111]:443', '2606:4700::1111'],
      ['is the peer where the list is none', proxies, '10.1.2.3', 'unknown', '10.1.2.3'],
      ['is the peer where the list is empty', proxies, '10.1.2.3', '', '10.1.2.3'],
      [
        'is not looked for before what is no address',
        proxies,
        '10.1.2.3',
        '203.0.113.9, nonsense, 10.0.0.1',
        '10.1.2.3',
      ],
      [
        'is the peer where the list has no end',
        proxies,
        '10.1.2.3',
        Array.from({ length: 500 }, () => '10.0.0.1').join(),
        '10.1.2.3',
      ],
    ];
  for (const [what, trusted, peer, forwarded, address] of rows)
    test(what, () => assert.equal(seen(trusted, peer, forwarded), address));

  test('is nothing where the connection is gone', () => assert.equal(seen(proxies, undefined, '203.0.113.9'), ''));
});

describe('signing in behind a proxy', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startTestGateway({
      worker: false,
      env: { TOLLGATE_TRUSTED_PROXIES: '127.0.0.1, ::1' },
      bounds: { unknownBodyBytes: 16 * 4_096 },
    });
  });
  after(() => gateway.stop());

  const signIn = (email: string, typed: string, forwarded: string) =>
    fetch(`${gateway.url}/console/api/session`, {
      method: 'POST',
      headers: { Origin: gateway.url, 'Content-Type': 'application/json', 'X-Forwarded-For': forwarded },
      body: JSON.stringify({ email, password: typed }),
    });

  test('a session is noted with the address that the proxy appended', async () => {
    const client = await signedIn(gateway);
    assert.equal((await signIn(client.person.email, password, '1.1.1.1, 203.0.113.9')).status, 200);
    const { body } = await client.get('/profile/sessions');
    const addresses = (body['data'] as { address: string }[]).map(({ address }) => address);
    assert.deepEqual([addresses.includes('203.0.113.9'), addresses.includes('1.1.1.1')], [true, false]);
  });

  test('a guesser locks out its own address only, however the header begins', async () => {
    const { email } = await newPerson(gateway);
    for (let at = 0; at < 10; at++)
      assert.equal((await signIn(email, 'not the password', `192.0.2.${at}, 203.0.113.10`)).status, 401);
    assert.equal((await signIn(email, password, '192.0.2.99, 203.0.113.10')).status, 429);
    assert.equal((await signIn(email, password, '203.0.113.11')).status, 200);
  });

  test('all addresses of an IPv6 network have one share of the room for bodies', async () => {
    const { unknownBodyBytes } = gateway.core.concurrencyLimits;
    await until('an empty room', () => Promise.resolve(unknownBodyBytes.taken === 0 || undefined));
    const headers = { Origin: gateway.url, 'Content-Type': 'application/json', 'Content-Length': 4_096 };
    const hanging = request(`${gateway.url}/console/api/session`, {
      method: 'POST',
      headers: { ...headers, 'X-Forwarded-For': '2606:4700::1' },
    });
    hanging.on('error', () => undefined).write('x'.repeat(4_095));
    await until('its bytes', () => Promise.resolve(unknownBodyBytes.taken === 4_095 || undefined));
    const statusFrom = async (address: string) => (await signIn('a@example.com', 'a', address)).status;
    assert.deepEqual([await statusFrom('2606:4700::2'), await statusFrom('2606:4700:0:1::2')], [503, 401]);
    hanging.destroy();
  });
});
