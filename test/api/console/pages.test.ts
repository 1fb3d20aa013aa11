/** The console's pages as they are served, with the real build. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { brotliDecompressSync, gzipSync } from 'node:zlib';
import Router from '@koa/router';
import Koa from 'koa';
import { request } from 'undici';
import type { RequestState } from '../../../src/api/context.ts';
import { consolePages } from '../../../src/api/console/console-pages.ts';
import { errors } from '../../../src/api/middleware/error-answers.ts';

const built = join(import.meta.dirname, '../../../dist/console');
const bytesFirstLoadMax = 400_000;

interface Chunk {
  file: string;
  imports?: string[];
  css?: string[];
}

describe("the console's pages", () => {
  const server = createServer((req, res) => void handle(req, res));
  const app = new Koa<RequestState>().use(errors());
  const router = new Router<RequestState>({ sensitive: true });
  consolePages(router);
  const handle = app.use(router.routes()).callback();
  let origin = '';
  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => server.close());
  const get = (path: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') =>
    request(origin + path, { headers, method });
  const chunks = JSON.parse(readFileSync(join(built, 'manifest.json'), 'utf8')) as Record<string, Chunk>;
  const entry = chunks['index.html']!;

  test('leads from /console to /console/', async () => {
    const answer = await get('/console');
    assert.equal(answer.statusCode, 308);
    assert.equal(answer.headers['location'], '/console/');
    await answer.body.dump();
  });

  test('leads from /docs/ to /docs, and answers /favicon.ico with the icon of the pages', async () => {
    const slash = await get('/docs/');
    assert.deepEqual([slash.statusCode, slash.headers['location']], [308, '/docs']);
    const icon = await get('/favicon.ico');
    assert.deepEqual([icon.statusCode, icon.headers['content-type']], [200, 'image/svg+xml']);
    assert.match(await icon.body.text(), /^<svg /);
    const again = await get('/favicon.ico', { 'if-none-match': String(icon.headers['etag']) });
    assert.equal(again.statusCode, 304);
    await Promise.all([slash.body.dump(), again.body.dump()]);
  });

  test('answers every address with the page, with a new nonce in page and policy, never cached', async () => {
    const nonces = new Set<string>();
    for (const path of ['/console/', '/console/acc_1/tasks/task_2', '/console/sign-in', '/console/apis']) {
      const { statusCode, headers, body } = await get(path);
      const text = await body.text();
      assert.equal(statusCode, 200, path);
      assert.equal(headers['cache-control'], 'no-store');
      const policy = String(headers['content-security-policy']);
      const nonce = /style-src 'self' 'nonce-([^']+)'/.exec(policy)?.[1] ?? '';
      assert.ok(nonce.length >= 22 && text.includes(`nonce="${nonce}"`) && !text.includes('__nonce__'));
      assert.ok(!policy.includes('unsafe'));
      nonces.add(nonce);
    }
    assert.equal(nonces.size, 4);
  });

  test('may show files of the store that links to files lead to, and of no other host', async () => {
    const other = new Router<RequestState>();
    consolePages(other, { filesOrigin: 'https://files.example.com' });
    const beside = createServer((req, res) => void handleBeside(req, res));
    const handleBeside = new Koa<RequestState>().use(other.routes()).callback();
    await new Promise<void>((resolve) => beside.listen(0, '127.0.0.1', resolve));
    const { headers, body } = await request(`http://127.0.0.1:${(beside.address() as AddressInfo).port}/console/`);
    await body.dump();
    beside.close();
    const policy = String(headers['content-security-policy']);
    assert.equal(policy.split('https://files.example.com').length, 4);
    for (const of of ["img-src 'self' data: blob:", "media-src 'self' blob:", "connect-src 'self'"])
      assert.ok(policy.includes(`${of} https://files.example.com;`), policy);
    const own = await get('/console/');
    await own.body.dump();
    assert.ok(!String(own.headers['content-security-policy']).includes('http'));
  });

  test('serves files for ever, compressed as the reader can, and answers 304 to a reader that has them', async () => {
    const plain = await get(`/console/${entry.file}`);
    const bytes = Buffer.from(await plain.body.arrayBuffer());
    assert.equal(plain.headers['content-type'], 'text/javascript; charset=utf-8');
    assert.equal(plain.headers['cache-control'], 'public, max-age=31536000, immutable');
    const packed = await get(`/console/${entry.file}`, { 'accept-encoding': 'gzip, br' });
    assert.equal(packed.headers['content-encoding'], 'br');
    assert.deepEqual(brotliDecompressSync(Buffer.from(await packed.body.arrayBuffer())), bytes);
    assert.notEqual(packed.headers['etag'], plain.headers['etag']);
    const again = await get(`/console/${entry.file}`, { 'if-none-match': String(plain.headers['etag']) });
    assert.equal(again.statusCode, 304);
    const head = await get(`/console/${entry.file}`, {}, 'HEAD');
    assert.equal(head.headers['content-length'], String(bytes.length));
    await Promise.all([again.body.dump(), head.body.dump()]);
  });

  test('serves /docs, the same to every reader and 304 to one that has it, under a policy without exceptions', async () => {
    const { statusCode, headers, body } = await get('/docs');
    const text = await body.text();
    assert.equal(statusCode, 200);
    assert.equal(headers['content-type'], 'text/html; charset=utf-8');
    assert.equal(headers['cache-control'], 'no-cache');
    const policy = String(headers['content-security-policy']);
    assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self';.*frame-ancestors 'none'/);
    assert.doesNotMatch(policy, /unsafe|nonce|https?:|\*/);
    assert.ok(!text.includes('__nonce__'));
    const files = [...text.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path]) => path ?? '');
    assert.ok(files.length >= 3);
    assert.doesNotMatch(text, /(?:src|href)="(?!\/|#)/); // nothing of another host
    for (const path of files.filter((one) => one !== '/openapi.json')) {
      const file = await get(path);
      await file.body.dump();
      assert.equal(file.statusCode, 200, path);
    }
    const again = await get('/docs', { 'if-none-match': String(headers['etag']) });
    const head = await get('/docs', {}, 'HEAD');
    assert.equal(again.statusCode, 304);
    assert.equal(head.headers['content-length'], String(Buffer.byteLength(text)));
    await Promise.all([again.body.dump(), head.body.dump()]);
  });

  test('serves /status as /docs, with links to it, and neither page nor link where it is switched off', async () => {
    const status = await get('/status');
    assert.deepEqual([status.statusCode, status.headers['cache-control']], [200, 'no-cache']);
    assert.match(String(status.headers['content-security-policy']), /default-src 'none'; script-src 'self';/);
    const text = await status.body.text();
    assert.match(text, /<title>Tollgate status/);
    assert.ok(!/__nonce__|__status__/.test(text));
    const off = new Router<RequestState>();
    consolePages(off, { isStatusPublic: () => false });
    const without = createServer((req, res) => void handleOff(req, res));
    const handleOff = new Koa<RequestState>().use(errors()).use(off.routes()).callback();
    await new Promise<void>((resolve) => without.listen(0, '127.0.0.1', resolve));
    const hidden = (path: string) => request(`http://127.0.0.1:${(without.address() as AddressInfo).port}${path}`);
    const refused = await hidden('/status');
    await refused.body.dump();
    assert.equal(refused.statusCode, 404);
    for (const path of ['/console/', '/docs']) {
      assert.match(await (await get(path)).body.text(), /name="tollgate-status" content="shown"/);
      assert.match(await (await hidden(path)).body.text(), /name="tollgate-status" content="hidden"/);
    }
    without.close();
  });

  test('answers no file but its own, and nothing of the API', async () => {
    for (const path of ['/console/assets/none.js', '/console/assets/../../package.json', '/console/api/session']) {
      const { statusCode, body } = await get(path);
      await body.dump();
      assert.equal(statusCode, 404, path);
    }
    const { body } = await get('/console/assets/..%2f..%2f..%2fpackage.json');
    assert.ok(!(await body.text()).includes('dependencies'));
  });

  test('says how to build what is not built', async () => {
    const other = new Router<RequestState>();
    consolePages(other, { folder: join(built, 'nowhere') });
    const without = createServer((req, res) => void handleWithout(req, res));
    const handleWithout = new Koa<RequestState>().use(errors()).use(other.routes()).callback();
    await new Promise<void>((resolve) => without.listen(0, '127.0.0.1', resolve));
    const answer = await request(`http://127.0.0.1:${(without.address() as AddressInfo).port}/console/`);
    assert.equal(answer.statusCode, 503);
    assert.match(await answer.body.text(), /npm run build/);
    without.close();
  });

  test('loads less than 400 kB, compressed, to show the overview', () => {
    const files = new Set<string>(['index.html']);
    const add = (name: string) => {
      const { file, imports = [], css = [] } = chunks[name]!;
      if (files.has(file)) return;
      for (const path of [file, ...css]) files.add(path);
      imports.forEach(add);
    };
    add('index.html');
    add('src/pages/overview/index.tsx');
    const bytes = [...files].reduce((sum, file) => sum + gzipSync(readFileSync(join(built, file))).length, 0);
    assert.ok(bytes < bytesFirstLoadMax, `${bytes} bytes`);
  });
});
