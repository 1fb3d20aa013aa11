/** The pages of usage, of an account and of all, in a real browser: two dimensions, metrics, the file, and the way to requests. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { browser, type VisitOptions } from '../../support/browser.ts';
import { assertNoSidewaysScroll, audited } from '../../support/browser/accessibility.ts';
import { screenshotOf } from '../../support/browser/traces.ts';
import { startSession } from '../../support/console.ts';
import { bearer, startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { newPerson, password } from '../../support/people.ts';
import { until } from '../../support/process.ts';

let gateway: TestGateway;
before(async () => (gateway = await startTestGateway()));
after(() => gateway.stop());

/** An account with calls of two end users and two tags, one of them refused. */
async function visit(
  options: Omit<VisitOptions, 'origin'>,
  work: (page: Page, account: string) => Promise<void>,
): Promise<void> {
  const { account, key } = await gateway.newKey({ balance: '10', name: 'web <b>shop</b>' });
  const { email } = await newPerson(gateway, { memberships: [{ account, role: 'owner' }], isOperator: true });
  const call = (model: string, user: string, tag: string) =>
    gateway.post(
      '/v1/chat/completions',
      { model, user, messages: [{ role: 'user', content: 'Hello' }] },
      { ...bearer(key), 'X-Tollgate-Tag': tag },
    );
  await call('sim-chat', 'ann', 'search');
  await call('sim-code', 'ann', 'mail');
  await call('sim-chat', 'bob', 'search');
  await call('no-such-model', 'bob', 'search');
  await until('the records of all four', async () => ((await recordsOf(account)) === 4 ? true : undefined));
  await browser.visit({ ...options, origin: gateway.url }, async (page) => {
    await startSession(page, { url: gateway.url, email, password });
    await work(page, account);
  });
}

async function recordsOf(account: string): Promise<number> {
  const { rows } = await gateway.core.database.pool.query('select from requests where account_id = $1', [account]);
  return rows.length;
}

async function choose(page: Page, label: string, option: string) {
  await page.getByRole('combobox', { name: label }).click();
  await page.locator('.ant-select-item-option:visible', { hasText: option }).first().click();
}

const rowsOf = (page: Page, table: string) => page.getByRole('table', { name: table }).last().locator('tbody tr');

test('cost by end user and model, kept in the address and in the file; a cell leads to its requests', () =>
  visit({}, async (page, account) => {
    await page.goto(`/console/${account}/usage`);
    await page.getByRole('heading', { name: 'Cost by Day' }).waitFor();
    await audited(page);
    await choose(page, 'Group by', 'End user');
    await choose(page, 'Then by', 'Model');
    await page.getByRole('heading', { name: 'Cost by End user and Model' }).waitFor();
    assert.match(page.url(), /group=user.*by=model/);
    const rows = rowsOf(page, 'Cost by End user and Model');
    await rows.nth(1).waitFor();
    const users = await rows.locator('th').allInnerTexts();
    assert.deepEqual(users.toSorted(), ['ann', 'bob']);
    await audited(page);
    await screenshotOf(page, 'usage-two-en');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download CSV' }).click(),
    ]);
    const lines = (await readFile(await download.path(), 'utf8')).trimEnd().split('\r\n');
    assert.equal(lines[0], '\uFEFFuser,model,calls,input_tokens,output_tokens,images,seconds,tokens,cost,currency');
    assert.equal(lines.length, 4);
    await page.reload();
    await rows.filter({ hasText: 'bob' }).getByRole('link').last().click();
    await page.waitForURL(/requests\?.*user=bob&model=sim-chat/);
    const requests = page.getByRole('table', { name: 'Requests' }).locator('tbody tr');
    await requests.first().waitFor();
    assert.equal(await requests.count(), 1);
    assert.equal(await page.getByLabel('End user').inputValue(), 'bob');
    await audited(page);
  }));

test('errors by tag and latency by hour lead to the requests that they are of', () =>
  visit({}, async (page, account) => {
    await page.goto(`/console/${account}/usage?group=tag&metric=errors`);
    await page.getByRole('heading', { name: 'Errors by Tag' }).waitFor();
    const rows = rowsOf(page, 'Errors by Tag');
    assert.deepEqual((await rows.filter({ hasText: 'search' }).innerText()).split(/\s+/).slice(0, 3), [
      'search',
      '3',
      '1',
    ]);
    await audited(page);
    await page.getByRole('link', { name: 'search' }).click();
    await page.getByText('model_not_found').waitFor();
    assert.equal(await page.getByRole('table', { name: 'Requests' }).locator('tbody tr').count(), 1);
    await page.goto(`/console/${account}/usage?group=hour&by=key&metric=latency&range=days7`);
    await page.getByRole('heading', { name: 'Median latency by Hour and API key' }).waitFor();
    await audited(page);
    await rowsOf(page, 'Median latency by Hour and API key').first().getByRole('link').first().click();
    await page.getByRole('button', { name: /Only \d\d:00: show the whole day/ }).click();
    await page.getByRole('table', { name: 'Requests' }).locator('tbody tr').nth(1).waitFor();
    assert.doesNotMatch(page.url(), /hour=/);
    await page.goto(`/console/${account}/usage?group=hour&range=days90`);
    await page.getByText('or 31 days if you group by hour').waitFor();
  }));

