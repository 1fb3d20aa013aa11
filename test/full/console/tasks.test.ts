/** The console's pages of tasks, in a browser: tasks made through the public API appear, move on, end and are cancelled there. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import * as z from 'zod';
import { createAccount } from '../../../src/accounts/accounts.ts';
import { browser, type VisitOptions } from '../../support/browser.ts';
import { assertNoSidewaysScroll, audited } from '../../support/browser/accessibility.ts';
import { decodedSize, playsFrames } from '../../support/browser/playing.ts';
import { expectAnswers } from '../../support/browser/watch.ts';
import { openAs } from '../../support/console.ts';
import { bearer, startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { mp4, wav } from '../../support/media.ts';
import { newPerson, password } from '../../support/people.ts';

let gateway: TestGateway;
before(
  async () => (gateway = await startTestGateway({ env: { TOLLGATE_TEMPORAL_UI_URL: 'https://temporal.example.com' } })),
);
after(() => gateway.stop());

const liveMs = 60_000;
const hook = 'http://127.0.0.1:9/hook';

type Customer = Awaited<ReturnType<TestGateway['newKey']>>;

/** Lets a person of this account in, on the page of tasks. */
async function visit(
  {
    account,
    isOperator = false,
    ...options
  }: Omit<VisitOptions, 'origin'> & Pick<Customer, 'account'> & { isOperator?: boolean },
  work: (page: Page) => Promise<void>,
): Promise<void> {
  const { email } = await newPerson(gateway, { memberships: [{ account, role: 'owner' }], isOperator });
  await browser.visit({ ...options, origin: gateway.url }, async (page) => {
    await openAs(page, { url: gateway.url, email, password }, `/console/${account}/tasks`);
    await work(page);
  });
}

const image = { model: 'sim-image', size: '1024x1024' };

/** Makes an image or a video task and answers its id at once. */
async function made(key: string, prompt: string, kind: 'image' | 'video' = 'image'): Promise<string> {
  const { body } =
    kind === 'image'
      ? await gateway.post('/v1/images/generations', { ...image, prompt }, { ...bearer(key), Prefer: 'wait=0' })
      : await gateway.post(
          '/v1/video/generations',
          { model: 'sim-video-fast', prompt, duration: 5 },
          { ...bearer(key), Prefer: 'wait=0' },
        );
  assert.equal(typeof body['id'], 'string', JSON.stringify(body));
  return String(body['id']);
}

const rowOf = (page: Page, id: string): Locator => page.locator(`tr[data-task="${id}"]`);
const says = (where: Locator, text: string | RegExp) => where.getByText(text).first().waitFor({ timeout: liveMs });

test('an image and a video appear by themselves, succeed without reloading, and can be looked at', async () => {
  const { key, account } = await gateway.newKey({ balance: '10' });
  await visit({ account }, async (page) => {
    await page.getByText('No tasks yet').waitFor();
    await audited(page);
    await page.evaluate(`window.stillHere = true`);
    const drawn = await made(key, 'A toll gate in the snow [sim:delay=4s]');
    const videoTask = await made(key, 'Cars at a gate [sim:delay=5s]', 'video');
    for (const id of [drawn, videoTask]) await says(rowOf(page, id), 'Running');
    for (const id of [drawn, videoTask]) await says(rowOf(page, id), 'Succeeded');
    await decodedSize(rowOf(page, drawn).locator('img'));
    await rowOf(page, videoTask).locator('video[src]').waitFor();
    assert.equal(await page.evaluate('window.stillHere'), true);
    await audited(page);

    await page.getByRole('link', { name: 'A toll gate in the snow' }).click();
    await page.getByRole('heading', { name: 'Task: Image' }).waitFor();
    assert.deepEqual(await decodedSize(page.getByRole('img', { name: 'Result: image 1' })), {
      width: 1024,
      height: 1024,
    });
    for (const step of ['Accepted, hold placed', 'Sent to provider', 'Result stored and charged'])
      await says(page.getByRole('region', { name: 'Timeline' }), step);
    await audited(page);
    await page.getByRole('button', { name: 'Enlarge image 1' }).click();
    await page.locator('.ant-image-preview img').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.ant-image-preview img').waitFor({ state: 'hidden' });
    await page.getByRole('tab', { name: 'Ledger' }).click();
    await says(page.getByRole('region', { name: 'Ledger' }), 'Charge');
    await page.getByRole('tab', { name: 'JSON' }).click();
    await says(page.getByRole('region', { name: 'JSON' }), '"object": "image"');
    assert.equal(await page.getByRole('button', { name: 'Cancel task' }).count(), 0);

    await page.getByRole('link', { name: 'All tasks' }).click();
    await page.getByRole('link', { name: 'Cars at a gate' }).click();
    await playsFrames(page.getByLabel('Result: video'));
    assert.equal(await page.evaluate('window.stillHere'), true);
  });
});

