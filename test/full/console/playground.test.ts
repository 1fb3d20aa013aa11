/** The playground in a browser: each form runs, shows what is held and what was charged, and loses nothing. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import type { Locator, Page } from 'playwright-core';
import * as z from 'zod';
import { builtInConfiguration } from '../../../src/config/built-in.ts';
import { assertNoSidewaysScroll, audited } from '../../support/browser/accessibility.ts';
import { decodedSize, playsFrames } from '../../support/browser/playing.ts';
import { screenshotOf } from '../../support/browser/traces.ts';
import { expectAnswers } from '../../support/browser/watch.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { maskPng, mp4, png, textFile, wav } from '../../support/media.ts';
import { until } from '../../support/process.ts';
import { costs, playgroundOf } from '../../support/playground.ts';
import { chatStream, deltaEvent, openUpstream, type Upstream } from '../../support/upstream.ts';

let gateway: TestGateway;
let upstream: Upstream;
let closeUpstream: () => Promise<void>;

before(async () => {
  ({ upstream, close: closeUpstream } = await openUpstream());
  const provider = `providers:\n  slow: { kind: openai, base_url: '${upstream.url}' }\n`;
  const model = `  - id: slow-chat
    kind: chat
    capabilities: [chat, vision]
    routes: [{ provider: slow, model: slow }]
    price: { input_per_million: 1000, output_per_million: 1000 }
`;
  gateway = await startTestGateway({
    configuration: `${builtInConfiguration.replace('providers:\n', provider)}${model}`,
  });
});
after(async () => {
  await gateway.stop();
  await closeUpstream();
});

const playing = playgroundOf(() => gateway);

const entriesForm = z.array(
  z.looseObject({ type: z.string(), amount: z.number(), charged: z.number(), model: z.string().nullable() }),
);

/** What the ledger says of the account's runs: CNY held in all, and charged in all. */
async function bookedFor({ key }: { key: string }): Promise<{ held: number; charged: number }> {
  const { body } = await gateway.get('/v1/account/ledger?limit=100', { Authorization: `Bearer ${key}` });
  const entries = entriesForm.parse(body['data']);
  const sum = (values: number[]) => Math.round(values.reduce((all, value) => all + value, 0) * 1e6) / 1e6;
  return {
    held: sum(entries.filter(({ type }) => type === 'hold').map(({ amount }) => -amount)),
    charged: sum(entries.map(({ charged }) => charged)),
  };
}

/** From its head on. */
async function takeScreenshot(page: Page, name: string): Promise<void> {
  await page.evaluate('scrollTo(0, 0)');
  await screenshotOf(page, name);
}

const costBefore = (page: Page) => page.getByLabel('Estimated cost');
/** Waits until the cost that is held has been quoted. */
const quoted = async (page: Page, label = 'Estimated cost') => {
  await page
    .getByLabel(label)
    .getByText(/¥.*(×|tokens)/)
    .waitFor();
  await page.locator('[aria-busy=true]').waitFor({ state: 'detached' });
};

