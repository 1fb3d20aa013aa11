/** The people of an account in a real browser: asked in, given roles, and removed. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createAccount } from '../../../src/accounts/accounts.ts';
import { changeRole, listMembers } from '../../../src/accounts/members.ts';
import { browser } from '../../support/browser.ts';
import { assertNoSidewaysScroll, audited } from '../../support/browser/accessibility.ts';
import { screenshotOf } from '../../support/browser/traces.ts';
import { expectAnswers } from '../../support/browser/watch.ts';
import { openAs } from '../../support/console.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { newPerson, password } from '../../support/people.ts';

let gateway: TestGateway;
before(async () => (gateway = await startTestGateway({ worker: false })));
after(() => gateway.stop());

/** An account of its own with one owner. */
async function team() {
  const { id: account } = await createAccount(gateway.by, 'Ferry & <b>Sons</b>');
  const { email } = await newPerson(gateway, { memberships: [{ account, role: 'owner' }] });
  return { account, email, address: `/console/${account}/team`, api: `/console/api/accounts/${account}` };
}

test('an owner invites by a link that is shown once; the invited person signs in, and is made owner and removed', async () => {
  const { email, address } = await team();
  await browser.visit({ origin: gateway.url }, async (page) => {
    await openAs(page, { url: gateway.url, email, password }, address);
    await page.getByRole('button', { name: 'Invite member' }).click();
    await page.getByLabel('E-mail').fill('new@example.com');
    await audited(page);
    await page.getByRole('button', { name: 'Create link' }).click();
    const made = page.getByRole('dialog', { name: 'Invitation for new@example.com' });
    const link = (await made.getByRole('group', { name: 'Link' }).locator('code').textContent()) ?? '';
    assert.match(link, /\/console\/invitation#[\w-]{43}$/);
    assert.ok(link.startsWith(gateway.url));
    await audited(page);
    await made.getByRole('checkbox').check();
    await made.getByRole('button', { name: 'Done' }).click();
    const invitations = page.getByRole('list', { name: 'Invitations' });
    await invitations.getByText('Pending').waitFor();
    await screenshotOf(page, 'team-invited-en');

    await browser.visit({ origin: gateway.url, expectAnswers: [401] }, async (theirs) => {
      await theirs.goto(link);
      await theirs.getByLabel('Choose a password').fill('chosen by them');
      await theirs.getByRole('button', { name: 'Accept and sign in' }).click();
      await theirs.waitForURL(/\/overview$/);
      await theirs.goto(address);
      await theirs.getByText(email).waitFor();
      assert.deepEqual(await theirs.locator('main').getByRole('button').allTextContents(), []);

      // Seen by the owner without reloading.
      await invitations.getByText('Used').waitFor();
      await page.getByRole('button', { name: 'Make new@example.com an owner' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Make owner' }).click();
      await page.getByRole('button', { name: 'Make new@example.com a member' }).waitFor();
      await theirs.reload();
      await theirs.getByRole('button', { name: 'Invite member' }).waitFor();

      expectAnswers(theirs, 404);
      await page.getByRole('button', { name: 'Remove new@example.com' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
      await page.getByRole('list', { name: 'Members' }).getByText('new@example.com').waitFor({ state: 'detached' });
      await theirs.reload();
      await theirs.getByRole('heading', { name: 'Page not found' }).waitFor();
    });
  });
});

test('an existing person joins another account with their present password', async () => {
  const { email, account, address } = await team();
  const other = await newPerson(gateway);
  let link = '';
  await browser.visit({ origin: gateway.url }, async (page) => {
    await openAs(page, { url: gateway.url, email, password }, address);
    await page.getByRole('button', { name: 'Invite member' }).click();
    await page.getByLabel('E-mail').fill(other.email);
    await page.getByRole('button', { name: 'Create link' }).click();
    link = (await page.getByRole('group', { name: 'Link' }).locator('code').textContent()) ?? '';
  });
  await browser.visit({ origin: gateway.url, expectAnswers: [401] }, async (page) => {
    await page.goto(link);
    await page.getByLabel('Your password').fill('not the one they have');
    await page.getByRole('button', { name: 'Accept and sign in' }).click();
    await page.getByText('The password is incorrect.').first().waitFor();
    await audited(page);
    await page.getByLabel('Your password').fill(password);
    await page.getByRole('button', { name: 'Accept and sign in' }).click();
    await page.waitForURL(/\/overview$/);
    await page.goto(`/console/${account}/team`);
    await page.getByRole('list', { name: 'Members' }).getByText(other.email).waitFor();
  });
});

test('on a Chinese phone in the dark: the only owner can’t be removed, and the page says why', async () => {
  const { email, account, address, api } = await team();
  await newPerson(gateway, { email: 'm@example.com', memberships: [{ account, role: 'member' }] });
  const look = { origin: gateway.url, locale: 'zh-CN', colorScheme: 'dark', screen: 'phone' } as const;
  await browser.visit(look, async (page) => {
    await openAs(page, { url: gateway.url, email, password }, address);
    await page.getByText('唯一的所有者').waitFor();
    for (const name of [`移除 ${email}`, `将 ${email} 设为成员`])
      assert.ok(await page.getByRole('button', { name }).isDisabled(), name);
    await audited(page);
    await assertNoSidewaysScroll(page);
    await screenshotOf(page, 'team-last-owner-zh-phone-dark');
    await page.getByRole('button', { name: '将 m@example.com 设为所有者' }).click();
    await page.getByRole('dialog').getByRole('button', { name: '设为所有者' }).click();
    await page.getByText('唯一的所有者').waitFor({ state: 'detached' });

    // Another owner may have gone meanwhile: then the server refuses, and the dialog says why.
    const asked = (path: string) => page.evaluate(`fetch('${path}').then((answer) => answer.json())`);
    const { person } = (await asked('/console/api/session')) as { person: { id: string } };
    const before = await asked(`${api}/members`);
    await page.route(`**${api}/members`, (route) => route.fulfill({ json: before }));
    const others = await listMembers(gateway.core.database, account);
    await changeRole(gateway.by, account, others.find(({ email: of }) => of === 'm@example.com')?.id ?? '', 'member');
    expectAnswers(page, { status: 409, path: `${api}/members/${person.id}` });
    await page.getByRole('button', { name: `移除 ${email}` }).click();
    const question = page.getByRole('dialog');
    await question.getByRole('button', { name: /移\s?除/ }).click();
    await question.getByText('请先让其他人成为所有者').waitFor();
    await question.getByRole('button', { name: /取\s?消/ }).click();
  });
});
