/** What the console costs who opens it, over the wire: pages bring their own code, and nothing that is shown later. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { browser } from '../../support/browser.ts';
import { type FirstLoad, firstLoad } from '../../support/browser/first-load.ts';
import { expectAnswers } from '../../support/browser/watch.ts';
import { signIn, startSession } from '../../support/console.ts';
import { bearer, startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { newPerson, password } from '../../support/people.ts';

/** Page, code, styles and data, compressed as they came. The page to sign in has antd's form, the overview has none. */
const bytesMax = { signIn: 265_000, overview: 240_000 };

let gateway: TestGateway;
before(async () => (gateway = await startTestGateway()));
after(() => gateway.stop());

for (const locale of ['en-US', 'zh-CN'] as const) {
  test(`the sign-in page is less than 265 kB over the wire in ${locale}`, () =>
    browser.visit({ origin: gateway.url, locale }, async (page) => {
      expectAnswers(page, { status: 401, path: '/console/api/session' });
      const load = await firstLoad(page, '/console/sign-in', (loaded) =>
        loaded.getByRole('button', { name: /^(Sign in|登录)$/ }).waitFor(),
      );
      assertLight(load, bytesMax.signIn);
    }));

  test(`an owner's overview with its chart is less than 240 kB over the wire in ${locale}`, () =>
    browser.visit({ origin: gateway.url, locale }, async (page) => {
      const { account, key } = await gateway.newKey({ balance: '10' });
      const { email } = await newPerson(gateway, { memberships: [{ account, role: 'owner' }] });
      const body = { model: 'sim-chat', messages: [{ role: 'user', content: 'Hello' }] };
      assert.equal((await gateway.post('/v1/chat/completions', body, bearer(key))).status, 200);
      await startSession(page, { url: gateway.url, email, password });
      const load = await firstLoad(page, `/console/${account}/overview`, (loaded) =>
        loaded.locator('.tg-bar').first().waitFor(),
      );
      assertLight(load, bytesMax.overview);
    }));
}

test('the code of a page comes when the pointer reaches its link, that of a menu when it reaches its button', () =>
  browser.visit({ origin: gateway.url }, async (page) => {
    const { email } = await newPerson(gateway);
    await signIn(page, { url: gateway.url, email, password });
    const asked = (name: string) =>
      page.waitForResponse((response) => new URL(response.url()).pathname.startsWith(`/console/assets/${name}-`));
    const statement = asked('statement');
    await page.getByRole('link', { name: 'Statement' }).hover();
    await statement;
    const menu = asked('open-menu');
    await page.getByRole('button', { name: 'Theme' }).hover();
    await menu;
    await page.getByRole('button', { name: 'Theme' }).press('Enter');
    await page.getByRole('menuitem', { name: 'Dark' }).click();
    await page.locator('html[data-scheme=dark]').waitFor();
  }));

function assertLight({ bytes, files }: FirstLoad, most: number): void {
  assert.ok(bytes < most, `${bytes} bytes\n${files.map((file) => `${file.url}: ${file.bytes}`).join('\n')}`);
}