test('a chat streams: its first words stand there before its last, its cost is the ledger’s, and it can be stopped', async () => {
  await playing('chat?model=slow-chat', async (page, at) => {
    const message = page.getByLabel('Message');
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const { pieces = [] } = chatStream(['And <b>here</b> is code:\n```js\nlet a = 1;\n```\n', 'The end.']);
    upstream.answers({ pieces: [deltaEvent('The first words. '), held, ...pieces] });
    await page.getByLabel('Max output tokens').fill('50');
    const code = page.getByRole('region', { name: 'The same request as code' });
    await code.getByText('"content": "Your message"').waitFor();
    await message.fill('Tell me');
    await code.getByText('"content": "Tell me"').waitFor();
    await quoted(page);
    const { Hold: hold } = await costs(costBefore(page));
    await page.getByRole('button', { name: 'Send' }).click();
    const answer = page.getByRole('article', { name: 'Model' });
    await answer.getByText('The first words.').waitFor();
    assert.equal(await answer.getByText('The end.').count(), 0);
    release();
    await answer.getByText('The end.').waitFor();
    await answer.getByText('<b>here</b>').waitFor(); // as text
    assert.equal(await answer.locator('pre').innerText(), 'let a = 1;');
    const receipt = answer.getByLabel('Actual cost');
    await receipt.getByText('Charged', { exact: true }).waitFor();
    const booked = await bookedFor(at);
    const { Charged: charged, Released: returned } = await costs(receipt);
    assert.deepEqual({ held: hold, charged }, booked);
    assert.equal(returned, Math.round((booked.held - booked.charged) * 1e6) / 1e6);
    await receipt.getByText('9 in, 2 out').waitFor();
    await code.getByText('"content": "Tell me"').waitFor(); // what was sent, without the answer or an empty turn
    assert.doesNotMatch(await code.innerText(), /"content": ""|"assistant"/);
    await costBefore(page)
      .getByText(`¥${(10 - booked.charged).toFixed(3)}`)
      .waitFor(); // the balance
    await audited(page);
    await takeScreenshot(page, 'playground-chat-en');

    upstream.answers({ pieces: [deltaEvent('Before the stop. '), new Promise(() => undefined)] });
    await message.fill('Go on');
    await message.press('Enter');
    await answer.getByText('Before the stop.').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('Stopped. Output produced').waitFor();
    await answer.nth(1).getByText('Charged', { exact: true }).waitFor();
    assert.equal(
      Math.round(((await bookedFor(at)).charged - booked.charged) * 1e6) / 1e6,
      (await costs(answer.nth(1).getByLabel('Actual cost')))['Charged'],
    );

    await answer.nth(1).getByRole('link', { name: 'Ledger entries' }).click();
    await page.locator('.ant-segmented-item', { hasText: 'All entries' }).click();
    await page.getByRole('row', { name: /Charge/ }).waitFor();
    assert.equal(await page.getByRole('row').count(), 4); // its head, hold, charge and release
    await page.goBack();

    upstream.answers({ pieces: [deltaEvent('Before it is cleared. '), new Promise(() => undefined)] });
    await message.fill('Once more');
    await message.press('Enter');
    await answer.getByText('Before it is cleared.').waitFor();
    await page.getByRole('button', { name: 'New conversation' }).click();
    await page.waitForTimeout(500);
    assert.equal(await answer.count(), 0);

    await message.fill('Not sent yet');
    await page.getByRole('link', { name: 'Image', exact: true }).click();
    await page.getByRole('link', { name: 'Chat', exact: true }).click();
    assert.equal(await message.inputValue(), 'Not sent yet');
    await page.reload();
    assert.equal(await message.inputValue(), 'Not sent yet');
    assert.equal(await answer.count(), 0);
  });
});

test('an image is edited from the files that were chosen, with a mask, and the code names them', async () => {
  await playing('image', async (page, at) => {
    await page.getByLabel('Prompt').fill('The gate in the fog');
    const file = (name: string, buffer: Buffer) => ({ name, mimeType: 'image/png', buffer });
    await page.getByLabel('Your own images').setInputFiles([file('gate.png', await png({ width: 64, height: 48 }))]);
    await page.getByLabel('Mask').setInputFiles([
      file(
        'mask.png',
        maskPng(64, 48, (x) => x < 32),
      ),
    ]);
    await page.getByText('gate.png', { exact: true }).waitFor();
    assert.match(
      await page.locator('.tg-play-code').innerText(),
      /images\/edits[^]*image=@"gate.png"[^]*mask=@"mask.png"/,
    );
    await audited(page);
    await page.getByRole('button', { name: 'Run' }).click();
    const image = page.getByRole('img', { name: /Image 1 of/ });
    await image.waitFor();
    assert.deepEqual(await decodedSize(image), { width: 2048, height: 2048 });
    assert.deepEqual(await bookedFor(at), { held: 0.2, charged: 0.2 });
    await page.getByRole('button', { name: 'Remove your images' }).click();
    assert.doesNotMatch(await page.locator('.tg-play-code').innerText(), /images\/edits/);
  });
});

