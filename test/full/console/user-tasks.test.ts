/**
 * What people come to the console for, each from the overview to the answer, as they would click. With
 * TOLLGATE_SCREENSHOTS=1 the clicks and seconds of each are written down in `docs/internals/console-scorecard.md`: a page
 * that makes a task longer shows in its difference.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { createAccount } from '../../../src/accounts/accounts.ts';
import type { AccountId } from '../../../src/domain/ids.ts';
import { browser } from '../../support/browser.ts';
import { openAs, signIn } from '../../support/console.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { newPerson, password } from '../../support/people.ts';
import { openUpstream, type Upstream } from '../../support/upstream.ts';
import { tasksOfTable, type UserTask, writeUserTasks } from '../../support/user-tasks-table.ts';

/** One attempt, and the event is given up. */
const deliveryPace = { firstMs: 100, factor: 0, mostMs: 100, forMs: 0 };

let gateway: TestGateway;
let receiver: Upstream;
let closeReceiver: () => Promise<void>;
before(async () => {
  gateway = await startTestGateway({ deliveryPace });
  ({ upstream: receiver, close: closeReceiver } = await openUpstream());
});
const done: UserTask[] = [];
after(async () => {
  await writeUserTasks(done);
  await gateway.stop();
  await closeReceiver();
});

/** The person at the mouse. */
interface Hand {
  page: Page;
  account: AccountId;
  email: string;
  click: (target: Locator) => Promise<void>;
  /** To a page of the navigation. */
  go: (name: string) => Promise<void>;
}

interface Setting {
  isOperator?: boolean;
  /** The gateway's own unless said otherwise. */
  account?: () => Promise<AccountId>;
  /** What is there before the person comes. */
  before?: (hand: Omit<Hand, 'go' | 'click'>) => Promise<void>;
}

const names: string[] = [];

/** A task, by an owner of an account, who begins on the overview. */
function userTask(name: string, setting: Setting, act: (hand: Hand) => Promise<void>) {
  const { isOperator = false, before: prepare } = setting;
  names.push(name);
  test(name, async () => {
    const account = (await setting.account?.()) ?? gateway.account;
    const { email } = await newPerson(gateway, { memberships: [{ account, role: 'owner' }], isOperator });
    await browser.visit({ origin: gateway.url }, async (page) => {
      await prepare?.({ page, account, email });
      await openAs(page, { url: gateway.url, email, password }, '/console');
      await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
      const startedMs = performance.now();
      let clicks = 0;
      const click = async (target: Locator) => {
        clicks += 1;
        await target.click();
      };
      const go: Hand['go'] = (to) => click(page.getByRole('navigation').getByRole('link', { name: to, exact: true }));
      await act({ page, account, email, click, go });
      done.push({ name, clicks, seconds: (performance.now() - startedMs) / 1000 });
    });
  });
}

const image = (prompt: string) => ({ model: 'sim-image', prompt, size: '1024x1024' });

userTask('create a key with a limit, call, and see the call', {}, async ({ page, click, go }) => {
  await go('API tokens');
  await click(page.getByRole('button', { name: 'Create key' }));
  await page.getByLabel('Name').fill('shop');
  await page.getByLabel('Spend limit').fill('5');
  await click(page.getByRole('dialog').getByRole('button', { name: 'Create key' }));
  const made = page.getByRole('dialog', { name: 'Your new key “shop”' });
  const key = (await made.getByRole('group', { name: 'Key' }).locator('code').textContent()) ?? '';
  const { status } = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ model: 'sim-chat', messages: [{ role: 'user', content: 'Hello' }] }),
  });
  assert.equal(status, 200);
  await click(made.getByRole('checkbox'));
  await click(made.getByRole('button', { name: 'Done' }));
  await page
    .getByRole('row', { name: /shop/ })
    .getByText(/¥5\.00/)
    .first()
    .waitFor();
  await go('Requests');
  await page
    .getByRole('row', { name: /sim-chat/ })
    .filter({ hasText: 'shop' })
    .waitFor();
});

userTask(
  'find out why a task failed',
  {
    before: async () => {
      await gateway.post('/v1/images/generations', image('[sim:fail=the brush broke]'));
    },
  },
  async ({ page, click }) => {
    await click(page.getByRole('link', { name: /failed in the last 7 days/ }));
    await page.getByRole('heading', { level: 1, name: 'Tasks' }).waitFor();
    await click(page.getByRole('link', { name: /the brush broke/ }).first());
    await page.getByRole('region', { name: 'Result' }).getByText('the brush broke').waitFor();
  },
);

