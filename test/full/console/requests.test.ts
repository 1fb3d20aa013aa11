/** The console's pages of requests, in a browser: each call is there as it ends, is filtered, opened and downloaded. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { browser, type VisitOptions } from '../../support/browser.ts';
import { assertNoSidewaysScroll, audited } from '../../support/browser/accessibility.ts';
import { expectAnswers } from '../../support/browser/watch.ts';
import { screenshotOf } from '../../support/browser/traces.ts';
import { createApiKey, noLimits } from '../../../src/accounts/api-keys.ts';
import type { AccountId } from '../../../src/domain/ids.ts';
import { changeBodyRecording } from '../../../src/bodies/recording-settings.ts';
import { listActs } from '../../../src/ledger/audit-log.ts';
import { openAs } from '../../support/console.ts';
import { bearer, startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { wav } from '../../support/media.ts';
import { newPerson, password } from '../../support/people.ts';

let gateway: TestGateway;
before(async () => (gateway = await startTestGateway()));
after(() => gateway.stop());

const hello = { model: 'sim-chat', messages: [{ role: 'user', content: 'Hello' }] };
const liveMs = 30_000;

interface Visited {
  page: Page;
  account: string;
  key: string;
  /** Makes a call; returns the id of its request. */
  call: (more?: object) => Promise<string>;
}

async function visit(
  options: Omit<VisitOptions, 'origin'> & { isOperator?: boolean },
  work: (with_: Visited) => Promise<void>,
) {
  const { isOperator = false, ...rest } = options;
  const { account, key } = await gateway.newKey({ balance: '10', name: 'shop' });
  const { email } = await newPerson(gateway, { memberships: [{ account, role: 'owner' }], isOperator });
  const call = async (more: object = {}) => {
    const { headers } = await gateway.post('/v1/chat/completions', { ...hello, ...more }, bearer(key));
    return headers.get('x-request-id') ?? '';
  };
  await browser.visit({ ...rest, origin: gateway.url }, async (page) => {
    await openAs(page, { url: gateway.url, email, password }, `/console/${account}/requests`);
    await work({ page, account, key, call });
  });
}

test('calls appear by themselves, refused ones too; one is opened with its ledger entries, and its address shows it again', () =>
  visit({}, async ({ page, call }) => {
    await page.getByText('No requests yet').waitFor();
    await audited(page);
    const id = await call();
    await call({ model: 'no-such-model' });
    const table = page.getByRole('table', { name: 'Requests' });
    await table.getByText('model_not_found').waitFor({ timeout: liveMs });
    await table.getByText('404').waitFor();
    await audited(page);
    await page.getByRole('button', { name: /Details of sim-chat/ }).click();
    const drawer = page.getByRole('dialog');
    await drawer.getByText('Response ended').waitFor();
    const entries = drawer.getByRole('table', { name: 'Ledger entries' });
    await entries.waitFor();
    assert.deepEqual(await entries.locator('tbody th').allTextContents(), ['Hold', 'Charge', 'Release']);
    await audited(page);
    await screenshotOf(page, 'request-en');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: /Details of no-such-model/ }).click();
    await drawer.getByText('No published model has this ID').waitFor();
    await audited(page);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: /Details of sim-chat/ }).click();
    await drawer.getByText(id).waitFor();
    await page.reload();
    await drawer.getByText(id).waitFor();
    await drawer.getByRole('link', { name: 'Show in the ledger' }).click();
    await page.getByRole('heading', { name: 'Ledger' }).waitFor();
  }));