test('an image is quoted, made, decoded and charged as the ledger has it; what is refused stands at its field', async () => {
  await playing('image', async (page, at) => {
    const prompt = page.getByLabel('Prompt');
    await prompt.fill('A gate <i>in</i> the fog');
    await page.getByLabel('Size by').click();
    await page.getByTitle('Exact pixels').click();
    await page.getByLabel('Width x height').fill('64x64');
    expectAnswers(page, { status: 400, path: `/console/api/accounts/${at.account}/v1/images/generations` });
    await page.getByRole('button', { name: 'Run' }).click();
    const size = page.getByLabel('Width x height');
    await page.getByRole('alert').filter({ hasText: 'must have an area' }).waitFor();
    assert.equal(await size.getAttribute('aria-invalid'), 'true');
    assert.equal(await prompt.inputValue(), 'A gate <i>in</i> the fog');
    await size.fill('1024x1024');
    await quoted(page);
    const { Hold: hold } = await costs(costBefore(page));
    await page.getByRole('button', { name: 'Run' }).click();
    const run = page.getByRole('article', { name: 'A gate <i>in</i> the fog' });
    assert.deepEqual(await decodedSize(run.getByRole('img', { name: /Image 1/ })), { width: 1024, height: 1024 });
    const receipt = run.getByLabel('Actual cost');
    await receipt.getByText('Charged', { exact: true }).waitFor();
    const { Charged: charged } = await costs(receipt);
    assert.deepEqual(await bookedFor(at), { held: hold, charged });
    await costBefore(page).getByText('¥9.80').waitFor();
    await audited(page);
    await takeScreenshot(page, 'playground-image-en');
    await page.reload();
    await run.getByRole('img', { name: /Image 1/ }).waitFor();
    await prompt.fill('Something else');
    await run.getByRole('button', { name: 'Remove from this page' }).click();
    await page.getByRole('button', { name: 'History' }).click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /A gate <i>in<.i> the fog/ })
      .click();
    await run.getByRole('img', { name: /Image 1/ }).waitFor();
    assert.equal(await prompt.inputValue(), 'A gate <i>in</i> the fog');
    await codeRuns(page, at);
  });
});

/** The code that the page shows is what it says: run with a key, curl and Node make a task each. */
async function codeRuns(page: Page, { key }: { key: string }): Promise<void> {
  const env = { PATH: process.env['PATH'] ?? '', TOLLGATE_API_KEY: key };
  const codeOf = async (tab: string) => {
    await page.getByRole('tab', { name: tab }).click();
    return page.getByRole('region', { name: tab }).innerText();
  };
  const run = promisify(execFile);
  const curl = await run('bash', ['-c', await codeOf('curl')], { env });
  assert.match(curl.stdout, /"status":"succeeded"/);
  const node = await run(process.execPath, ['--input-type=module', '-e', await codeOf('Node.js')], { env });
  assert.match(node.stdout, /"status": "succeeded"/);
  const python = await codeOf('Python');
  const parse = 'import ast, sys; ast.parse(sys.argv[1])';
  await run('python3', ['-c', parse, python], { env });
}

test('a video plays, in Chinese, on a phone in the dark', async () => {
  await playing(
    'video',
    async (page, at) => {
      await page.getByLabel('提示词').fill('栏杆升起 [sim:delay=1s]');
      await quoted(page, '预估费用').catch(() => undefined);
      await page
        .getByLabel('预估费用')
        .getByText(/5 秒 × ¥0\.10/)
        .waitFor();
      await page.getByRole('button', { name: '运行' }).click();
      await page.getByText(/已运行 \d+ 秒/).waitFor();
      await playsFrames(page.locator('video'));
      const receipt = page.getByLabel('实际费用');
      await receipt.getByText('实扣').waitFor();
      const { 实扣: charged } = await costs(receipt);
      assert.deepEqual(await bookedFor(at), { held: 0.5, charged });
      await assertNoSidewaysScroll(page);
      await audited(page);
      await takeScreenshot(page, 'playground-video-zh-dark-phone');
      for (const [place, heading] of [
        ['对话', '对话'],
        ['图片', '图片'],
        ['数字人口播', '数字人口播'],
        ['语音合成', '语音合成'],
        ['语音识别', '语音识别'],
      ] as const) {
        await page.getByRole('link', { name: place, exact: true }).last().click();
        await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
        await page.getByLabel('预估费用').getByText('¥10.00').or(page.getByLabel('预估费用').getByText(/¥9/)).waitFor();
        await assertNoSidewaysScroll(page);
        await audited(page);
      }
    },
    { locale: 'zh-CN', colorScheme: 'dark', screen: 'phone' },
  );
});

test('a video that runs is found again, and can be cancelled', async () => {
  await playing('video', async (page, at) => {
    await page.getByLabel('Prompt').fill('Slow [sim:delay=300s]');
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByText(/Running for/).waitFor();
    await page.getByRole('link', { name: 'Chat', exact: true }).click();
    await page.getByLabel('Message').waitFor();
    await page.getByRole('link', { name: 'Video', exact: true }).click();
    await page.getByText(/Running for/).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Cancelled; nothing was charged.').waitFor();
    await page.getByText('Charged', { exact: true }).waitFor();
    assert.equal((await bookedFor(at)).charged, 0);
  });
});

