/**
 * Every page of the console with a life's worth of data, in both languages, light and dark, on a desk and on a phone: fit
 * accessible, quiet, and without requests to other hosts. With TOLLGATE_SCREENSHOTS=1 it renews the screenshots in `docs/console`.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { browser, type VisitOptions } from '../../support/browser.ts';
import { assertNoSidewaysScroll, audited } from '../../support/browser/accessibility.ts';
import { screenshotOf } from '../../support/browser/traces.ts';
import { moveTo, openAs } from '../../support/console.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { newPerson, password } from '../../support/people.ts';

let gateway: TestGateway;
let email: string;
let pages: readonly { name: string; path: string }[];
before(async () => {
  gateway = await startTestGateway();
  const { account } = gateway;
  ({ email } = await newPerson(gateway, {
    email: 'ada@example.com',
    memberships: [{ account, role: 'owner' }],
    isOperator: true,
  }));
  await newPerson(gateway, { email: 'grace@example.com', memberships: [{ account, role: 'member' }] });
  const { image, keyId } = await live(gateway);
  const ofAccount = (name: string, path = name) => ({ name, path: `/console/${account}/${path}` });
  const ofOperator = (name: string) => ({ name: `operator-${name}`, path: `/console/operator/${name}` });
  pages = [
    ...[
      'overview',
      'keys',
      'requests',
      'tasks',
      'batches',
      'usage',
      'ledger',
      'statement',
      'models',
      'team',
      'acts',
      'settings',
    ].map((name) => ofAccount(name)),
    ofAccount('key', `keys/${keyId}`),
    ofAccount('task', `tasks/${image}`),
    ofAccount('batch-new', 'batches/new'),
    ...['chat', 'image', 'video', 'avatar-talk', 'speech', 'transcription'].map((mode) =>
      ofAccount(`playground-${mode}`, `playground/${mode}`),
    ),
    { name: 'profile', path: '/console/profile' },
    ...[
      'overview',
      'accounts',
      'people',
      'models',
      'acts',
      'providers',
      'usage',
      'margin',
      'requests',
      'tasks',
      'batches',
      'webhooks',
      'unknown',
      'audit',
      'reconcile',
    ].map(ofOperator),
  ];
});
after(() => gateway.stop());

const looks = {
  'en on a desk': { locale: 'en-US', colorScheme: 'light', screen: 'desktop', suffix: 'en' },
  'zh on a phone in the dark': { locale: 'zh-CN', colorScheme: 'dark', screen: 'phone', suffix: 'zh-phone-dark' },
} as const satisfies Record<string, Partial<VisitOptions> & { suffix: string }>;

describe('each page is fit for everybody', () => {
  for (const [name, { suffix, ...look }] of Object.entries(looks)) {
    test(name, () =>
      browser.visit({ origin: gateway.url, ...look }, async (page) => {
        await openAs(page, { url: gateway.url, email, password }, '/console/profile');
        for (const { name: pageName, path } of pages) {
          await moveTo(page, path);
          await settled(page);
          assert.equal(new URL(page.url()).pathname, path);
          await audited(page);
          await assertNoSidewaysScroll(page);
          await screenshotOf(page, `${pageName}-${suffix}`);
        }
      }),
    );
  }
});

/** Waits until the page has its heading, and nothing in it is being read for the first time. */
async function settled(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.locator('main .ant-skeleton').first().waitFor({ state: 'detached' });
}

/** Calls and tasks of every kind: done, failed and still running. */
async function live(on: TestGateway): Promise<{ image: string; keyId: string }> {
  const limits = { callLimits: [{ calls: 100, per: 'day' } as const], allowedIps: ['127.0.0.0/8', '::1'] };
  const { key, keyId } = await on.newKeyOf(on.account, { name: 'batch jobs', ...limits });
  const headers = { Authorization: `Bearer ${key}`, Prefer: 'wait=0' };
  for (const model of ['sim-chat', 'sim-code', 'sim-chat']) {
    await on.post(
      '/v1/chat/completions',
      { model, messages: [{ role: 'user', content: 'How long is a toll road?' }] },
      headers,
    );
  }
  const create = async (path: string, body: unknown) => {
    const { status, body: record } = await on.post(path, body, headers);
    assert.equal(status, 202, JSON.stringify(record));
    return String(record['id']);
  };
  const image = await create('/v1/images/generations', {
    model: 'sim-image',
    prompt: 'A toll gate at dawn',
    size: '1024x1024',
  });
  const failed = await create('/v1/images/generations', {
    model: 'sim-image',
    prompt: '[sim:fail=the brush broke]',
    size: '1024x1024',
  });
  const video = await create('/v1/video/generations', {
    model: 'sim-video-fast',
    prompt: 'Cars pass the gate',
    duration: 5,
    ratio: '16:9',
  });
  for (const id of [image, failed]) await on.finished(`/v1/images/generations/${id}`, key);
  await on.finished(`/v1/video/generations/${video}`, key);
  await create('/v1/video/generations', {
    model: 'sim-video-pro',
    prompt: '[sim:delay=600s] A long video',
    duration: 5,
    ratio: '16:9',
  });
  return { image, keyId };
}
