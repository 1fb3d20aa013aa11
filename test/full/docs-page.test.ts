/** `/docs` in a real Chromium: every operation of the document, accessible, without requests to other hosts; and its samples run. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { type ApiDocument, type Operation, readDocument } from '../../console/src/docs/document.ts';
import { languagesOf, type SampleLanguage, sampleOf } from '../../console/src/docs/samples.ts';
import { builtInConfiguration } from '../../src/config/built-in.ts';
import { startBrowser, type TestBrowser, type VisitOptions } from '../support/browser.ts';
import { assertNoSidewaysScroll, audited } from '../support/browser/accessibility.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { mp4, png, wav } from '../support/media.ts';
import { pythonWith } from '../support/python.ts';

const run = promisify(execFile);

const batchLine = `${JSON.stringify({
  ...{ custom_id: '1', method: 'POST', url: '/v1/chat/completions' },
  body: { model: 'sim-chat', messages: [{ role: 'user', content: 'Hello' }] },
})}\n`;

let gateway: TestGateway;
let browser: TestBrowser;
let api: ApiDocument;
let operations: Operation[];
before(async () => {
  gateway = await startTestGateway();
  browser = await startBrowser();
  api = readDocument((await gateway.get('/openapi.json')).body);
  operations = api.groups.flatMap((group) => group.operations);
});
after(async () => {
  await browser.close();
  await gateway.stop();
});

const looks = {
  'on a desk': { colorScheme: 'light', screen: 'desktop' },
  'in Chinese on a phone of 375 px in the dark': { locale: 'zh-CN', colorScheme: 'dark', screen: 'phone' },
} as const satisfies Record<string, Partial<VisitOptions>>;

describe('the page', () => {
  for (const [name, look] of Object.entries(looks)) {
    test(`${name} shows every operation with its samples and examples, fit for everybody`, () =>
      browser.visit({ origin: gateway.url, ...look }, async (page) => {
        await opened(page);
        const shown = await page.evaluate(`[...document.querySelectorAll('article')].map(({ id }) => id)`);
        assert.deepEqual(
          shown,
          operations.map(({ id }) => id),
        );
        assert.ok(operations.length > 60);
        await audited(page);
        await assertNoSidewaysScroll(page);
        for (const { id } of operations.filter(({ root }) => root !== '/ai/v1')) {
          const card = page.locator(`[id="${id}"]`);
          await card.getByRole('button').first().click();
          await card.locator('.docs-code').first().waitFor();
        }
        await page.evaluate(`document.querySelectorAll('.docs-later').forEach((one) => (one.open = true))`);
        await page.locator('.docs-try').last().waitFor();
        await audited(page);
        await assertNoSidewaysScroll(page);
      }));
  }

  test('opens the operation that its address names, and shows its example in each language', () =>
    browser.visit({ origin: gateway.url }, async (page) => {
      await opened(page, '#createImage');
      const card = page.locator('#createImage');
      await card.getByText('A toll gate in the morning fog').first().waitFor();
      await card.getByLabel('Python').check();
      await card.getByText('client = OpenAI(').waitFor();
      await card.getByRole('combobox').first().selectOption({ label: 'An exact size' });
      await card.getByText('"1024x1536"').waitFor();
      await card.getByText('img_', { exact: false }).first().waitFor();
    }));

  test('finds operations by words, by keyboard alone', () =>
    browser.visit({ origin: gateway.url }, async (page) => {
      await opened(page);
      await page.getByRole('searchbox').focus();
      await page.keyboard.type('cancelvideo delete');
      await page.getByText('2 operations').waitFor();
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      const button = page.locator('#cancelVideo').getByRole('button').first();
      await assert.doesNotReject(button.and(page.locator('[aria-expanded=true]:focus')).waitFor());
    }));

  test('sends a request with a pasted key, shows what came, and stores nothing', () =>
    browser.visit({ origin: gateway.url }, async (page) => {
      await opened(page, '#createChatCompletion');
      await page.getByLabel('API key').fill(gateway.key);
      const card = page.locator('#createChatCompletion');
      await card.getByText('Try it').click();
      await card.getByRole('button', { name: 'Send' }).click();
      await card.getByRole('region', { name: 'Response' }).getByText('You wrote').waitFor();
      await card.locator('.docs-try').getByRole('combobox').selectOption({ label: 'Streaming' });
      await card.getByRole('button', { name: 'Send' }).click();
      await card.getByRole('region', { name: 'Response' }).getByText('data: [DONE]').waitFor();
      await card.getByLabel('Request body').fill('{');
      await card.getByRole('button', { name: 'Send' }).click();
      await card.getByText('Invalid JSON').waitFor();
      const stored = await page.evaluate(
        `JSON.stringify([{ ...localStorage }, { ...sessionStorage }]) + document.cookie`,
      );
      assert.equal(stored, '[{},{}]');
      await page.reload();
      assert.equal(await page.getByLabel('API key').inputValue(), '');
    }));

  test('says so when the document can not be had, and asks again', () =>
    browser.visit({ origin: gateway.url, expectAnswers: [{ status: 503, path: '/openapi.json' }] }, async (page) => {
      await page.route('**/openapi.json', (route) => route.fulfill({ status: 503, body: '' }), { times: 1 });
      await page.goto('/docs');
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByRole('heading', { level: 1 }).waitFor();
    }));
});