test('an avatar talks: files are checked, uploaded with progress, and the video is fetched once and plays', async () => {
  const [audioFile, footage] = [wav({ seconds: 3, samplesPerSecond: 48_000, channels: 2 }), await mp4({ seconds: 1 })];
  await playing('avatar-talk', async (page, at) => {
    const audio = page.getByLabel('Audio', { exact: true });
    const run = page.getByRole('button', { name: 'Run' });
    await audio.setInputFiles({ name: 'song.wav', mimeType: 'audio/wav', buffer: textFile });
    await page.getByRole('alert').filter({ hasText: 'not a WAV or MP3' }).waitFor();
    await run.click();
    await page.getByRole('alert').filter({ hasText: 'Choose a file.' }).waitFor();
    await page
      .getByLabel('Video', { exact: true })
      .setInputFiles({ name: 'person.mp4', mimeType: 'video/mp4', buffer: footage });
    await page.getByText(/person\.mp4, .*1 s/).waitFor();
    // A file that looks right at its beginning is for the server to refuse.
    const header = wav({ seconds: 0 });
    await audio.setInputFiles({ name: 'broken.wav', mimeType: 'audio/wav', buffer: header });
    expectAnswers(page, { status: 400, path: `/console/api/accounts/${at.account}/v1/svctalk/generate` });
    await run.click();
    await page.getByRole('alert').filter({ hasText: 'audio must be a WAV or MP3 file' }).waitFor();
    assert.equal(await audio.getAttribute('aria-invalid'), 'true');

    await audio.setInputFiles({ name: 'speech.wav', mimeType: 'audio/wav', buffer: audioFile });
    await page.getByText(/speech\.wav, .*3 s/).waitFor();
    await quoted(page);
    const { Hold: hold } = await costs(costBefore(page));
    assert.equal(hold, 0.15);
    await slowUploads(page, 200_000);
    await run.click();
    await page.getByText(/Uploading [1-9]\d?% of .*B\/s/).waitFor();
    await page.getByRole('button', { name: 'Cancel upload' }).click();
    await page.getByText('The video will appear here').waitFor();
    await run.click();
    await page.getByText(/Uploading [1-9]\d?% of .*B\/s/).waitFor();
    await takeScreenshot(page, 'playground-avatar-talk-upload-en');
    await slowUploads(page, -1);
    const video = page.getByLabel('The finished video');
    await playsFrames(video);
    await page.getByText('A finished video can be downloaded only once').waitFor();
    const receipt = page.getByLabel('Actual cost');
    await receipt.getByText('Charged', { exact: true }).waitFor();
    const { Charged: charged } = await costs(receipt);
    assert.deepEqual(await bookedFor(at), { held: hold, charged });
    await audited(page);
    await takeScreenshot(page, 'playground-avatar-talk-en');
    // It stays while the reader looks elsewhere, though it can't be fetched again.
    await page.getByRole('link', { name: 'Chat', exact: true }).click();
    await page.getByLabel('Message').waitFor();
    await page.getByRole('link', { name: 'Avatar talk', exact: true }).click();
    await playsFrames(video);
    await page.getByRole('button', { name: 'Make another' }).click();
    await video.waitFor({ state: 'detached' });
    // The history has the files' names; a task that was fetched has no files any more.
    await page.reload();
    await page.getByRole('button', { name: 'History' }).click();
    await page.getByRole('button', { name: /speech\.wav, person\.mp4/ }).click();
    await page.getByText(/^(Filled in from task|Task) avt_\w+/).waitFor();
  });
});

