/** The pages about money, as people see them: what is called elsewhere shows here without reloading, and it adds up. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { exactMoneyText, moneyText } from '../../../console/src/parts/money-text.ts';
import type { AccountId } from '../../../src/domain/ids.ts';
import { micros } from '../../../src/domain/money.ts';
import { browser } from '../../support/browser.ts';
import { assertNoSidewaysScroll, audited } from '../../support/browser/accessibility.ts';
import { screenshotOf } from '../../support/browser/traces.ts';
import { expectAnswers } from '../../support/browser/watch.ts';
import { moveTo, openAs } from '../../support/console.ts';
import { bearer, startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { newPerson, password } from '../../support/people.ts';

let gateway: TestGateway;
before(async () => (gateway = await startTestGateway()));
after(() => gateway.stop());

interface Customer {
  account: AccountId;
  key: string;
  email: string;
  path: (page: string) => string;
}

async function customer(balance: string): Promise<Customer> {
  const { account, key } = await gateway.newKey({ balance, name: 'web <b>shop</b>' });
  const { email } = await newPerson(gateway, { memberships: [{ account, role: 'owner' }] });
  return { account, key, email, path: (page) => `/console/${account}/${page}` };
}

/** A chat call through the public API; returns what it cost. */
async function call({ key }: Customer): Promise<number> {
  const { status } = await gateway.post(
    '/v1/chat/completions',
    { model: 'sim-chat', messages: [{ role: 'user', content: 'How long is a toll road?' }] },
    bearer(key),
  );
  assert.equal(status, 200);
  const { body } = await gateway.get('/v1/account/ledger?type=capture&limit=1', bearer(key));
  return Number((body['data'] as { charged: number }[])[0]?.charged);
}

const figure = (page: Page, label: string) => page.locator('dl', { has: page.getByText(label, { exact: true }) });
const form = { locale: 'en-US', currency: 'CNY' };
const amountText = (money: number) => moneyText(money, form);
const rounded = (money: number) => Math.round(money * 1e6) / 1e6;
/** The lines of a file that a click downloads. */
async function downloaded(page: Page, name: string | RegExp): Promise<string[]> {
  const coming = page.waitForEvent('download');
  await page.getByRole('link', { name }).click();
  const download = await coming;
  assert.match(download.suggestedFilename(), /^tollgate-.*\.csv$/);
  return (await readFile(await download.path(), 'utf8')).trimEnd().split('\r\n');
}

test('a call made elsewhere changes balance, spend and ledger without reloading; so does an operator’s credit', async () => {
  const one = await customer('10');
  await browser.visit({ origin: gateway.url }, async (page) => {
    await openAs(page, { url: gateway.url, email: one.email, password }, one.path('overview'));
    await page.getByRole('heading', { name: 'First steps' }).waitFor();
    await audited(page);
    await screenshotOf(page, 'overview-first-steps-en');
    const cost = await call(one);
    const left = rounded(10 - cost);
    await figure(page, 'Balance').getByText(amountText(left), { exact: true }).waitFor();
    const spent = figure(page, 'Spent today').getByText(amountText(cost), { exact: true });
    assert.equal(await spent.getAttribute('title'), exactMoneyText(cost, form));
    await figure(page, 'Spent this month').getByText('1 call charged').waitFor();
    await page.getByRole('heading', { name: 'Spend by model' }).waitFor();
    await page.locator('.tg-bar').first().waitFor({ state: 'attached' });
    await page.getByText('Show as a table').click();
    await page.getByRole('table').getByText(amountText(cost)).first().waitFor();

    await page.goto(one.path('ledger'));
    const rows = page.getByRole('table').getByRole('row');
    await page.getByText(`-${amountText(cost)}`).waitFor();
    assert.deepEqual(await rows.getByRole('button').allTextContents(), ['sim-chat', 'Top-up']);
    await audited(page);
    await page.getByRole('button', { name: /Details of sim-chat/ }).click();
    await page.getByRole('dialog').getByRole('heading', { name: 'Cost breakdown' }).first().waitFor();
    const entries = await page.getByRole('dialog').getByRole('heading', { level: 3 }).allTextContents();
    assert.deepEqual(
      entries.filter((name) => name !== 'Cost breakdown'),
      ['Hold', 'Charge', 'Release'],
    );
    await audited(page);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByText('All entries').click();
    await rows.nth(4).waitFor();
    const types = (await rows.getByRole('button').allTextContents()).join();
    assert.equal(types, 'Release,Charge,Hold,Top-up');
    await gateway.core.ledger.credit(one.account, micros(2_500_000n), 'invoice 7 <i>paid</i>');
    await page.getByText('invoice 7 <i>paid</i>').waitFor();
    await page.getByText('+¥2.50').waitFor();
    await audited(page);

    await page.getByRole('button', { name: /Details of Charge/ }).click();
    const drawer = page.getByRole('dialog');
    await drawer.getByText('Output tokens').waitFor();
    await drawer.getByText('web <b>shop</b>').waitFor();
    await drawer.getByText('provider', { exact: true }).waitFor();
    await audited(page);
    await screenshotOf(page, 'ledger-entry-en');
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });

    const lines = await downloaded(page, /Download CSV/);
    assert.match(lines[0] ?? '', /^\uFEFFtime,id,object,created,type,amount,balance,charged,task_id,request_id,/);
    assert.equal(lines.length, 6);
  });
});

