/** The browser that judges the console is judged itself: each of its watches lets a good page pass and can fail. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { access, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { browserWith, type TestBrowser, type VisitOptions } from '../../support/browser.ts';
import { assertNoSidewaysScroll, audited } from '../../support/browser/accessibility.ts';
import { firstLoad } from '../../support/browser/first-load.ts';
import { decodedSize, playsFrames } from '../../support/browser/playing.ts';
import { screenshotOf } from '../../support/browser/traces.ts';
import { expectAnswers } from '../../support/browser/watch.ts';
import { signIn } from '../../support/console.ts';
import { mp4, png } from '../../support/media.ts';

const policy = "default-src 'self'; script-src 'self'; img-src 'self' data: blob: http:; connect-src 'self' http: ws:";
const scriptBytes = 60_000;

/** A page as the console's are, with something in its body. */
const html = (body: string, language = 'en') =>
  `<!doctype html><html lang="${language}"><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
  `<title>A page</title><link rel="icon" href="data:,"><main><h1>A page</h1>${body}</main></html>`;

const signInPage = (language: 'en' | 'zh') => {
  const [email, password, button] = language === 'en' ? ['E-mail', 'Password', 'Sign in'] : ['邮箱', '密码', '登 录'];
  return html(
    `<form><label>${email} <input type="email"></label> <label>${password} <input type="password"></label>` +
      `<button>${button}</button></form><script src="/sign-in.js"></script>`,
    language,
  );
};

interface ServedFile {
  type: string;
  bytes: Buffer | string;
  status?: number;
  location?: string;
}

let browser: TestBrowser;
let tracesBelow: string;
const said: string[] = [];
let server: Server;
let elsewhere: Server;
let origin: string;
let foreign: string;
const files = new Map<string, ServedFile>();
const askedElsewhere: string[] = [];

before(async () => {
  elsewhere = createServer((request, response) => {
    askedElsewhere.push(request.url ?? '');
    response.end();
  });
  foreign = await listening(elsewhere);
  server = createServer((request, response) => {
    const { type, bytes, status = 200, location } = files.get(request.url ?? '') ?? missing;
    const isPacked = type !== 'video/mp4' && bytes.length > 1_000;
    response.writeHead(status, {
      'Content-Type': type,
      'Content-Security-Policy': policy,
      ...(isPacked && { 'Content-Encoding': 'gzip' }),
      ...(location !== undefined && { Location: location }),
    });
    response.end(isPacked ? gzipSync(bytes) : bytes);
  });
  origin = await listening(server);
  file('/good', html('<p>Nothing wrong. 没有问题。</p><img alt="Colours" src="/image.png">'));
  file('/image.png', await png({ width: 64, height: 48 }), 'image/png');
  tracesBelow = await mkdtemp(join(tmpdir(), 'tollgate-traces-'));
  browser = browserWith({ tracesBelow, say: (line) => void said.push(line) });
});
after(async () => {
  await rm(tracesBelow, { recursive: true });
  for (const one of [server, elsewhere]) {
    one.closeAllConnections();
    one.close();
  }
});

const missing: ServedFile = { type: 'text/plain', bytes: 'not here', status: 404 };

const file = (path: string, bytes: Buffer | string, type = 'text/html') => void files.set(path, { type, bytes });

async function listening(one: Server): Promise<string> {
  await new Promise<void>((resolve) => one.listen(0, '127.0.0.1', resolve));
  const address = one.address();
  assert(address !== null && typeof address === 'object');
  return `http://127.0.0.1:${address.port}`;
}

/** Opens a page with a body and a script of its own. */
async function shown(page: Page, body: string, script = ''): Promise<void> {
  file('/shown.js', script, 'text/javascript');
  file('/shown', html(`${body}<script src="/shown.js"></script>`));
  await page.goto('/shown', { waitUntil: 'networkidle' });
}

const visit = (work: (page: Page) => Promise<void>, options: Partial<VisitOptions> = {}) =>
  browser.visit({ origin, ...options }, work);

