/** An operator's day in a real browser: an account made, its owner let in, money given and corrected, and everything logged. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { closeIntent, openIntent } from '../../../src/tasks/provider-calls/intents.ts';
import { browser } from '../../support/browser.ts';
import { assertNoSidewaysScroll, audited } from '../../support/browser/accessibility.ts';
import { screenshotOf } from '../../support/browser/traces.ts';
import { expectAnswers } from '../../support/browser/watch.ts';
import { moveTo, openAs, signIn } from '../../support/console.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { admissionOf, failureOf } from '../../support/money.ts';
import { newPerson, password } from '../../support/people.ts';

let gateway: TestGateway;
const operator = 'operator@example.com';
const markup = '<img src=x onerror=alert(1)> & Söhne';
before(async () => {
  gateway = await startTestGateway();
  await newPerson(gateway, { email: operator, memberships: [], isOperator: true });
});
after(() => gateway.stop());

/** Each page in the other language, on a phone and in the dark. */
const pages = ['accounts', 'people', 'acts', 'unknown', 'audit'] as const;

const dialog = (page: Page): Locator => page.getByRole('dialog').last();
const press = (page: Page, name: string | RegExp) => dialog(page).getByRole('button', { name }).click();
const gone = async (page: Page, text: string) => page.getByText(text).first().waitFor({ state: 'detached' });
const openPage = async (page: Page, email: string, path: string) => {
  await openAs(page, { url: gateway.url, email, password }, path);
};

test('an account is made, its owner comes in by the link and sees money come and go without reloading', () =>
  browser.visit({ origin: gateway.url }, async (page) => {
    await openPage(page, operator, '/console/operator/accounts');
    await page.getByRole('button', { name: 'Create account' }).first().click();
    await dialog(page).getByLabel('Name').fill(markup);
    await dialog(page).getByLabel('Opening balance in CNY').fill('1.2345678');
    await press(page, 'Create account');
    await dialog(page).getByText('above 0 with at most six decimals').waitFor();
    await dialog(page).getByLabel('Opening balance in CNY').fill('10');
    await dialog(page).getByLabel('Owner’s e-mail').fill('Owner@example.com');
    await press(page, 'Create account');
    await dialog(page).getByText('A link for owner@example.com').waitFor();
    const link = (await dialog(page).locator('code').innerText()).trim();
    assert.match(link, new RegExp(`^${gateway.url}/console/invitation#[\\w-]{43}$`));
    await dialog(page).getByRole('checkbox').check();
    await press(page, 'Done');
    const open = page.getByRole('button', { name: markup });
    await open.waitFor();
    await audited(page);
    await screenshotOf(page, 'operator-accounts-en');

    await browser.visit({ origin: gateway.url }, async (owners) => {
      expectAnswers(owners, { status: 401, path: '/console/api/session' });
      await owners.goto(link);
      await owners.getByLabel('Choose a password').fill('a long enough one');
      await owners.getByRole('button', { name: 'Accept and sign in' }).click();
      await owners.waitForURL(/\/acc_[0-9a-f]{32}\/overview$/);
      const account = /acc_[0-9a-f]{32}/.exec(owners.url())?.[0] ?? '';
      assert.notEqual(account, '', owners.url());
      const reported = owners.locator('body');
      await seen(reported, '10.00');

      await open.click();
      await page.getByRole('button', { name: 'Credit', exact: true }).click();
      await press(page, 'Continue');
      await dialog(page).getByText('Add a reason.').waitFor();
      await dialog(page).getByLabel('Amount in CNY').fill('2.5');
      await dialog(page).getByLabel('Reason').fill('paid <b>by wire</b>');
      await press(page, 'Continue');
      await dialog(page).getByText('The balance will change from ¥10.00 to ¥12.50.').waitFor();
      await audited(page);
      await screenshotOf(page, 'operator-credit-en');
      // A double click books once.
      await dialog(page).getByRole('button', { name: 'Credit', exact: true }).dblclick();
      await gone(page, 'The balance will change from');
      await seen(page.locator('.tg-account-balance'), '¥12.50');
      await seen(reported, '12.50');

      await page.getByRole('button', { name: 'Adjust', exact: true }).click();
      await dialog(page).getByLabel('Amount in CNY').fill('-20');
      await dialog(page).getByLabel('Reason').fill('too much');
      await press(page, 'Continue');
      expectAnswers(page, { status: 402, path: `/console/api/operator/accounts/${account}/adjustments` });
      await press(page, 'Adjust');
      await dialog(page).getByText('The account doesn’t have that much available.').first().waitFor();
      await dialog(page).getByLabel('Amount in CNY').fill('-0.5');
      await press(page, 'Continue');
      await dialog(page).getByText('The balance will change from ¥12.50 to ¥12.00.').waitFor();
      await press(page, 'Adjust');
      await gone(page, 'The balance will change from');
      await seen(page.locator('.tg-account-balance'), '¥12.00');
      await seen(reported, '12.00');

      await page.getByRole('button', { name: 'Suspend', exact: true }).click();
      await dialog(page).getByLabel('Reason').fill('owes');
      await press(page, 'Suspend');
      await page.getByRole('button', { name: 'Resume', exact: true }).waitFor();
      await owners.goto(`/console/${account}/overview`);
      await owners
        .getByText(/suspended/i)
        .first()
        .waitFor();

      await page.goto(`/console/operator/acts?account=${account}`);
      await page.getByText('Account suspended', { exact: true }).waitFor();
      await page.getByText('paid <b>by wire</b>').waitFor();
      assert.equal(await page.getByRole('row').filter({ hasText: 'Account credited' }).count(), 2); // and the opening
      await page.getByRole('button', { name: markup }).first().waitFor();
      await audited(page);
      await screenshotOf(page, 'operator-acts-en');
      await page.getByRole('combobox', { name: 'Action' }).click();
      await page.getByTitle('Account adjusted', { exact: true }).click();
      await page.getByRole('row').filter({ hasText: 'Account suspended' }).waitFor({ state: 'detached' });
      assert.equal(await page.getByRole('row').count(), 2);
      assert.equal(await page.locator('img[src="x"]').count(), 0);
    });
  }));

