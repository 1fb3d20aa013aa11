import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { GatewayError } from '../../src/domain/errors.ts';
import { fetchFile, FetchError } from '../../src/net/fetch-file.ts';
import { AddressGuard } from '../../src/net/public-hosts.ts';

const content = Buffer.alloc(100_000, 'abc');
const limits = { bytesMax: 200_000, timeoutMs: 5_000 };

async function withServer(answer: RequestListener, use: (origin: string) => Promise<void>): Promise<void> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  try {
    await use(`http://127.0.0.1:${port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const guardFor = (...allowedOrigins: string[]) => new AddressGuard({ allowPrivate: false, allowedOrigins });
const refusal =
  (message: RegExp, code = 'invalid_parameter') =>
  (error: unknown) =>
    error instanceof GatewayError && error.code === code && message.test(error.message);

const routes: RequestListener = (request, response) => {
  const path = request.url ?? '';
  const hops = /^\/hop\/(\d+)$/.exec(path)?.[1];
  if (path === '/file') response.end(content);
  else if (path === '/chunked') response.write(content, () => response.end(content.subarray(0, 1)));
  else if (path === '/hang') response.write('start');
  else if (path === '/silent') return;
  else if (path === '/broken') response.writeHead(200, { 'content-length': '99' }).write('x', () => response.destroy());
  else if (path === '/inside') response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end();
  else if (path === '/outside') response.writeHead(302, { location: 'file:///etc/passwd' }).end();
  else if (hops !== undefined) {
    response.writeHead(307, { location: hops === '1' ? '/file' : `/hop/${Number(hops) - 1}` }).end();
  } else response.writeHead(404).end('nothing here');
};

test('a file is fetched, over as many as five redirects', () =>
  withServer(routes, async (origin) => {
    const options = { guard: guardFor(origin), ...limits, param: 'image_urls[0]' };
    assert.deepEqual(await buffer(await fetchFile(`${origin}/file`, options)), content);
    assert.deepEqual(await buffer(await fetchFile(`${origin}/hop/5`, options)), content);
    await assert.rejects(fetchFile(`${origin}/hop/6`, options), refusal(/more than 5 times/));
  }));

test('redirects are checked like the first address', () =>
  withServer(routes, async (origin) => {
    const options = { guard: guardFor(origin), ...limits, param: 'image_urls[0]' };
    await assert.rejects(fetchFile(`${origin}/inside`, options), refusal(/not on the public internet/));
    await assert.rejects(fetchFile(`${origin}/outside`, options), refusal(/only http and https/));
  }));

test('a larger file is refused by its announced size, and cut off where it announced none', () =>
  withServer(routes, async (origin) => {
    const options = { guard: guardFor(origin), bytesMax: 100_000, timeoutMs: 5_000, param: 'image_urls[0]' };
    assert.equal((await buffer(await fetchFile(`${origin}/file`, options))).length, 100_000);
    await assert.rejects(
      fetchFile(`${origin}/file`, { ...options, bytesMax: 99_999 }),
      refusal(/more than 99999 bytes/),
    );
    const stream = await fetchFile(`${origin}/chunked`, options);
    await assert.rejects(buffer(stream), refusal(/more than 100000 bytes/));
  }));

test('a download that hangs ends when its time is over, one that is not answered too', () =>
  withServer(routes, async (origin) => {
    const options = { guard: guardFor(origin), bytesMax: 100, timeoutMs: 150, param: 'image_urls[0]' };
    const stream = await fetchFile(`${origin}/hang`, options);
    await assert.rejects(buffer(stream), refusal(/longer than 0.15 s/));
    await assert.rejects(fetchFile(`${origin}/silent`, options), refusal(/longer than 0.15 s/));
  }));

test('an answer other than 200, a broken connection and a closed port give different errors that carry the param', () =>
  withServer(routes, async (origin) => {
    const options = { guard: new AddressGuard({ allowPrivate: true, allowedOrigins: [] }), ...limits, param: 'a' };
    await assert.rejects(fetchFile(`${origin}/none`, options), refusal(/returned 404/));
    await assert.rejects(buffer(await fetchFile(`${origin}/broken`, options)), refusal(/the download failed/));
    await assert.rejects(fetchFile('http://127.0.0.1:1/x', options), (error) => {
      return refusal(/ECONNREFUSED/)(error) && (error as GatewayError).param === 'a';
    });
  }));

test("without a param the failure is the upstream's, and what may pass is worth another try", () =>
  withServer(routes, async (origin) => {
    const options = { guard: guardFor(origin), ...limits };
    await assert.rejects(fetchFile(`${origin}/none`, options), FetchError);
    await assert.rejects(buffer(await fetchFile(`${origin}/broken`, options)), FetchError);
    const refused = refusal(/address is not allowed/, 'upstream_error');
    await assert.rejects(fetchFile('http://10.0.0.1/', options), refused);
    await assert.rejects(fetchFile('no address', options), refusal(/not a URL/, 'upstream_error'));
  }));

test('an abort rejects with its own reason', () =>
  withServer(routes, async (origin) => {
    const stop = new AbortController();
    const options = { guard: guardFor(origin), ...limits, signal: stop.signal };
    const stream = await fetchFile(`${origin}/hang`, options);
    stop.abort(new Error('caller left'));
    await assert.rejects(buffer(stream), /caller left/);
  }));

test('the connection is checked again: a name that changes after the check leads nowhere', () =>
  withServer(routes, async (origin) => {
    const fooled = new AddressGuard({
      allowPrivate: false,
      allowedOrigins: [],
      resolve: () => Promise.resolve(['93.184.216.34']),
    });
    // The guard's written rules refuse `localhost`; stand in for a name whose look-up turns inwards at connect time.
    Object.defineProperty(fooled, 'check', { value: () => Promise.resolve() });
    const address = origin.replace('127.0.0.1', 'localhost');
    await assert.rejects(
      fetchFile(`${address}/file`, { guard: fooled, ...limits, param: 'a' }),
      refusal(/not on the public internet/),
    );
  }));

test('a name that has no address fails the one fetch, and nothing else', async () => {
  const options = { guard: guardFor(), ...limits, param: 'image_urls[0]' };
  const unknown = (error: unknown) => error instanceof GatewayError && error.param === 'image_urls[0]';
  await assert.rejects(fetchFile('http://nowhere.invalid/file', options), unknown);
});
