/** The account's settings and audit log in a real browser: the time zone that is set there is that of all its pages. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { browser, type VisitOptions } from '../../support/browser.ts';
import { assertNoSidewaysScroll, audited } from '../../support/browser/accessibility.ts';
import { moveTo, startSession } from '../../support/console.ts';
import { bearer, startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { newPerson, password } from '../../support/people.ts';
import { dayIn } from '../../../src/domain/time-zone.ts';

let gateway: TestGateway;
before(async () => (gateway = await startTestGateway()));
after(() => gateway.stop());

async function visit(
  { role = 'owner', ...options }: Omit<VisitOptions, 'origin'> & { role?: 'owner' | 'member' },
  work: (page: Page, account: string) => Promise<void>,
): Promise<void> {
  const { account, key } = await gateway.newKey({ balance: '10', name: '店铺' });
  const { email } = await newPerson(gateway, { memberships: [{ account, role }] });
  const body = { model: 'sim-chat', messages: [{ role: 'user', content: 'Hello' }] };
  await gateway.post('/v1/chat/completions', body, bearer(key));
  await browser.visit({ ...options, origin: gateway.url }, async (page) => {
    await startSession(page, { url: gateway.url, email, password });
    await work(page, account);
  });
}

async function choose(page: Page, label: string, option: string) {
  await page.getByRole('combobox', { name: label }).click();
  await page.locator('.ant-select-item-option:visible', { hasText: option }).first().click();
}

test("an owner sets the account's zone and name, and all its pages are in that zone", () =>
  visit({}, async (page, account) => {
    await page.goto(`/console/${account}/settings`);
    await page.getByLabel('Name').fill('书店');
    const zone = page.getByRole('combobox', { name: 'Time zone' });
    await zone.fill('Kiritimati');
    await page.locator('.ant-select-item-option:visible', { hasText: 'Pacific/Kiritimati' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    await page.getByText('书店').first().waitFor();
    await page.getByText('30 days').waitFor();
    await audited(page);
    for (const path of ['overview', 'usage', 'ledger', 'statement', 'requests', 'tasks']) {
      await moveTo(page, `/console/${account}/${path}`);
      await page.getByText('in Pacific/Kiritimati').first().waitFor();
    }
    await page.goto(`/console/${account}/ledger`);
    await choose(page, 'Range', 'Today');
    const today = dayIn('Pacific/Kiritimati', new Date());
    await page.waitForURL(new RegExp(`from=${today}&to=${today}`));
    await page.getByRole('table', { name: 'Ledger' }).locator('tbody tr').nth(1).waitFor();
    await choose(page, 'Range', 'Yesterday');
    await page.getByText('No matching entries').waitFor();
    await page.goto(`/console/${account}/usage?group=day`);
    const rows = page.getByRole('table', { name: 'Cost by Day' }).last().locator('tbody tr');
    await rows.first().waitFor();
    const shown = new Intl.DateTimeFormat('en-US', { timeZone: 'UTC', dateStyle: 'medium' }).format(new Date(today));
    assert.match(await rows.first().innerText(), new RegExp(shown));
  }));

test('an owner sees in the audit log who changed what, filters it, and has it as a file', () =>
  visit({}, async (page, account) => {
    await page.goto(`/console/${account}/settings`);
    await page.getByLabel('Low-balance alert').fill('2');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    await page.goto(`/console/${account}/acts`);
    const rows = page.getByRole('table', { name: 'Audit log' }).locator('tbody tr');
    await rows.filter({ hasText: 'Account changed' }).first().waitFor();
    await choose(page, 'Action', 'Account changed');
    await page.waitForURL(/action=account.changed/);
    await rows.filter({ hasText: 'Key created' }).waitFor({ state: 'detached' });
    assert.equal(await rows.count(), 1);
    await audited(page);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download CSV' }).click(),
    ]);
    const lines = (await readFile(await download.path(), 'utf8')).trim().split('\r\n');
    assert.equal(lines.length, 2);
    assert.match(lines[1] ?? '', /account\.changed/);
  }));

test('a member reads the settings, and no audit log; on a phone, in Chinese and in the dark both fit', () =>
  visit({ role: 'member', locale: 'zh-CN', colorScheme: 'dark', screen: 'phone' }, async (page, account) => {
    await page.goto(`/console/${account}/settings`);
    await page.getByText('只有账户所有者可以修改这些设置。').waitFor();
    await page.getByText('30 天').waitFor();
    await audited(page);
    await assertNoSidewaysScroll(page);
    await page.goto(`/console/${account}/acts`);
    await page.getByText('只有账户所有者可以查看审计日志。').waitFor();
    await audited(page);
    await assertNoSidewaysScroll(page);
  }));