test('an owner has bodies recorded, reads those of a request, and deletes all', () =>
  visit({}, async ({ page, account, call }) => {
    await page.goto(`/console/${account}/settings`);
    const panel = page.getByRole('region', { name: 'Recorded bodies' });
    await panel.getByRole('checkbox', { name: 'Record request and response bodies' }).check();
    await panel.getByRole('button', { name: 'Apply' }).click();
    await panel.getByText('On', { exact: true }).waitFor();
    await audited(page);
    await panel.scrollIntoViewIfNeeded();
    await screenshotOf(page, 'settings-bodies-en');
    await call({ password: 'hidden' });
    await page.goto(`/console/${account}/requests`);
    await page.getByRole('button', { name: /Details of sim-chat/ }).click();
    const drawer = page.getByRole('dialog');
    await drawer.getByRole('button', { name: 'Show request and response' }).click();
    await drawer.getByRole('region', { name: 'Request' }).getByText('"password": "[redacted]"').waitFor();
    await drawer.getByRole('region', { name: 'Response' }).getByText('"chat.completion"').waitFor();
    await audited(page);
    await screenshotOf(page, 'request-bodies-en');
    await page.goto(`/console/${account}/settings`);
    await panel.getByRole('button', { name: 'Delete all recorded bodies' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete all recorded bodies' }).click();
    await page.getByText('Deleted: 1').waitFor();
  }));

const playgroundLink = (page: Page) => page.getByRole('link', { name: 'Run again in the playground' });

test('a recorded chat request opens in the playground as it was, and its run sends the same; nothing is sent before', () =>
  visit({}, async ({ page, account, call }) => {
    await changeBodyRecording(gateway.by, account as AccountId, { isOn: true, redactedFields: ['password'] });
    const tools = [{ type: 'function', function: { name: 'get_weather', parameters: { type: 'object' } } }];
    const said = {
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'How long is a toll road?' },
        { role: 'assistant', content: 'That depends.' },
        { role: 'developer', content: 'Answer in metres.' },
        { role: 'user', content: [{ type: 'text', text: 'On what does it depend?' }] },
      ],
      ...{ temperature: 0.5, max_tokens: 40, stop: ['END'], tools, tool_choice: 'none', top_k: 4 },
    };
    const id = await call({ ...said, password: 'hidden' });
    await page.getByRole('button', { name: /Details of sim-chat/ }).click();
    await playgroundLink(page).click();
    await page.waitForURL(/playground\/chat\?model=sim-chat$/);
    const note = page.getByRole('status').filter({ hasText: id });
    await note.getByText('Some fields were redacted').waitFor();
    assert.equal(await page.getByLabel('System prompt').inputValue(), 'Be brief.');
    assert.equal(await page.getByLabel('Temperature').inputValue(), '0.5');
    await page.getByRole('article', { name: 'Instructions' }).getByText('Answer in metres.').waitFor();
    await audited(page);
    await screenshotOf(page, 'playground-request-en');
    await page.reload(); // the draft is kept, and the request is not read again
    await page.getByText('On what does it depend?', { exact: true }).waitFor();
    const requests = await countOf(account);
    assert.equal(requests, 1, 'opening it sent something');
    await page.getByRole('button', { name: /Run$/ }).click();
    await page.getByRole('article', { name: 'Model', exact: true }).nth(1).getByText('Charged').waitFor();
    await page.goto(`/console/${account}/requests`);
    await page
      .getByRole('button', { name: /Details of sim-chat/ })
      .first()
      .click();
    await page.getByRole('button', { name: 'Show request and response' }).click();
    const shown = await page.getByRole('dialog').getByRole('region', { name: 'Request' }).locator('code').innerText();
    const again = { model: 'sim-chat', ...said, password: '[redacted]', stream: true };
    assert.deepEqual(JSON.parse(shown), again);
    const reads = await listActs(gateway.core.database, { account, limit: 10 });
    assert.equal(reads.filter(({ action }) => action === 'body.read').length, 2);
  }));

test('a request without a recorded body says why it can’t be run again, and leads to the settings', () =>
  visit({}, async ({ page, account, call }) => {
    await call();
    await page.getByRole('button', { name: /Details of sim-chat/ }).click();
    await page.getByRole('button', { name: 'Run again in the playground' }).click();
    await page.getByText('Recording of bodies is off').waitFor();
    await audited(page);
    await page.getByRole('link', { name: 'Open Settings' }).click();
    await page.getByRole('region', { name: 'Recorded bodies' }).waitFor();
    const path = `/console/api/accounts/${account}/requests/no-such-request/body`;
    expectAnswers(page, { status: 404, path });
    await page.goto(`/console/${account}/playground/chat?request=no-such-request`);
    await page.getByText('No body is recorded of this request').waitFor();
  }));

