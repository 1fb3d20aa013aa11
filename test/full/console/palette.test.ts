/** The palette in a browser: any page and any id is reached by the keyboard alone. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { browser, type VisitOptions } from '../../support/browser.ts';
import { assertNoSidewaysScroll, audited } from '../../support/browser/accessibility.ts';
import { screenshotOf } from '../../support/browser/traces.ts';
import { openAs } from '../../support/console.ts';
import { bearer, startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { newPerson, password } from '../../support/people.ts';

let gateway: TestGateway;
before(async () => (gateway = await startTestGateway()));
after(() => gateway.stop());

async function visit(
  { isOperator = false, ...options }: Omit<VisitOptions, 'origin'> & { isOperator?: boolean },
  work: (page: Page, of: { account: string; key: string; keyId: string }) => Promise<void>,
) {
  const { account, key, keyId } = await gateway.newKey({ balance: '10', name: 'till' });
  const { email } = await newPerson(gateway, { memberships: [{ account, role: 'owner' }], isOperator });
  await browser.visit({ ...options, origin: gateway.url }, async (page) => {
    await openAs(page, { url: gateway.url, email, password }, '/console');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await work(page, { account, key, keyId });
  });
}

const palette = (page: Page) => page.getByRole('dialog', { name: 'Go to' });

/** Opens the palette, types or pastes the text, and opens what it means. */
async function goTo(page: Page, text: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await palette(page).getByRole('combobox').fill(text);
  await page.keyboard.press('Enter');
  await palette(page).waitFor({ state: 'detached' });
}

test('pages are chosen with arrow keys, Escape gives the focus back, and the heading of the new page has it', () =>
  visit({}, async (page, { account }) => {
    await page.getByRole('link', { name: 'Usage' }).focus();
    await page.keyboard.press('Meta+k');
    const options = palette(page).getByRole('option');
    await options.first().waitFor();
    assert.equal(await options.filter({ hasText: 'Operator' }).count(), 0);
    await audited(page);
    await screenshotOf(page, 'palette-en');
    await page.keyboard.press('Escape');
    await palette(page).waitFor({ state: 'detached' });
    await page.locator('a:focus', { hasText: 'Usage' }).waitFor();

    await page.keyboard.press('Control+k');
    await palette(page).getByRole('combobox').fill('playground');
    await palette(page).getByRole('option', { name: 'Playground: Image' }).waitFor();
    const chosen = palette(page).getByRole('option', { selected: true });
    const first = await chosen.innerText();
    await page.keyboard.press('ArrowDown');
    assert.notEqual(await chosen.innerText(), first);
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    assert.match(await chosen.innerText(), /^Playground: Transcription/);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/console/${account}/playground/transcription`);
    await page.locator('h1:focus').waitFor();
  }));

test('what is pasted is found: a task, a request, an entry of the ledger, and a key by its name', () =>
  visit({}, async (page, { account, key, keyId }) => {
    const { body } = await gateway.post(
      '/v1/images/generations',
      { model: 'sim-image', prompt: 'A toll' },
      bearer(key),
    );
    const task = String(body['id']);
    await goTo(page, ` ${task} `);
    await page.waitForURL(`**/console/${account}/tasks/${task}`);
    const { body: ledger } = await gateway.get(`/v1/account/ledger?task_id=${task}&type=capture`, bearer(key));
    const [entry] = ledger['data'] as { id: string; request_id: string }[];
    await goTo(page, entry?.id ?? '');
    await page.waitForURL(`**/console/${account}/ledger?id=${task}`);
    await page.getByRole('row', { name: /sim-image/ }).waitFor();
    const refused = await gateway.post('/v1/chat/completions', { model: 'none', messages: [] }, bearer(key));
    const request = refused.headers.get('x-request-id') ?? '';
    await goTo(page, request);
    await page.waitForURL(`**/console/${account}/requests?request=${request}`);
    await page.getByRole('dialog', { name: 'Request' }).getByText(request).waitFor();
    await page.keyboard.press('Escape');
    await goTo(page, 'till');
    await page.waitForURL(`**/console/${account}/keys/${keyId}`);
    await page.keyboard.press('Control+k');
    await palette(page).getByRole('combobox').fill('nothing is called that');
    await palette(page).getByText('No page, ID or name matches.').waitFor();
    await audited(page);
  }));

test('an operator reaches any account, in Chinese, on a phone and in the dark by the button', () =>
  visit({ isOperator: true, locale: 'zh-CN', colorScheme: 'dark', screen: 'phone' }, async (page) => {
    const { account } = await gateway.newKey({ balance: '10' });
    await page.getByRole('button', { name: '搜索或跳转' }).click();
    const dialog = page.getByRole('dialog', { name: '跳转到' });
    await dialog.getByRole('option', { name: '供应商对账' }).waitFor();
    await audited(page);
    await assertNoSidewaysScroll(page);
    await dialog.getByRole('combobox').fill(account);
    await dialog.getByRole('option', { name: /账户/ }).first().click();
    await page.waitForURL(`**/console/${account}/overview`);
  }));