describe('what a page must not do fails its visit', () => {
  for (const [name, body, script, complaint] of [
    [
      'loads an image of another origin',
      () => `<img alt="" src="${foreign}/pixel">`,
      '',
      /left the origin: GET .*pixel/,
    ],
    ['fetches from another origin', '', () => `fetch('${foreign}/data').catch(() => 0)`, /left the origin: .*data/],
    ['is sent on to another origin', '<img alt="" src="/away">', '', /left the origin: GET .*sent-on/],
    [
      'opens a socket to another origin',
      '',
      () => `new WebSocket('${foreign.replace('http', 'ws')}/socket')`,
      /left the origin: ws:.*socket/,
    ],
    ['logs an error', '', `console.error('it broke')`, /console error: it broke/],
    ['logs a warning', '', `console.warn('old style')`, /console warning: old style/],
    ['throws', '', `setTimeout(() => { throw new Error('uncaught') })`, /page error: Error: uncaught/],
    ['rejects', '', `Promise.reject(new Error('unheard'))`, /page error: Error: unheard/],
    ['has an inline script', '<script>1</script>', '', /Content-Security-Policy: script-src-elem forbids inline/],
    ['asks for what is missing', '<img alt="" src="/none.png">', '', /answer 404: GET .*none\.png/],
  ] as const)
    test(`a page that ${name}`, async () => {
      files.set('/away', { type: 'text/plain', bytes: '', status: 302, location: `${foreign}/sent-on` });
      const text = (part: string | (() => string)) => (typeof part === 'string' ? part : part());
      await assert.rejects(
        visit((page) => shown(page, text(body), text(script))),
        complaint,
      );
    });

  test('a page whose server breaks off, unless the test expects it', async () => {
    const stopped = createServer((request) => request.socket.destroy());
    const gone = await listening(stopped);
    const open = (options: Partial<VisitOptions>) =>
      visit((page) => assert.rejects(page.goto('/')), { origin: gone, ...options });
    await assert.rejects(open({}), /request failed: GET .*ERR_EMPTY_RESPONSE/);
    await open({ expectBrokenRequests: true });
    stopped.close();
  });

  test('nothing reaches another origin', () => {
    assert.deepEqual(askedElsewhere, []);
  });
});

test('a visit that fails leaves what every tab showed and said, and says where', async () => {
  const failing = visit(async (page) => {
    await shown(page, '', `console.info('the last words')`);
    await (await page.context().newPage()).goto('/good');
    throw new Error('of the test itself');
  });
  await assert.rejects(failing, /of the test itself/);
  const folder = said.at(-1)!.slice(said.at(-1)!.indexOf(tracesBelow));
  assert.deepEqual((await readdir(folder)).sort(), [
    'console.log',
    'page-1.html',
    'page-1.png',
    'page-2.html',
    'page-2.png',
  ]);
  assert.match(await readFile(join(folder, 'console.log'), 'utf8'), /info: the last words\n.*page-1: .*\/shown\n/);
});

describe('what a page may do', () => {
  test('a page without fault passes, in a profile of the language, colours and time asked for', async () => {
    const look = `[navigator.language, matchMedia('(prefers-color-scheme: dark)').matches, innerWidth,
      Intl.DateTimeFormat().resolvedOptions().timeZone].join()`;
    await visit(async (page) => {
      await page.goto('/good');
      assert.equal(await page.evaluate(look), 'en-US,false,1280,Asia/Shanghai');
      await audited(page);
      await assertNoSidewaysScroll(page);
      assert.deepEqual(await decodedSize(page.getByRole('img')), { width: 64, height: 48 });
    });
    const other = { locale: 'zh-CN', colorScheme: 'dark', screen: 'phone', timezone: 'UTC' } as const;
    await visit(async (page) => {
      await page.goto('/good');
      assert.equal(await page.evaluate(look), 'zh-CN,true,375,UTC');
      await assertNoSidewaysScroll(page);
    }, other);
  });

  test('answers of 4xx pass where the test expects them, by status, by path, or from now on', async () => {
    const asking = (page: Page) => shown(page, '<img alt="" src="/none.png">');
    await visit(asking, { expectAnswers: [404] });
    await visit(asking, { expectAnswers: [{ status: 404, path: '/none.png' }] });
    await visit(async (page) => {
      expectAnswers(page, 404);
      await asking(page);
    });
    await assert.rejects(visit(asking, { expectAnswers: [401, { status: 404, path: '/other.png' }] }), /answer 404/);
  });

  test('every visit has a profile of its own', async () => {
    const stored = `localStorage.getItem('name')`;
    await visit(async (page) => {
      await page.goto('/good');
      await page.evaluate(`localStorage.setItem('name', 'first')`);
      const tab = await page.context().newPage();
      await tab.goto('/good');
      assert.equal(await tab.evaluate(stored), 'first');
    });
    await visit(async (page) => {
      await page.goto('/good');
      assert.equal(await page.evaluate(stored), null);
    });
  });
});