describe('people', () => {
  test('are invited, given a link, made operators and disabled, which ends what they have open', () =>
    browser.visit({ origin: gateway.url }, async (page) => {
      const email = 'grace@example.com';
      await newPerson(gateway, { email });
      await openPage(page, operator, '/console/operator/people');
      await page.getByRole('button', { name: 'Invite person' }).click();
      await dialog(page).getByLabel('E-mail').fill('new@example.com');
      await dialog(page).getByLabel('Operator role').check();
      await press(page, 'Create link');
      await dialog(page).getByText('A link for new@example.com').waitFor();
      await dialog(page).getByRole('checkbox').check();
      await press(page, 'Done');
      await page.getByRole('row').filter({ hasText: 'new@example.com' }).getByRole('button').click();
      await press(page, 'Revoke');
      await page.getByText('Revoked').waitFor();
      await page.getByText('You', { exact: true }).waitFor();
      await audited(page);
      await screenshotOf(page, 'operator-people-en');

      await browser.visit({ origin: gateway.url }, async (theirs) => {
        await signIn(theirs, { url: gateway.url, email, password });
        expectAnswers(theirs, 401);
        const row = page.getByRole('row').filter({ hasText: email });
        await page.getByLabel('Part of an e-mail address').fill('grace');
        await row.getByRole('button', { name: 'Make operator' }).click();
        await press(page, 'Make operator');
        await dialog(page).getByText(`A link for ${email}`).waitFor();
        await dialog(page).getByRole('checkbox').check();
        await press(page, 'Done');
        await row.getByRole('button', { name: 'Disable' }).click();
        await dialog(page).getByLabel('Reason').fill('left');
        await press(page, 'Disable');
        await row.getByText('Disabled').waitFor();
        await theirs.reload();
        await theirs.getByRole('button', { name: 'Sign in' }).waitFor();
      });
    }));
});

test('a paid call of unknown outcome says what can be done, and is resolved with a note', () =>
  browser.visit({ origin: gateway.url }, async (page) => {
    const { keyId, account } = await gateway.newKey({ balance: '5' });
    const who = { account, key: keyId as Parameters<typeof admissionOf>[0]['key'] };
    const { ledger, database } = gateway.core;
    const answer = await ledger.admitTask(admissionOf(who, 200_000n));
    assert.ok(answer.admitted === 'new');
    await openIntent(database, answer.taskId, 0, 'simulator');
    const reason = 'the connection <b>broke</b>';
    await closeIntent(database, answer.taskId, 0, { outcome: 'unknown', reason, requestId: 'up-17' });
    await ledger.releaseTask(failureOf(who, answer.taskId));

    await openPage(page, operator, '/console/operator/unknown');
    await page.getByText(reason).waitFor();
    await page.getByText('The caller was not charged; the hold was released.').waitFor();
    await page.getByText('Ask simulator what happened to request up-17.').waitFor();
    await audited(page);
    await screenshotOf(page, 'operator-unknown-en');
    await page.getByRole('button', { name: 'Mark resolved' }).click();
    await press(page, 'Mark resolved');
    await dialog(page).getByText('Write down what you found.').waitFor();
    await dialog(page).getByLabel('What you found').fill('They <i>never</i> had it.');
    await press(page, 'Mark resolved');
    await page.getByText('Nothing open.').waitFor();
    await page.getByText('Resolved', { exact: true }).click();
    await page.getByText('They <i>never</i> had it.').waitFor();
    await page.getByRole('button', { name: 'Reopen' }).click();
    await press(page, 'Reopen');
    await page.getByText('Nothing resolved yet.').waitFor();
  }));

test('an audit that is run now shows its result when it has ended', () =>
  browser.visit({ origin: gateway.url }, async (page) => {
    await openPage(page, operator, '/console/operator/audit');
    await page.getByText('No audits yet.').waitFor();
    await page.getByRole('button', { name: 'Run now' }).click();
    await page
      .getByText(/No discrepancies|\d discrepanc(y|ies)/)
      .first()
      .waitFor();
    await page.getByText(/^Checked: .*entries \(\d/).waitFor();
    await audited(page);
    await screenshotOf(page, 'operator-audit-en');
  }));

test('each page in Chinese, in the dark and on a phone is for everybody', () =>
  browser.visit({ origin: gateway.url, locale: 'zh-CN', colorScheme: 'dark', screen: 'phone' }, async (page) => {
    await openPage(page, operator, '/console/operator/overview');
    for (const name of pages) {
      await moveTo(page, `/console/operator/${name}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.locator('main .ant-skeleton').first().waitFor({ state: 'detached' });
      await audited(page);
      await assertNoSidewaysScroll(page);
      await screenshotOf(page, `operator-${name}-zh-phone-dark`);
    }
    await page.goto('/console/operator/accounts');
    await page.getByRole('button', { name: markup }).click();
    await page.getByRole('button', { name: '充值' }).waitFor();
    await audited(page);
    await assertNoSidewaysScroll(page);
    await screenshotOf(page, 'operator-account-zh-phone-dark');
  }));

/** Waits until the element holds the text. */
const seen = (element: Locator, text: string) => element.filter({ hasText: text }).first().waitFor();