userTask('find out what yesterday cost', {}, async ({ page, click, go }) => {
  await go('Usage');
  await click(page.getByRole('combobox', { name: 'Range' }));
  await click(page.locator('.ant-select-item-option:visible', { hasText: 'Yesterday' }));
  await page.getByText('No usage in this period.').waitFor(); // the gateway is of today
});

userTask('add money to an account as an operator', { isOperator: true }, async ({ page, click, go }) => {
  await go('Accounts');
  await click(page.getByRole('button', { name: 'test', exact: true }));
  await click(page.getByRole('button', { name: 'Credit', exact: true }));
  const form = page.getByRole('dialog').last();
  await form.getByLabel('Amount in CNY').fill('7.5');
  await form.getByLabel('Reason').fill('paid by wire');
  await click(form.getByRole('button', { name: 'Continue' }));
  await form.getByText('The balance will change from').waitFor();
  await click(form.getByRole('button', { name: 'Credit', exact: true }));
  await page.getByText('The balance will change from').waitFor({ state: 'detached' });
});

userTask('put a model into maintenance', { isOperator: true }, async ({ page, click, go }) => {
  await go('All models');
  await click(page.getByRole('button', { name: 'Start maintenance: sim-code' }));
  await page.getByRole('dialog').getByLabel('Reason').fill('the provider moves');
  await click(page.getByRole('dialog').getByRole('button', { name: 'Start maintenance', exact: true }));
  await page
    .getByRole('row', { name: /sim-code/ })
    .getByText('In maintenance')
    .waitFor();
});

userTask('send a webhook again that was given up', {}, async ({ page, click, go }) => {
  receiver.answers({ status: 500 });
  await go('Webhooks');
  await page.getByLabel('Webhook URL').fill(`${receiver.url}/hook`);
  await click(page.getByRole('button', { name: 'Save' }));
  await click(page.getByRole('button', { name: 'Send test event' }));
  const row = page.getByRole('row', { name: /webhook\.test/ });
  await row.getByText('Given up').waitFor();
  receiver.answers({ status: 204 });
  await click(row.getByRole('button', { name: 'webhook.test' }));
  await click(page.getByRole('dialog', { name: 'Event' }).getByRole('button', { name: 'Resend' }));
  await page.getByRole('dialog', { name: 'Event' }).getByText('HTTP 204').waitFor();
});

userTask(
  'revoke a key',
  {
    before: async () => {
      const { status } = await gateway.post('/v1/account/keys', { name: 'leaked', level: 'chat' });
      assert.equal(status, 201);
    },
  },
  async ({ page, click, go }) => {
    await go('API tokens');
    await click(page.getByRole('button', { name: 'Revoke leaked' }));
    await click(page.getByRole('dialog').getByRole('button', { name: 'Revoke' }));
    await page.getByRole('row').filter({ hasText: 'leaked' }).waitFor({ state: 'detached' });
  },
);

userTask('invite a teammate', {}, async ({ page, click, go }) => {
  await go('Team');
  await click(page.getByRole('button', { name: 'Invite member' }));
  await page.getByLabel('E-mail').fill('new@example.com');
  await click(page.getByRole('button', { name: 'Create link' }));
  const made = page.getByRole('dialog', { name: 'Invitation for new@example.com' });
  assert.match((await made.locator('code').first().textContent()) ?? '', /\/console\/invitation#/);
});

userTask(
  'change the password and sign in with it',
  { account: async () => (await createAccount(gateway.by, 'alone')).id },
  async ({ page, email, click }) => {
    const wanted = 'seven violet otters hum';
    const menu = page.getByRole('button', { name: email });
    await click(menu);
    await click(page.getByRole('menuitem', { name: 'Profile and password' }));
    await page.getByLabel('Current password').fill(password);
    await page.getByLabel('New password').fill(wanted);
    await click(page.getByRole('button', { name: 'Change password' }));
    await page.getByText('Password changed.').waitFor();
    await click(menu);
    await click(page.getByRole('menuitem', { name: 'Sign out' }));
    await page.waitForURL(/sign-in/);
    await signIn(page, { url: gateway.url, email, password: wanted });
  },
);

test('the scorecard has a row for each of these tasks', async () => {
  assert.deepEqual(await tasksOfTable(), names);
});