/** Of POSTs. */
async function countOf(account: string): Promise<number> {
  const { rows } = await gateway.core.database.pool.query<{ count: number }>(
    `select count(*)::int as count from requests where account_id = $1 and method = 'POST'`,
    [account],
  );
  return rows[0]?.count ?? 0;
}

test('a recorded form shows its fields and files, an answer of audio its type and size, also on a phone, in Chinese, in the dark', () =>
  visit({ locale: 'zh-CN', colorScheme: 'dark', screen: 'phone' }, async ({ page, account, key }) => {
    await changeBodyRecording(gateway.by, account as AccountId, { isOn: true });
    const form = new FormData();
    form.append('model', 'sim-transcription');
    form.append('prompt', 'A long toll road');
    form.append('file', new Blob([wav({ seconds: 2 })], { type: 'audio/wav' }), 'voice.wav');
    await gateway.fetch('/v1/audio/transcriptions', { method: 'POST', key, body: form });
    const speech = { model: 'sim-speech', voice: 'alloy', input: 'Hello', response_format: 'wav' };
    await gateway.fetch('/v1/audio/speech', {
      ...{ method: 'POST', key, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(speech) },
    });
    const open = async (model: string) => {
      await page.getByRole('button', { name: new RegExp(`${model} 的详情`) }).click();
      await page.getByRole('button', { name: '查看请求与响应' }).click();
    };
    await open('sim-transcription');
    const drawer = page.getByRole('dialog');
    await drawer.getByRole('table', { name: '请求: 表单字段' }).getByText('A long toll road').waitFor();
    await drawer.getByRole('table', { name: '请求: 文件' }).getByText('voice.wav').waitFor();
    await drawer.getByRole('region', { name: '响应内容' }).waitFor();
    await audited(page);
    await assertNoSidewaysScroll(page);
    await drawer.getByRole('region', { name: '响应内容' }).scrollIntoViewIfNeeded();
    await screenshotOf(page, 'request-form-zh-phone-dark');
    await page.keyboard.press('Escape');
    await open('sim-speech');
    await drawer.getByRole('table', { name: '响应内容: 文件' }).getByText('audio/wav').waitFor();
    await audited(page);
    await assertNoSidewaysScroll(page);
  }));

test('the list is filtered by its controls, the address keeps the filter, and the file has what is shown', () =>
  visit({}, async ({ page, account, call }) => {
    await call();
    await call({ model: 'no-such-model' });
    const rows = page.getByRole('table', { name: 'Requests' }).locator('tbody tr');
    await rows.nth(1).waitFor({ timeout: liveMs });
    assert.equal(await page.getByLabel('Error code').count(), 0);
    await page.getByRole('button', { name: 'More filters' }).click();
    await page.getByLabel('Error code').fill('model_not_found');
    await page.getByLabel('Error code').press('Enter');
    await page.waitForURL(/code=model_not_found/);
    await page.getByRole('button', { name: 'Fewer filters (1)' }).waitFor();
    await rows.nth(1).waitFor({ state: 'detached' });
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download CSV' }).click(),
    ]);
    const lines = (await readFile(await download.path(), 'utf8')).trim().split('\r\n');
    assert.equal(lines.length, 2);
    await page.goto(`/console/${account}/requests?status=5xx`);
    await page.getByText('No matching requests').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).first().click();
    await rows.nth(1).waitFor();
  }));

