/** A page of another origin in a real Chromium, with the `openai` package: it can call a gateway that allows its origin, and no other. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { join, normalize } from 'node:path';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { browser } from '../support/browser.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';

const packageFolder = join(import.meta.dirname, '../../node_modules/openai');

let site: Server;
let origin: string;
let open: TestGateway;
let closed: TestGateway;
before(async () => {
  site = createServer((request, response) => void serve(request.url ?? '/', response));
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  const address = site.address();
  assert(address !== null && typeof address === 'object');
  origin = `http://127.0.0.1:${address.port}`;
  open = await startTestGateway({ env: { TOLLGATE_CORS_ORIGINS: origin } });
  closed = await startTestGateway({ worker: false, env: { TOLLGATE_CORS_ORIGINS: 'https://app.example.com' } });
});
after(async () => {
  await Promise.all([open.stop(), closed.stop()]);
  site.closeAllConnections();
  await new Promise((resolve) => site.close(resolve));
});

/** The page, and the package's modules as they are: browsers load them without a bundler. */
async function serve(path: string, response: ServerResponse): Promise<void> {
  const module = /^\/openai(\/[\w./-]+\.mjs)$/.exec(normalize(path))?.[1];
  if (module === undefined) {
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    response.end('<!doctype html><title>A page</title><link rel="icon" href="data:,"><h1>A page</h1>');
    return;
  }
  response.setHeader('Content-Type', 'text/javascript; charset=utf-8');
  response.end(await readFile(join(packageFolder, module)));
}

/** Runs a script in the page with a client of the gateway, and returns what it returns, or the names of what it threw. */
async function inPage(page: Page, { url, key }: TestGateway, script: string): Promise<unknown> {
  await page.goto('/');
  const options = JSON.stringify({ baseURL: `${url}/v1`, apiKey: key, dangerouslyAllowBrowser: true, maxRetries: 0 });
  return page.evaluate(`(async () => {
    const { default: OpenAI } = await import('/openai/index.mjs');
    const client = new OpenAI(${options});
    const ask = { model: 'sim-chat', messages: [{ role: 'user', content: 'Hello' }] };
    try { ${script} } catch (error) { return JSON.parse(JSON.stringify({ name: error.constructor.name, status: error.status, code: error.code })); }
  })()`);
}

test('a page of an allowed origin gets a whole answer, with the headers that clients read', () =>
  browser.visit({ origin, otherOrigins: [open.url] }, async (page) => {
    const got = await inPage(
      page,
      open,
      `const { data, response } = await client.chat.completions.create(ask).withResponse();
       return { text: data.choices[0].message.content, id: response.headers.get('x-request-id') };`,
    );
    const { text, id } = got as Record<string, string>;
    assert.match(text ?? JSON.stringify(got), /You wrote: "Hello"/);
    assert.match(id ?? '', /^req_/);
  }));

test('a page of an allowed origin gets a stream', () =>
  browser.visit({ origin, otherOrigins: [open.url] }, async (page) => {
    const text = await inPage(
      page,
      open,
      `let text = '';
       for await (const { choices } of await client.chat.completions.create({ ...ask, stream: true }))
         text += choices[0]?.delta.content ?? '';
       return text;`,
    );
    assert.match(typeof text === 'string' ? text : JSON.stringify(text), /You wrote: "Hello"/);
  }));

test('a page of an allowed origin makes an image and reads its file', () =>
  browser.visit({ origin, otherOrigins: [open.url] }, async (page) => {
    const type = await inPage(
      page,
      open,
      `const { data } = await client.images.generate({ model: 'sim-image', prompt: 'A gate', size: '1024x1024' });
       return (await (await fetch(data[0].url)).blob()).type;`,
    );
    assert.equal(type, 'image/png');
  }));

test('a page of an allowed origin reads why it was refused', () =>
  browser.visit({ origin, otherOrigins: [open.url], expectAnswers: [401] }, async (page) => {
    const got = await inPage(page, { ...open, key: 'sk-tg-unknown' }, `return await client.models.list();`);
    assert.deepEqual(got, { name: 'AuthenticationError', status: 401, code: 'invalid_api_key' });
  }));

test('a page of another origin is refused by the browser, and its call is never made', () =>
  browser.visit({ origin, otherOrigins: [closed.url], expectBrokenRequests: true }, async (page) => {
    const unspent = await closed.money();
    for (const call of ['client.chat.completions.create(ask)', 'client.models.list()'])
      assert.deepEqual(await inPage(page, closed, `return await ${call};`), { name: 'APIConnectionError' });
    assert.deepEqual(await closed.money(), unspent);
    const entries = await closed.get('/v1/account/ledger?type=hold');
    assert.deepEqual(entries.body['data'], []);
  }));
