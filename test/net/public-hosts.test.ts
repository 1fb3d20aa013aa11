import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GatewayError } from '../../src/domain/errors.ts';
import { isPublicAddress } from '../../src/net/ip-addresses.ts';
import { AddressGuard } from '../../src/net/public-hosts.ts';

const hosts: Record<string, string[]> = {
  'public.example': ['93.184.216.34', '2606:2800:220:1:248:1893:25c8:1946'],
  'inside.example': ['10.1.2.3'],
  'mixed.example': ['93.184.216.34', '127.0.0.1'],
  'six.example': ['fd12::1'],
};
const resolve = (host: string) => Promise.resolve(hosts[host] ?? []);
const guard = new AddressGuard({ allowPrivate: false, allowedOrigins: ['http://127.0.0.1:9000/v1'], resolve });

const isRefusal = (error: unknown) =>
  error instanceof GatewayError && error.code === 'invalid_parameter' && error.param === 'image_urls[0]';

const refusedAsWritten = [
  'nonsense',
  '/etc/passwd',
  'file:///etc/passwd',
  'ftp://public.example/a',
  'data:image/png;base64,AAAA',
  'http://user:secret@public.example/a',
  'http://user@public.example/a',
  'http://localhost/a',
  'http://LOCALHOST./a',
  'http://deep.localhost/a',
  'http://printer.local/a',
  'http://metadata.google.internal/computeMetadata/v1/',
  'http://127.0.0.1/a',
  'http://127.1/a',
  'http://2130706433/a',
  'http://0177.0.0.1/a',
  'http://0x7f.0.0.1/a',
  'http://0x7f000001/a',
  'http://0.0.0.0/a',
  'http://10.0.0.1/a',
  'http://100.64.0.1/a',
  'http://100.100.100.200/latest/meta-data',
  'http://169.254.169.254/latest/meta-data',
  'http://172.16.0.1/a',
  'http://172.31.255.255/a',
  'http://192.168.1.1/a',
  'http://192.0.0.192/a',
  'http://198.18.0.1/a',
  'http://224.0.0.1/a',
  'http://255.255.255.255/a',
  'http://168.63.129.16/a',
  'http://[::]/a',
  'http://[::1]/a',
  'http://[::ffff:127.0.0.1]/a',
  'http://[::ffff:a00:1]/a',
  'http://[::127.0.0.1]/a',
  'http://[64:ff9b::10.0.0.1]/a',
  'http://[64:ff9b:1::1]/a',
  'http://[2002:7f00:1::]/a',
  'http://[2002:c0a8:101::1]/a',
  'http://[2001:0:1::1]/a',
  'http://[2001:db8::1]/a',
  'http://[fe80::1]/a',
  'http://[fc00::1]/a',
  'http://[fd00:ec2::254]/a',
  'http://[ff02::1]/a',
  'http://127.0.0.1:9001/other-port',
  'https://127.0.0.1:9000/other-scheme',
  // Readers differ about where these lead.
  'http://public.example\\@127.0.0.1/',
  'http:\\\\public.example/a',
  'https://public.example/a\\b',
  ' https://public.example/a',
  'https://public.example/a b',
  'https://public.example/a\n',
  'https://public\t.example/a',
  'https://public.example/\u0000',
  'https://public.example/\u0085',
  'https://public.example/\u3000',
  'https:public.example/a',
  'https:/public.example/a',
  'https:///public.example/a',
];
for (const url of refusedAsWritten) {
  test(`${url} is refused as it is written`, async () => {
    assert.throws(() => guard.checkWritten(url, 'image_urls[0]'), isRefusal);
    await assert.rejects(guard.check(url, 'image_urls[0]'), isRefusal);
  });
}

for (const url of ['http://inside.example/a', 'https://mixed.example/a', 'http://six.example./a']) {
  test(`${url} passes as written and is refused for what it resolves to`, async () => {
    guard.checkWritten(url, 'image_urls[0]');
    await assert.rejects(guard.check(url, 'image_urls[0]'), isRefusal);
  });
}

const allowed = [
  'http://public.example/a.png?x=1',
  'https://public.example:8443/a',
  'http://unresolvable.example/a',
  'http://93.184.216.34/a',
  'http://172.15.0.1/a',
  'http://172.32.0.1/a',
  'http://100.63.255.255/a',
  'http://100.128.0.1/a',
  'http://223.255.255.255/a',
  'http://[2606:2800:220:1:248:1893:25c8:1946]/a',
  'http://[::ffff:93.184.216.34]/a',
  'http://[64:ff9b::93.184.216.34]/a',
  'http://127.0.0.1:9000/files/x',
];
for (const url of allowed) {
  test(`${url} is allowed`, async () => {
    guard.checkWritten(url, 'image_urls[0]');
    await guard.check(url, 'image_urls[0]');
  });
}

test('private hosts are allowed where the operator allows them, other schemes and credentials still not', async () => {
  const open = new AddressGuard({ allowPrivate: true, allowedOrigins: [], resolve });
  await open.check('http://127.0.0.1/a', 'image_urls[0]');
  await open.check('http://inside.example/a', 'image_urls[0]');
  await assert.rejects(open.check('file:///a', 'image_urls[0]'), isRefusal);
  await assert.rejects(open.check('http://a:b@127.0.0.1/a', 'image_urls[0]'), isRefusal);
});

test('what a look-up answers is judged with its zone left out', () => {
  assert.equal(isPublicAddress('fe80::1%eth0'), false);
  assert.equal(isPublicAddress('not an address'), false);
});

test("a name that the system's own look-up doesn't know passes", async () => {
  const guard = new AddressGuard({ allowPrivate: false, allowedOrigins: [] });
  await guard.check('http://no-such-host.invalid/a', 'image_urls[0]');
});

test('a refused origin is refused, public or not, but for the folder that is allowed', async () => {
  const callers = new AddressGuard({
    allowPrivate: false,
    allowedFolders: ['http://127.0.0.1:9000/files', 'https://public.example/bucket/'],
    refusedOrigins: ['http://127.0.0.1:9000/v1', 'https://public.example/api'],
    resolve,
  });
  for (const url of ['http://127.0.0.1:9000/files/x?s=1', 'https://public.example/bucket/x', 'http://public.example/a'])
    await callers.check(url, 'image_urls[0]');
  for (const url of [
    'http://127.0.0.1:9000/v1/images',
    'http://127.0.0.1:9000/files',
    'http://127.0.0.1:9000/filesystem',
    'http://127.0.0.1:9000/files/../v1',
    'http://127.0.0.1:9000/files/%2e%2e/v1',
    'http://127.0.0.1:9001/files/x',
    'https://public.example/api',
    'https://PUBLIC.example:443/',
    'https://public.example./api',
    'https://public.example.:443/',
  ]) {
    await assert.rejects(callers.check(url, 'image_urls[0]'), isRefusal, url);
    assert.throws(() => callers.checkWritten(url, 'image_urls[0]'), isRefusal, url);
  }
});