test('a text is spoken and plays, and what was spoken is transcribed, each at the cost that the ledger has', async () => {
  await playing('speech', async (page, at) => {
    await page.getByLabel('Text', { exact: true }).fill('The gate is open');
    await page.getByLabel('Format').click();
    await page.getByTitle('wav').click();
    await page
      .getByLabel('Estimated cost')
      .getByText(/16 characters × ¥0\.0001/)
      .waitFor();
    await page.getByRole('button', { name: 'Run' }).click();
    const spoken = page.getByRole('article', { name: 'The gate is open' });
    const audio = spoken.getByLabel('Generated speech');
    await audio.waitFor();
    assert.ok((await secondsOf(audio)) > 1);
    const receipt = spoken.getByLabel('Actual cost');
    await receipt.getByText('Charged', { exact: true }).waitFor();
    assert.equal((await bookedFor(at)).charged, 0.0016);
    await audited(page);
    await takeScreenshot(page, 'playground-speech-en');
    // The simulator has no Opus: its own words stand at the field.
    await page.getByLabel('Format').click();
    await page.getByTitle('opus').click();
    expectAnswers(page, { status: 400, path: `/console/api/accounts/${at.account}/v1/audio/speech` });
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByRole('alert').filter({ hasText: "can't write" }).waitFor();

    await page.getByRole('link', { name: 'Transcription', exact: true }).click();
    await page.getByRole('heading', { name: 'Transcription' }).waitFor();
    const run = page.getByRole('button', { name: 'Run' });
    await run.click();
    await page.getByRole('alert').filter({ hasText: 'Choose a file.' }).waitFor();
    const file = page.getByLabel('Audio file');
    await file.setInputFiles({ name: 'notes.wav', mimeType: 'audio/wav', buffer: textFile });
    expectAnswers(page, { status: 400, path: `/console/api/accounts/${at.account}/v1/audio/transcriptions` });
    await run.click();
    await page.getByRole('alert').filter({ hasText: 'file must be FLAC' }).waitFor();
    assert.equal(await file.getAttribute('aria-invalid'), 'true');
    await file.setInputFiles({ name: 'speech.wav', mimeType: 'audio/wav', buffer: wav({ seconds: 1.5 }) });
    await page.getByText(/speech\.wav, .*1\.5 s/).waitFor();
    await page
      .getByLabel('Estimated cost')
      .getByText(/2 s × ¥0\.001/)
      .waitFor();
    await run.click();
    const heard = page.getByRole('article', { name: 'speech.wav' });
    await heard.getByRole('button', { name: 'Copy text' }).waitFor();
    await heard.getByText('Charged', { exact: true }).waitFor();
    assert.equal((await bookedFor(at)).charged, 0.0036);
    await audited(page);
    await takeScreenshot(page, 'playground-transcription-en');
    // What was made stays while the reader looks elsewhere.
    await page.getByRole('link', { name: 'Speech', exact: true }).click();
    await audio.waitFor();
    await spoken.getByRole('button', { name: 'Remove from this page' }).click();
    await audio.waitFor({ state: 'detached' });
    // The history fills the forms again; of a transcription it has the text.
    await page.getByLabel('Text', { exact: true }).fill('Something else');
    await page.reload();
    await page.getByRole('button', { name: 'History' }).click();
    await page.getByRole('button', { name: /The gate is open/ }).click();
    assert.equal(await page.getByLabel('Text', { exact: true }).inputValue(), 'The gate is open');
    await page.getByRole('link', { name: 'Transcription', exact: true }).click();
    await page.getByRole('heading', { name: 'Transcription' }).waitFor();
    assert.equal(await heard.count(), 0);
    await page.getByRole('button', { name: 'History' }).click();
    await audited(page);
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /speech\.wav/ })
      .click();
    await heard.getByText('Charged', { exact: true }).waitFor();
  });
});

/** How long an audio element plays, once the browser knows. */
const secondsOf = (audio: Locator): Promise<number> =>
  until('its length', async () => {
    const seconds = await audio.evaluate((element: { readyState: number; duration: number }) =>
      element.readyState > 0 ? element.duration : null,
    );
    return seconds ?? undefined;
  });

/** Bytes a second that the page can send; -1: as many as it likes. */
async function slowUploads(page: Page, bytesPerSecond: number): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', {
    ...{ offline: false, latency: 0, downloadThroughput: -1 },
    uploadThroughput: bytesPerSecond,
  });
}

test('without money the page says how to top up, and a member sees why nothing runs', async () => {
  await playing(
    'image',
    async (page, at) => {
      await page.getByLabel('Prompt').fill('Too dear');
      expectAnswers(page, { status: 402, path: `/console/api/accounts/${at.account}/v1/images/generations` });
      await page.getByRole('button', { name: 'Run' }).click();
      await page.getByRole('alert').filter({ hasText: 'Ask an operator to top up' }).waitFor();
      assert.equal(await page.getByLabel('Prompt').inputValue(), 'Too dear');
    },
    { balance: '0.1' },
  );
  await playing(
    'chat',
    async (page) => {
      await page.getByText('only owners of the account can spend its balance').waitFor();
      assert.equal(await page.getByLabel('Message').isDisabled(), true);
      await page.getByRole('link', { name: 'Avatar talk', exact: true }).click();
      await page.getByRole('heading', { name: 'Avatar talk', level: 1 }).waitFor();
      assert.equal(await page.getByLabel('Audio', { exact: true }).isDisabled(), true);
      assert.equal(await page.getByRole('button', { name: 'Run' }).isDisabled(), true);
      await audited(page);
    },
    { role: 'member' },
  );
});