test('filters and ranges stand in the address, and what is wrong there is reported', async () => {
  const one = await customer('10');
  const cost = await call(one);
  await browser.visit({ origin: gateway.url }, async (page) => {
    await openAs(page, { url: gateway.url, email: one.email, password }, one.path('ledger?type=credit'));
    await page
      .getByRole('table')
      .getByRole('button', { name: /Top-up/ })
      .waitFor();
    assert.equal(await page.getByRole('table').getByRole('row').count(), 2);
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByRole('table').getByRole('row').nth(2).waitFor();
    assert.equal(new URL(page.url()).search, '');
    await page.goto(one.path('ledger?model=sim-chat'));
    await page.getByText(`Total: charged ${amountText(cost)}`).waitFor();
    await page.getByRole('button', { name: 'More filters' }).click();
    await page.getByLabel('Task, request or batch ID').fill('a b');
    await page.getByText('An ID can only contain letters, digits').waitFor();
    await page.getByLabel('Task, request or batch ID').fill('req_none');
    await page.getByLabel('Task, request or batch ID').press('Enter');
    await page.getByText('No matching entries').waitFor();
    assert.match(page.url(), /id=req_none/);

    await page.goto(one.path('usage'));
    await figure(page, 'Cost').getByText(amountText(cost), { exact: true }).waitFor();
    await page.goto(one.path('usage?range=custom&from=2026-02-02&to=2026-02-01'));
    await page.getByText('The end date must not be before the start date').waitFor();
    await page.goto(one.path('usage?range=custom&from=2024-02-01&to=2024-02-02'));
    await page.getByText('No usage in this period').waitFor();
  });
});

test('a statement adds up on the page and in its file, and is printed by itself', async () => {
  const one = await customer('10');
  await call(one);
  await gateway.core.ledger.adjust(one.account, micros(-1_000_001n), 'a correction');
  await browser.visit({ origin: gateway.url }, async (page) => {
    await openAs(page, { url: gateway.url, email: one.email, password }, one.path('statement'));
    const sums = page.getByRole('table').first();
    await sums.getByText('Closing balance').waitFor();
    const amountOf = async (line: string) => {
      const text = await sums
        .getByRole('row', { name: new RegExp(`^${line}`) })
        .getByRole('cell')
        .last()
        .innerText();
      return rounded(Number(text.replace(/[¥,+]/g, '')));
    };
    const [opening, topUps, adjustments, charges, closing, free, held] = [
      await amountOf('Opening balance'),
      await amountOf('Top-ups'),
      await amountOf('Adjustments'),
      await amountOf('Charges'),
      await amountOf('Closing balance'),
      await amountOf('Available'),
      await amountOf('On hold'),
    ];
    assert.deepEqual([opening, topUps, adjustments], [0, 10, -1.000001]);
    assert.ok(charges < 0);
    assert.equal(rounded(opening + topUps + adjustments + charges), closing);
    assert.equal(rounded(free + held), closing);
    await audited(page);
    const lines = await downloaded(page, /Download CSV/);
    assert.match(lines[0] ?? '', /^\uFEFFline,model,count,/);
    assert.match(lines.find((line) => line.startsWith('closing_balance')) ?? '', new RegExp(`,${closing},CNY$`));
    await page.emulateMedia({ media: 'print' });
    assert.equal(await page.getByRole('navigation').first().isVisible(), false);
    assert.equal(await page.getByRole('heading', { level: 2 }).isVisible(), true);
    await screenshotOf(page, 'statement-print');
    await page.emulateMedia({ media: 'screen' });
    expectAnswers(page, { status: 400, path: `/console/api/accounts/${one.account}/statement` });
    await page.goto(one.path('statement?month=2999-01'));
    await page.getByText('There is no statement for this month').waitFor();
    await page.getByRole('button', { name: 'This month' }).click();
    await sums.getByText('Closing balance').waitFor();
  });
});

test('all of it in Chinese, in the dark, on a phone', async () => {
  const { account, path } = await customer('10');
  const { key } = await gateway.newKeyOf(account);
  const { email } = await newPerson(gateway, { memberships: [{ account, role: 'member' }] });
  for (let count = 0; count < 3; count++) await call({ account, key, email, path });
  const image = { model: 'sim-image', prompt: '[sim:fail=the brush broke]', size: '1024x1024' };
  const { body } = await gateway.post('/v1/images/generations', image, { ...bearer(key), Prefer: 'wait=0' });
  await gateway.finished(`/v1/images/generations/${String(body['id'])}`, key);
  const look = { locale: 'zh-CN', colorScheme: 'dark', screen: 'phone' } as const;
  await browser.visit({ origin: gateway.url, ...look }, async (page) => {
    await openAs(page, { url: gateway.url, email, password }, path('keys'));
    for (const [name, heading, sign] of [
      ['overview', '概览', '最近的失败'],
      ['usage', '用量', '按日期的费用'],
      ['ledger', '资金明细', '净额'],
      ['statement', '对账单', '期末余额'],
    ] as const) {
      await moveTo(page, path(name));
      await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
      await page.getByText(sign).first().waitFor();
      await audited(page);
      await assertNoSidewaysScroll(page);
    }
    await page.goto(path('overview'));
    await page.getByText('详情').first().click();
    await page.getByText('the brush broke').waitFor();
    await page.getByRole('link', { name: '图片 · sim-image' }).click();
    await page.waitForURL(/\/tasks\/img_/);
  });
});