test('the filters stand in the address, and narrow the list down', async () => {
  const { key, account } = await gateway.newKey({ balance: '10' });
  const drawn = await made(key, 'An image');
  const videoTask = await made(key, 'A clip', 'video');
  await visit({ account }, async (page) => {
    await rowOf(page, drawn).waitFor();
    await page.getByLabel('Type', { exact: true }).click();
    await page.getByTitle('Video', { exact: true }).click();
    await rowOf(page, drawn).waitFor({ state: 'detached' });
    await rowOf(page, videoTask).waitFor();
    assert.match(page.url(), /\?kind=video$/);
    await page.goto(`/console/${account}/tasks?kind=nonsense&status=cancelled&from=2020-13-99`);
    await page.getByText('No tasks match these filters.').waitFor();
    await audited(page);
    await page.getByRole('button', { name: 'Clear filters' }).first().click();
    await rowOf(page, drawn).waitFor();
    await page.getByRole('button', { name: 'More filters' }).click();
    await page.getByLabel('Task ID').fill(videoTask);
    await page.keyboard.press('Enter');
    await rowOf(page, drawn).waitFor({ state: 'detached' });
    await rowOf(page, videoTask).waitFor();
  });
});

test('a slow task is cancelled, and what was held comes back', async () => {
  const { key, account } = await gateway.newKey({ balance: '1' });
  await visit({ account }, async (page) => {
    const id = await made(key, 'Slowly [sim:delay=20s]');
    assert.ok((await gateway.money(key)).held > 0);
    await page.getByRole('link', { name: 'Slowly' }).click();
    await page.getByRole('button', { name: 'Cancel task' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel task' }).click();
    await says(page.locator('main'), 'Cancelled, hold released');
    await page.getByText('The task was cancelled.').waitFor();
    assert.deepEqual(await gateway.money(key), { balance: 1, held: 0 });
    await page.getByRole('tab', { name: 'Ledger' }).click();
    await says(page.getByRole('region', { name: 'Ledger' }), 'Release');
    await page.getByRole('link', { name: 'All tasks' }).click();
    await says(rowOf(page, id), 'Cancelled');
  });
});

test('a failed task says why, and markup in a prompt is text, on a phone, in Chinese, in the dark', async () => {
  const { key, account } = await gateway.newKey({ balance: '10' });
  const markup = `<script>window.hurt = 1</script><img src="/hurt.png" onerror="window.hurt = 1">`;
  const id = await made(key, `${markup} [sim:fail=no <b>luck</b>]`);
  await gateway.finished(`/v1/images/generations/${id}`, key);
  await visit({ account, locale: 'zh-CN', colorScheme: 'dark', screen: 'phone' }, async (page) => {
    await says(rowOf(page, id), '失败');
    await says(rowOf(page, id), markup);
    await page.getByRole('button', { name: '筛选' }).click();
    await page.getByLabel('状态').waitFor();
    await assertNoSidewaysScroll(page);
    await audited(page);
    await rowOf(page, id).getByRole('link').click();
    await page.getByRole('heading', { name: '图片任务' }).waitFor();
    const result = page.getByRole('region', { name: '结果' });
    await says(result, '供应商出错');
    await result.locator('summary').click();
    await says(result, /no <b>luck<\/b>/);
    await says(page.locator('blockquote'), markup);
    assert.equal(await page.evaluate('window.hurt'), undefined);
    await assertNoSidewaysScroll(page);
    await audited(page);
  });
});

test('a failed task is run again: the playground has its parameters, and sends nothing until Run is chosen', async () => {
  const { key, account } = await gateway.newKey({ balance: '10' });
  const { body } = await gateway.post(
    '/v1/images/generations',
    {
      model: 'sim-image',
      prompt: 'No luck [sim:fail=none]',
      size: '1536x1024',
      n: 2,
      quality: 'high',
      webhook_url: hook,
    },
    { ...bearer(key), Prefer: 'wait=0' },
  );
  const id = String(body['id']);
  await gateway.finished(`/v1/images/generations/${id}`, key);
  await visit({ account }, async (page) => {
    await rowOf(page, id).getByRole('link').first().click();
    await page.getByRole('link', { name: 'Run again' }).click();
    await page.getByText(`Filled in from task ${id}`).waitFor();
    await page.getByText('This form has no field for webhook_url').waitFor();
    assert.equal(await page.getByLabel('Prompt').inputValue(), 'No luck [sim:fail=none]');
    await audited(page);
    const { body: listed } = await gateway.get('/v1/requests?limit=100', bearer(key));
    const posts = (listed['data'] as { method: string }[]).filter(({ method }) => method === 'POST');
    assert.equal(posts.length, 1);
    await page.getByLabel('Prompt').fill('Better luck');
    await page.getByRole('button', { name: /Run$/ }).click();
    await page.getByRole('link', { name: 'Task', exact: true }).click();
    await page.getByRole('heading', { name: 'Task: Image' }).waitFor();
    for (const [name, value] of Object.entries({ size: '1536x1024', quality: 'high', n: '2' }))
      await page
        .locator('.tg-task-facts > div')
        .filter({ hasText: name + value })
        .first()
        .waitFor();
  });
});

test('an avatar talk is run again with its uploads, on a phone, in Chinese, in the dark', async () => {
  const { key, account } = await gateway.newKey({ balance: '10' });
  const form = new FormData();
  form.append('audio', new Blob([wav({ seconds: 2 })]), 'voice.wav');
  form.append('video', new Blob([await mp4({ seconds: 2, hasAudio: false })]), 'footage.mp4');
  const asked = { method: 'POST', key, body: form };
  const { id } = z.object({ id: z.string() }).parse(await (await gateway.fetch('/v1/svctalk/generate', asked)).json());
  await visit({ account, locale: 'zh-CN', colorScheme: 'dark', screen: 'phone' }, async (page) => {
    await page.goto(`/console/${account}/playground/avatar-talk?task=${id}`);
    await page.getByText(`已填入任务 ${id} 的参数`).waitFor();
    await page.getByText(/^audio\.wav，/).waitFor();
    await page.getByText(/^video\.mp4，/).waitFor();
    await audited(page);
    await assertNoSidewaysScroll(page);
  });
});

test('a task of another account, and one that never was, is no task, with a way back', async () => {
  const { key } = await gateway.newKey({ balance: '10' });
  const { id: another } = await createAccount(gateway.by, 'another');
  const id = await made(key, 'Not yours');
  await visit({ account: another }, async (page) => {
    for (const [of, status] of [
      [id, 404],
      ['nonsense', 404],
    ] as const) {
      expectAnswers(page, { status, path: `/console/api/accounts/${another}/tasks/${of}` });
      await page.goto(`/console/${another}/tasks/${of}`);
      await page.getByRole('heading', { name: 'Task not found' }).waitFor();
      await audited(page);
      await page.getByRole('link', { name: 'All tasks' }).click();
      await page.getByText('No tasks yet').waitFor();
    }
  });
});

test('an avatar talk is viewed without being fetched; an operator gets a link to its workflow', async () => {
  const { key, account } = await gateway.newKey({ balance: '10' });
  const form = new FormData();
  form.append('audio', new Blob([wav({ seconds: 2 })]), 'voice.wav');
  form.append('video', new Blob([await mp4({ seconds: 2, hasAudio: false })]), 'footage.mp4');
  const asked = { method: 'POST', key, body: form };
  const { id } = z.object({ id: z.string() }).parse(await (await gateway.fetch('/v1/svctalk/generate', asked)).json());
  await visit({ account, isOperator: true, locale: 'zh-CN' }, async (page) => {
    await page.goto(`/console/${account}/tasks/${id}`);
    await says(page.locator('main'), '结果已保存并扣费');
    await playsFrames(page.getByLabel('结果：视频'));
    await says(page.locator('main'), /不占用唯一的一次下载机会/);
    await page.getByLabel('上传的音频').waitFor();
    const link = await page.getByRole('link', { name: '在 Temporal 中打开' }).getAttribute('href');
    assert.equal(link, `https://temporal.example.com/namespaces/default/workflows/${id}`);
    await page.getByRole('tab', { name: '供应商调用' }).click();
    await says(page.getByRole('tabpanel'), 'simulator');
    await audited(page);
    await (await gateway.fetch(`/v1/svctalk/generate/${id}`, { key })).arrayBuffer();
    await gateway.get('/v1/models', bearer(key)); // on the same connection: it proves that the video arrived
    await says(page.locator('main'), '结果已下载并删除');
  });
});

test('what is being read stays where it is while tasks arrive', async () => {
  const { key, account } = await gateway.newKey({ balance: '10' });
  for (let count = 0; count < 20; count++) await made(key, `Image ${count}`);
  await visit({ account }, async (page) => {
    const read = page.getByRole('link', { name: 'Image 3', exact: true });
    await read.waitFor();
    await page.evaluate('window.scrollTo(0, 400)');
    const before = await read.boundingBox();
    const id = await made(key, 'One more');
    await page.getByRole('button', { name: '1 new task' }).waitFor({ timeout: liveMs });
    assert.deepEqual(await read.boundingBox(), before);
    assert.equal(await rowOf(page, id).count(), 0);
    await page.getByRole('button', { name: '1 new task' }).click();
    await rowOf(page, id).waitFor();
  });
});