test('a key that was never charged is offered too, leads from its page to its requests, and a list may reach an hour back', () =>
  visit({}, async ({ page, account, call }) => {
    await call();
    await createApiKey(gateway.by, account as AccountId, { ...noLimits, name: 'never used', level: 'chat' });
    await page.goto(`/console/${account}/keys`);
    await page.getByRole('link', { name: 'never used' }).click();
    await page.getByRole('link', { name: 'All requests with this key' }).click();
    await page.waitForURL(/requests\?key=key_/);
    await page.getByText('No matching requests').waitFor();
    await page.getByRole('combobox', { name: 'API key' }).click();
    await page
      .getByTitle(/^never used …/)
      .last()
      .waitFor();
    await page.getByTitle(/^shop …/).click();
    await page.getByRole('button', { name: /Details of sim-chat/ }).waitFor();
    await page.getByRole('combobox', { name: 'Time range' }).click();
    await page.getByTitle('Last hour').click();
    await page.waitForURL(/last=1h/);
    await page.getByRole('button', { name: /Details of sim-chat/ }).waitFor();
    await audited(page);
    await page.getByRole('combobox', { name: 'Time range' }).click();
    await page.getByTitle('Custom dates').click();
    const [from, to] = ['From', 'To'].map((name) => page.getByPlaceholder(name, { exact: true }));
    await from!.fill('2026-01-01');
    await from!.press('Enter');
    await to!.fill('2026-01-31');
    await to!.press('Enter');
    await page.waitForURL(/from=2026-01-01&to=2026-01-31/);
    await audited(page);
    assert.doesNotMatch(page.url(), /last=/);
  }));

test('on a phone the filters are behind one button that counts them, and calendars speak the language of the console', () =>
  visit({ screen: 'phone', locale: 'zh-CN' }, async ({ page, account, call }) => {
    await call();
    await page.goto(`/console/${account}/requests?status=2xx&last=1h`);
    await page.getByRole('button', { name: /sim-chat/ }).waitFor();
    assert.equal(await page.getByRole('combobox', { name: '状态' }).count(), 0);
    await page.getByRole('button', { name: '筛选（2）' }).click();
    await page.getByRole('combobox', { name: '时间范围' }).click();
    await page.getByTitle('自定义日期').click();
    await page.getByPlaceholder('起始日期').click();
    await page.getByText('一', { exact: true }).first().waitFor();
    await assertNoSidewaysScroll(page);
    await audited(page);
  }));

test('an operator chooses an account by a part of its name, downloads its requests, and opens the one that was chosen', () =>
  visit({ isOperator: true }, async ({ page, account, call }) => {
    const id = await call();
    const name = 'Ferry & <b>Sons</b>';
    const { account: others, key } = await gateway.newKey({ balance: '10' });
    await gateway.core.database.pool.query('update accounts set name = $2 where id = $1', [others, name]);
    await gateway.post('/v1/chat/completions', hello, { ...bearer(key), 'X-Request-Id': id });
    await page.goto('/console/operator/requests');
    await page.getByRole('combobox', { name: 'Account', exact: true }).fill('Ferry');
    await page.getByTitle(name).click();
    await page.waitForURL(new RegExp(`account=${others}`));
    const rows = page.getByRole('table', { name: 'Requests of all accounts' }).locator('tbody tr');
    await rows.nth(1).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: /Details of sim-chat/ }).click();
    await page.waitForURL(new RegExp(`of=${others}`));
    const drawer = page.getByRole('dialog');
    await drawer.getByRole('link', { name }).waitFor();
    assert.equal(
      await drawer.getByText('Response ended').count(),
      1,
      'the other account’s request of this id is not shown',
    );
    await audited(page);
    await page.keyboard.press('Escape');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download CSV' }).click(),
    ]);
    const text = await readFile(await download.path(), 'utf8');
    assert.ok(text.includes(others) && !text.includes(account), text);
  }));

test('an operator sees the requests of all accounts with who served them; on a phone, in Chinese and in the dark it fits', () =>
  visit(
    { isOperator: true, locale: 'zh-CN', colorScheme: 'dark', screen: 'phone' },
    async ({ page, account, call }) => {
      await call();
      await page.getByRole('table', { name: '请求记录' }).getByText('sim-chat').waitFor({ timeout: liveMs });
      await audited(page);
      await assertNoSidewaysScroll(page);
      await page.goto(`/console/operator/requests?account=${account}`);
      await page.getByRole('cell', { name: 'simulator' }).first().waitFor();
      await page
        .getByRole('button', { name: /sim-chat 的详情/ })
        .first()
        .click();
      await page.getByRole('dialog').getByText('由 simulator 响应').waitFor();
      await audited(page);
      await assertNoSidewaysScroll(page);
    },
  ));