/** Has the calls of this end user be of yesterday. */
const moveToYesterday = (account: string, user: string) =>
  gateway.core.database.pool.query(
    `update requests set created_at = created_at - interval '1 day' where account_id = $1 and end_user = $2 and status = 200`,
    [account, user],
  );

test('the period before stands beside each sum and row in percent, and in the chart and its table', () =>
  visit({}, async (page, account) => {
    await moveToYesterday(account, 'bob');
    await page.goto(`/console/${account}/usage?group=tag&metric=errors&range=today`);
    const rows = rowsOf(page, 'Errors by Tag');
    await rows.first().waitFor();
    assert.equal(await page.locator('.tg-change').count(), 0);
    await page.getByRole('switch', { name: 'Compare with the period before' }).click();
    await page.waitForURL(/compare=1/);
    await page.getByText(/^Compared with .*, up to this time of day\.$/).waitFor();
    const changes = async (row: string) =>
      Promise.all((await rows.filter({ hasText: row }).locator('.tg-change').all()).map((one) => one.innerText()));
    // A latency may happen to have doubled, too.
    await rows.filter({ hasText: 'search' }).getByText('+100%').first().waitFor();
    assert.deepEqual((await changes('search')).slice(0, 2), ['+100%', 'new']);
    assert.deepEqual((await changes('mail')).slice(0, 2), ['new', '–']);
    const tile = page.locator('.tg-figure', { hasText: 'Requests' });
    assert.match(await tile.innerText(), /3\s+\+200%/);
    await page.getByText('Show as a table').click();
    await page.getByRole('columnheader', { name: 'Period before' }).waitFor();
    await audited(page);
    await screenshotOf(page, 'usage-compared-names-en');
    await page.goto(`/console/${account}/usage?group=hour&metric=errors&range=today&compare=1`);
    await page.getByRole('list', { name: 'Colours' }).getByText('Period before').waitFor();
    await audited(page);
    await screenshotOf(page, 'usage-compared-en');
  }));

test('a view is saved under a name in this browser, opened, renamed and deleted', () =>
  visit({}, async (page, account) => {
    await page.goto(`/console/${account}/usage?group=tag&metric=errors&range=days7&compare=1`);
    await page.getByRole('heading', { name: 'Errors by Tag' }).waitFor();
    const open = page.getByRole('button', { name: 'Saved views' });
    await open.click();
    const drawer = page.getByRole('dialog', { name: 'Saved views' });
    await drawer.getByText('kept in this browser only').waitFor();
    await drawer.getByLabel('Name of the current view').fill('Errors <b>of</b> a week');
    await drawer.getByRole('button', { name: 'Save' }).click();
    await drawer.getByRole('button', { name: 'Errors <b>of</b> a week', exact: true }).waitFor();
    await audited(page);
    await page.keyboard.press('Escape');
    await page.goto(`/console/${account}/usage`);
    await page.getByRole('heading', { name: 'Cost by Day' }).waitFor();
    await open.click();
    await drawer.getByRole('button', { name: 'Errors <b>of</b> a week', exact: true }).click();
    await page.getByRole('heading', { name: 'Errors by Tag' }).waitFor();
    assert.match(page.url(), /group=tag&metric=errors&range=days7&compare=1$/);
    await open.click();
    await drawer.getByRole('button', { name: 'Rename Errors <b>of</b> a week' }).click();
    await drawer.getByLabel('New name of Errors <b>of</b> a week').fill('Weekly');
    await page.keyboard.press('Enter');
    await drawer.getByRole('button', { name: 'Weekly', exact: true }).waitFor();
    await drawer.getByRole('button', { name: 'Delete Weekly' }).click();
    await drawer.getByText('No views saved yet.').waitFor();
    await page.reload();
    await open.click();
    await drawer.getByText('No views saved yet.').waitFor();
  }));

test('an operator sees all accounts by account and model with cost and margin; on a phone, in Chinese and in the dark it fits', () =>
  visit({ locale: 'zh-CN', colorScheme: 'dark', screen: 'phone' }, async (page, account) => {
    await page.goto(`/console/${account}/usage?group=model&by=tag&compare=1`);
    await page.getByRole('heading', { name: '按模型和标签的费用' }).waitFor();
    await page.getByText('新增').first().waitFor();
    await audited(page);
    await assertNoSidewaysScroll(page);
    await screenshotOf(page, 'usage-compared-zh-phone-dark');
    await page.getByRole('button', { name: '已保存的视图' }).click();
    await page.getByText('还没有保存的视图').waitFor();
    await audited(page);
    await page.keyboard.press('Escape');
    await page.goto('/console/operator/usage?group=account&metric=margin');
    await page.getByRole('heading', { name: '按账户的毛利' }).waitFor();
    await audited(page);
    await assertNoSidewaysScroll(page);
    await page.goto('/console/operator/usage?group=account&by=model&metric=revenue');
    await page.getByRole('heading', { name: '按账户和模型的收入' }).waitFor();
    await audited(page);
    await assertNoSidewaysScroll(page);
  }));