test('the accessibility check names what a person cannot use', async () => {
  await visit(async (page) => {
    await shown(page, '<input><p id="pale"></p>', `document.querySelector('#pale').append('Pale')`);
    await assert.rejects(audited(page), /critical: Form elements must have labels \(label\), 1 times\s+input: <input>/);
    await page.evaluate(`document.querySelector('#pale').style.color = '#bbb'`);
    await assert.rejects(audited(page), /serious: .*color-contrast/);
  });
});

test('a page that is wider than the phone is reported with what sticks out', async () => {
  await visit(
    async (page) => {
      await shown(page, '<table id="wide"><tr><td><canvas width="500"></canvas></table>');
      await assert.rejects(assertNoSidewaysScroll(page), /px wide on a screen of 375 px:\s+- <table id="wide">/);
    },
    { screen: 'phone' },
  );
});

test("a video of the simulator's plays, a broken one does not; a broken image isn't decoded", async () => {
  file('/video.mp4', await mp4({ seconds: 1 }), 'video/mp4');
  file('/broken.mp4', randomBytes(2_000), 'video/mp4');
  file('/broken.png', 'no image', 'image/png');
  await visit(async (page) => {
    await shown(page, '<video src="/video.mp4"></video><img alt="Broken" src="/broken.png">');
    assert.deepEqual(await playsFrames(page.locator('video')), { width: 640, height: 360 });
    await assert.rejects(decodedSize(page.getByRole('img')), /the image is broken/);
    await shown(page, '<video src="/broken.mp4"></video>');
    await assert.rejects(playsFrames(page.locator('video')), /does not play/);
  });
});

test('a first load is counted as it came over the network, with what the page asked for until it was ready', async () => {
  const script = `//${randomBytes(scriptBytes / 2).toString('hex')}\nfetch('/late').then(() => document.body.append('Ready'))`;
  file('/large.js', script, 'text/javascript');
  file('/late', randomBytes(5_000).toString('base64'), 'text/plain');
  file('/large', html('<script src="/large.js"></script>'));
  await visit(async (page) => {
    const { bytes, files: loaded } = await firstLoad(page, '/large', () => page.getByText('Ready').waitFor());
    const names = loaded.map(({ url }) => new URL(url).pathname);
    assert.deepEqual(names, ['/large.js', '/late', '/large']);
    const packed = gzipSync(script).length;
    assert(loaded[0]!.bytes >= packed && loaded[0]!.bytes < packed + 1_000, `${loaded[0]!.bytes} for ${packed}`);
    assert.equal(
      bytes,
      loaded.reduce((sum, { bytes: one }) => sum + one, 0),
    );
  });
});

for (const [locale, language] of [
  ['en-US', 'en'],
  ['zh-CN', 'zh'],
] as const)
  test(`a person signs in by the form in ${locale}`, async () => {
    file('/console/sign-in', signInPage(language));
    file(
      '/sign-in.js',
      `fetch('/console/api/session');
      document.querySelector('form').addEventListener('submit', (event) => {
        event.preventDefault();
        const typed = [...document.querySelectorAll('input')].map(({ value }) => value).join(' ');
        document.querySelector('main').insertAdjacentHTML('beforebegin', '<header>' + typed + '</header>');
        history.pushState(null, '', '/console/acc_1/overview');
      });`,
      'text/javascript',
    );
    files.set('/console/api/session', { type: 'application/json', bytes: '{}', status: 401 });
    await visit(
      async (page) => {
        await signIn(page, { url: origin, email: 'person@example.com', password: 'a long password' });
        assert.equal(await page.locator('header').textContent(), 'person@example.com a long password');
      },
      { locale },
    );
  });

test('a run of the tests writes no screenshot unless it is asked to', async () => {
  delete process.env['TOLLGATE_SCREENSHOTS']; // of this process alone
  await visit(async (page) => {
    await page.goto('/good');
    await screenshotOf(page, 'of-a-test');
    await assert.rejects(screenshotOf(page, '../escaped'), /no name/);
  });
  await assert.rejects(access('docs/console/of-a-test.png'));
});
