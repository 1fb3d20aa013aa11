/** The console from coming in to the audit trail, in one sitting and without a reload: what it is for. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import OpenAI, { AuthenticationError } from 'openai';
import type { Page } from 'playwright-core';
import { moneyText } from '../../../console/src/parts/money-text.ts';
import { browser } from '../../support/browser.ts';
import { playsFrames } from '../../support/browser/playing.ts';
import { signIn } from '../../support/console.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { mp4, wav } from '../../support/media.ts';
import { newPerson, password } from '../../support/people.ts';

let gateway: TestGateway;
before(async () => (gateway = await startTestGateway()));
after(() => gateway.stop());

test('an API key is created and used, the charge is seen, an avatar talks, the key is revoked, an operator adds money', async () => {
  const { account } = gateway;
  const { email } = await newPerson(gateway, { memberships: [{ account, role: 'owner' }], isOperator: true });
  const [audio, footage] = [wav({ seconds: 2 }), await mp4({ seconds: 1 })];
  await browser.visit({ origin: gateway.url }, async (page) => {
    await signIn(page, { url: gateway.url, email, password });
    await balance(page, '¥100.00');

    await goTo(page, 'API tokens');
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByLabel('Name').fill('web shop');
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    const made = page.getByRole('dialog', { name: 'Your new key “web shop”' });
    const apiKey = (await made.getByRole('group', { name: 'Key' }).locator('code').textContent()) ?? '';
    await made.getByRole('checkbox').check();
    await made.getByRole('button', { name: 'Done' }).click();

    await goTo(page, 'Ledger');
    const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey, maxRetries: 0 });
    const chat = () =>
      client.chat.completions.create({ model: 'sim-chat', messages: [{ role: 'user', content: 'Hello' }] });
    assert.match((await chat()).choices[0]?.message.content ?? '', /simulator/);
    const cost = await charged();
    await page.getByRole('row').filter({ hasText: 'sim-chat' }).first().waitFor();
    await goTo(page, 'Overview');
    await balance(page, money(100 - cost));

    await goTo(page, 'Playground');
    await page.getByRole('link', { name: 'Avatar talk', exact: true }).click();
    await page
      .getByLabel('Audio', { exact: true })
      .setInputFiles({ name: 'speech.wav', mimeType: 'audio/wav', buffer: audio });
    await page
      .getByLabel('Video', { exact: true })
      .setInputFiles({ name: 'person.mp4', mimeType: 'video/mp4', buffer: footage });
    await page.getByRole('button', { name: 'Run' }).click();
    await playsFrames(page.getByLabel('The finished video'));
    await goTo(page, 'Overview');
    await balance(page, money(100 - cost - 0.1)); // two seconds at 0.05

    await goTo(page, 'API tokens');
    await page.getByRole('button', { name: 'Revoke web shop' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('row').filter({ hasText: 'web shop' }).waitFor({ state: 'detached' });
    await assert.rejects(chat, AuthenticationError);

    await goTo(page, 'Accounts');
    await page.getByRole('button', { name: 'test', exact: true }).click();
    await page.getByRole('button', { name: 'Credit', exact: true }).click();
    const form = page.getByRole('dialog').last();
    await form.getByLabel('Amount in CNY').fill('7.5');
    await form.getByLabel('Reason').fill('paid by wire');
    await form.getByRole('button', { name: 'Continue' }).click();
    await form.getByRole('button', { name: 'Credit', exact: true }).click();
    await page.getByText('The balance will change from').waitFor({ state: 'detached' });
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click(); // the account's drawer
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await goTo(page, 'Overview');
    await balance(page, money(107.5 - cost - 0.1));
  });
});

/** To a page of the account, or to one that only operators have. */
const goTo = (page: Page, name: string) =>
  page.getByRole('navigation').getByRole('link', { name, exact: true }).click();

/** Waits until the overview shows it, which it does by itself. */
const balance = (page: Page, text: string) =>
  page
    .locator('dl', { has: page.getByText('Balance', { exact: true }) })
    .getByText(text, { exact: true })
    .waitFor();

const money = (amount: number): string => moneyText(amount, { locale: 'en-US', currency: 'CNY' });

async function charged(): Promise<number> {
  const { body } = await gateway.get('/v1/account/ledger?type=capture&limit=1');
  return Number((body['data'] as { charged: number }[])[0]?.charged);
}