describe('each sample works as it is', () => {
  let folder: string;
  /** Its tasks stay where they are, so that they can be cancelled. */
  let still: TestGateway;
  let ids: readonly (readonly [example: string, real: () => Promise<string>])[];
  before(async () => {
    const configuration = builtInConfiguration.replaceAll(/wait_seconds: \d+/g, 'wait_seconds: 0');
    still = await startTestGateway({ configuration, worker: false });
    folder = await mkdtemp(join(tmpdir(), 'tollgate-samples-'));
    await writeFile(join(folder, 'speech.wav'), wav({ seconds: 0.5, samplesPerSecond: 8_000 }));
    await writeFile(join(folder, 'footage.mp4'), await mp4({ seconds: 1 }));
    await writeFile(join(folder, 'gate.png'), await png({ width: 64, height: 64 }));
    await writeFile(join(folder, 'lines.jsonl'), batchLine);
    await symlink(join(import.meta.dirname, '../../node_modules'), join(folder, 'node_modules'));
    ids = realIds();
  });
  after(async () => {
    await still.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** What can't be called by its example alone, and why. */
  const exempt: Readonly<Record<string, string>> = {
    getFile: 'the link is signed',
    callHook: 'the address is signed',
    cancelResponse: 'the simulator makes no response in the background',
    getOpenAiVideoContent: 'the video is not made yet',
    deleteOpenAiVideo: 'only a video that has ended is deleted',
  };
  /** Of one root: those of the others differ in the address alone. */
  const called = () =>
    operations.filter(({ id, isWebhook, root }) => !isWebhook && root !== '/ai/v1' && exempt[id] === undefined);

  for (const language of ['curl', 'python', 'node'] satisfies SampleLanguage[]) {
    test(language, async () => {
      let count = 0;
      for (const operation of called().filter((one) => languagesOf(one).includes(language))) {
        const [body] = operation.bodies;
        for (const example of body?.examples ?? [undefined]) {
          await runSample(
            language,
            await made(sampleOf(language, still.url, operation, body && { body, example })),
            still,
          );
          count += 1;
        }
      }
      assert.ok(count >= 33, String(count));
    });

    test(`${language}, of a file`, async () => {
      const operation = operations.find(({ id }) => id === 'getAvatarTalk')!;
      const id = await ended(await talk(gateway));
      const sample = sampleOf(language, gateway.url, operation).replaceAll(exampleOf('getAvatarTalk'), id);
      await runSample(language, sample, gateway);
      assert.equal((await readFile(join(folder, 'video.mp4'))).toString('latin1', 4, 8), 'ftyp');
      await rm(join(folder, 'video.mp4'));
    });
  }

  /** Ids of the examples become those of things that there are. */
  async function made(sample: string): Promise<string> {
    let text = sample;
    for (const [example, real] of ids) if (text.includes(example)) text = text.replaceAll(example, await real());
    return text;
  }

  async function runSample(language: SampleLanguage, sample: string, { key }: TestGateway): Promise<void> {
    const file = join(folder, { curl: 'sample.sh', python: 'sample.py', node: 'sample.mjs' }[language]);
    await writeFile(file, language === 'curl' ? sample.replace(/^curl/, 'curl -sS --fail-with-body') : sample);
    const python = async () => join(await pythonWith('openai==3.54.0'), 'python');
    const program = { curl: () => 'bash', python, node: () => process.execPath }[language];
    const env = { ...process.env, TOLLGATE_API_KEY: key };
    await run(await program(), [file], { cwd: folder, env }).catch((error: unknown) =>
      assert.fail(`${sample}\n${String(error)}`),
    );
  }

  function realIds() {
    const idOf = async (answer: Promise<{ body: Record<string, unknown> }>) => String((await answer).body['id']);
    const image = () => idOf(still.post('/v1/images/generations', { model: 'sim-image', prompt: 'A gate' }));
    const video = () => idOf(still.post('/v1/video/generations', { model: 'sim-video-fast', prompt: 'A gate' }));
    const file = () => {
      const form = new FormData();
      form.set('purpose', 'batch');
      form.set('file', new Blob([batchLine]), 'lines.jsonl');
      return still.fetch('/v1/files', { method: 'POST', body: form }).then(idIn);
    };
    const batch = async () => {
      const asked = { endpoint: '/v1/chat/completions', completion_window: '24h', input_file_id: await file() };
      return idOf(still.post('/v1/batches', asked));
    };
    return [
      [exampleOf('getImage'), image],
      [exampleOf('getVideo'), video],
      [exampleOf('getAvatarTalk'), () => talk(still)],
      [exampleOf('retrieveFile'), file],
      [exampleOf('retrieveBatch'), batch],
      [exampleOf('getKey'), () => idOf(still.post('/v1/account/keys', { name: 'sample' }))],
      [exampleOf('getResponse'), () => idOf(still.post('/v1/responses', { model: 'sim-code', input: 'Hello' }))],
    ] as const;
  }

  const exampleOf = (id: string) =>
    operations.find((one) => one.id === id)!.parameters.find(({ place }) => place === 'path')!.example;

  async function talk(on: TestGateway): Promise<string> {
    const form = new FormData();
    for (const [name, file] of [
      ['audio', 'speech.wav'],
      ['video', 'footage.mp4'],
    ] as const) {
      form.set(name, new Blob([new Uint8Array(await readFile(join(folder, file)))]), file);
    }
    const answer = await on.fetch('/v1/svctalk/generate', { method: 'POST', body: form });
    return idIn(answer);
  }

  const idIn = async (answer: Response): Promise<string> => String(((await answer.json()) as { id: unknown }).id);

  /** The list fetches nothing. */
  async function ended(id: string): Promise<string> {
    for (;;) {
      const { body } = await gateway.get('/v1/tasks?kind=avatar_talk&status=completed');
      if ((body['data'] as { id: string }[]).some((task) => task.id === id)) return id;
      await setTimeout(100);
    }
  }
});

async function opened(page: Page, hash = ''): Promise<void> {
  await page.goto(`/docs${hash}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
}
