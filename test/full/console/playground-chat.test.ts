/** The playground's chat: parameters, tools, Markdown, turns, comparison, attachments, history, and its code. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import type { Locator, Page } from 'playwright-core';
import { listKeys } from '../../../src/accounts/api-keys.ts';
import { builtInConfiguration } from '../../../src/config/built-in.ts';
import { assertNoSidewaysScroll, audited } from '../../support/browser/accessibility.ts';
import { screenshotOf } from '../../support/browser/traces.ts';
import { expectAnswers } from '../../support/browser/watch.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { png, textFile } from '../../support/media.ts';
import { playgroundOf } from '../../support/playground.ts';
import {
  type Answer,
  chatEvent,
  chatStream,
  doneEvent,
  openUpstream,
  type Upstream,
  usageEvent,
} from '../../support/upstream.ts';

let gateway: TestGateway;
let upstream: Upstream;
let closeUpstream: () => Promise<void>;

before(async () => {
  ({ upstream, close: closeUpstream } = await openUpstream());
  const provider = `providers:\n  own: { kind: openai, base_url: '${upstream.url}' }\n`;
  const models = ['chat-one', 'chat-two'].map(
    (id) => `  - id: ${id}
    kind: chat
    capabilities: [chat, vision, tools]
    routes: [{ provider: own, model: ${id} }]
    price: { input_per_million: 1000, output_per_million: 1000 }
`,
  );
  gateway = await startTestGateway({
    configuration: `${builtInConfiguration.replace('providers:\n', provider)}${models.join('')}`,
  });
});
after(async () => {
  await gateway.stop();
  await closeUpstream();
});

const playing = playgroundOf(() => gateway);
const place = 'chat?model=chat-one';
const answers = (page: Page | Locator) => page.getByRole('article', { name: 'Model', exact: true });
const codeOf = (page: Page) => page.getByRole('region', { name: 'The same request as code' });
const chats = () => upstream.requests.filter(({ path }) => path.endsWith('/chat/completions'));
const sentLast = () => chats().at(-1)?.json() as Record<string, unknown>;
const messagesSent = () => sentLast()['messages'] as Record<string, unknown>[];

/** Answers of chats in their order, the last one again and again; other requests take none. */
function answerWith(...script: readonly Answer[]): void {
  let place = 0;
  upstream.answers(({ path }) =>
    path.endsWith('/chat/completions') ? script[Math.min(place++, script.length - 1)]! : { json: { data: [] } },
  );
}

async function say(page: Page, text: string): Promise<void> {
  await page.getByLabel('Message').fill(text);
  await page.getByRole('button', { name: /^(send )?Send$/ }).click();
}

async function choose(page: Page, label: string, option: string): Promise<void> {
  await page.getByLabel(label, { exact: true }).click();
  await page.getByTitle(option, { exact: true }).click();
}

const group = (page: Page, name: string) => page.locator('summary', { hasText: name }).click();

test('every parameter is sent as the form has it, bad JSON is named beside its field, and the code is exactly that request', async () => {
  await playing(place, async (page, at) => {
    answerWith(chatStream(['{"summary":"short","score":1}']));
    await page.getByLabel('System prompt').fill('Be brief.');
    await page.getByLabel('Temperature').fill('0.5');
    await page.getByLabel('Max output tokens').fill('50');
    await group(page, 'Sampling');
    await page.getByLabel('Top P').fill('0.9');
    await page.getByLabel('Seed').fill('7');
    await page.getByLabel('Presence penalty').fill('0.1');
    await page.getByLabel('Frequency penalty').fill('-0.2');
    await page.getByLabel('Stop sequences').fill('END\nSTOP');
    await choose(page, 'Reasoning effort', 'high');
    await group(page, 'Response format');
    await choose(page, 'Format', 'json_schema');
    await page.getByRole('button', { name: 'Insert example' }).first().click();
    await group(page, 'Tools');
    await page.getByLabel('Tool definitions').fill('[{"type": "function",]');
    await page.getByRole('alert').filter({ hasText: 'This is not valid JSON' }).waitFor();
    await group(page, 'End user');
    await page.getByLabel('End user').fill('reader-1');
    await page.getByLabel('Tag', { exact: true }).fill('trial');
    await page.getByLabel('Other fields').fill('{"logprobs": true, "top_k": 4}');
    await group(page, 'Tools'); // closed, it opens by itself at the mistake
    const before = chats().length;
    await say(page, 'Sum it up');
    const tools = page.getByLabel('Tool definitions');
    await page.getByRole('alert').filter({ hasText: 'This is not valid JSON' }).waitFor();
    assert.equal(await tools.getAttribute('aria-invalid'), 'true');
    assert.equal(await tools.evaluate('document.activeElement.id'), await tools.getAttribute('id'));
    assert.equal(chats().length, before);
    await audited(page);
    await tools.fill('');
    await page.getByRole('button', { name: 'Insert example' }).click();
    await choose(page, 'Tool choice', 'Only get_weather');
    await say(page, 'Sum it up');
    await answers(page).getByText('Charged', { exact: true }).waitFor();
    assert.match(await answers(page).getByRole('region', { name: 'JSON' }).innerText(), /"score": 1/);

    const sent = sentLast();
    const { tools: toolsSent, response_format: format, ...plain } = asWritten(sent);
    assert.deepEqual(plain, {
      ...{ model: 'chat-one', stream: true, temperature: 0.5, max_tokens: 50, top_p: 0.9, seed: 7 },
      ...{ presence_penalty: 0.1, frequency_penalty: -0.2, stop: ['END', 'STOP'], reasoning_effort: 'high' },
      ...{ user: 'reader-1', logprobs: true, top_k: 4 },
      tool_choice: { type: 'function', function: { name: 'get_weather' } },
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Sum it up' },
      ],
    });
    assert.equal((toolsSent as { function: { name: string } }[])[0]?.function.name, 'get_weather');
    assert.equal((format as { json_schema: { name: string } }).json_schema.name, 'answer');

    await page.getByLabel('Message').fill('typed, and not sent');
    await codeOf(page).getByText('The request that was sent last.').waitFor();
    await codeSends(page, at.key, sent);
    const { body } = await gateway.get('/v1/requests?tag=trial', { Authorization: `Bearer ${at.key}` });
    assert.equal((body['data'] as unknown[]).length, 3); // of the page, curl and Node
  });
});

/** Without what the gateway itself adds. */
const asWritten = (sent: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(sent).filter(([name]) => name !== 'stream_options'));

/** What the page shows as curl and Node sends the very same body; Python has all of it. */
async function codeSends(page: Page, key: string, sent: Record<string, unknown>): Promise<void> {
  const run = promisify(execFile);
  const options = { env: { PATH: process.env['PATH'] ?? '', TOLLGATE_API_KEY: key } };
  const textOf = async (tab: string) => {
    await codeOf(page).getByRole('tab', { name: tab }).click();
    return codeOf(page).getByRole('region', { name: tab }).innerText();
  };
  await run('bash', ['-c', await textOf('curl')], options);
  assert.deepEqual(sentLast(), sent);
  await run(process.execPath, ['--input-type=module', '-e', await textOf('Node.js')], options);
  assert.deepEqual(sentLast(), sent);
  const python = await textOf('Python');
  const { stdout } = await run('python3', [
    '-c',
    `import ast, json, sys
request = next(node.value for node in ast.parse(sys.argv[1]).body
  if isinstance(node, ast.Assign) and node.targets[0].id == 'request')
print(json.dumps(ast.literal_eval(request)))`,
    python,
  ]);
  const { extra_body: extra, extra_headers: headers, ...known } = JSON.parse(stdout) as Record<string, object>;
  assert.deepEqual(headers, { 'X-Tollgate-Tag': 'trial' });
  assert.deepEqual({ ...known, ...extra }, asWritten(sent));
}

const callEvents = (...deltas: object[]) =>
  deltas.map((call) => chatEvent({ choices: [{ index: 0, delta: { tool_calls: [call] }, finish_reason: null }] }));

test('a tool call is shown as it comes, is answered with a result, and the model goes on', async () => {
  await playing(place, async (page) => {
    const pieces = [
      ...callEvents(
        { index: 0, id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '{"ci' } },
        { index: 0, function: { arguments: 'ty":"Oslo"}' } },
      ),
      chatEvent({ choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] }),
      usageEvent(),
      doneEvent,
    ];
    answerWith({ pieces }, chatStream(['It is 4 degrees.']));
    await group(page, 'Tools');
    await page.getByRole('button', { name: 'Insert example' }).click();
    await say(page, 'How warm is Oslo?');
    const call = answers(page).getByRole('region', { name: 'Tool call: get_weather' });
    await call.getByText('"city": "Oslo"').waitFor();
    await page.getByText('Send the results of the tool calls first.').waitFor();
    assert.equal(await page.getByRole('button', { name: /^(send )?Send$/ }).isDisabled(), true);
    await audited(page);
    await page.getByLabel('Result of get_weather').fill('{"degrees": 4}');
    await page.getByRole('button', { name: 'Send results' }).click();
    await answers(page).getByText('It is 4 degrees.').waitFor();
    assert.deepEqual(messagesSent().slice(1), [
      {
        ...{ role: 'assistant', content: null },
        tool_calls: [
          { id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Oslo"}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'call_1', content: '{"degrees": 4}' },
    ]);
    assert.equal(await page.getByRole('button', { name: /^(send )?Send$/ }).isDisabled(), false);
  });
});

const markdown = `# Tolls

Some **bold**, \`code\` and a [link](https://example.com/a), not [this](javascript:alert(1)).

1. first
2. second

| gate | price |
| --- | ---: |
| north | 4 |

\`\`\`js
let gate = 1 < 2;
\`\`\`

<script>document.title = 'broken in'</script>
<img src=x onerror="document.title = 'broken in'"> ![a map](https://example.com/map.png)
`;

test('an answer is drawn as Markdown without any HTML of its own, and can be read as it came', async () => {
  await playing(place, async (page) => {
    answerWith(chatStream(markdown.split(/(?<=\n)/)));
    await say(page, 'Draw');
    const answer = answers(page);
    await answer.getByText('Charged', { exact: true }).waitFor();
    const said = answer.locator('.tg-said');
    await said.getByRole('heading', { name: 'Tolls' }).waitFor();
    assert.deepEqual(await said.locator('li').allInnerTexts(), ['first', 'second']);
    assert.equal(await said.getByRole('cell', { name: '4' }).count(), 1);
    assert.deepEqual(
      await said
        .getByRole('link')
        .evaluateAll((links: readonly Record<string, string>[]) =>
          links.map((a) => [a['textContent'], a['href'], a['rel'], a['target']]),
        ),
      [
        ['link', 'https://example.com/a', 'noopener noreferrer nofollow', '_blank'],
        ['a map', 'https://example.com/map.png', 'noopener noreferrer nofollow', '_blank'],
      ],
    );
    assert.equal(await said.locator('script, img, b, iframe').count(), 0);
    await said.getByText("<script>document.title = 'broken in'</script>").waitFor();
    assert.doesNotMatch(await page.title(), /broken/);
    await said.getByRole('button', { name: 'Copy' }).click();
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), 'let gate = 1 < 2;');
    await audited(page);
    await assertNoSidewaysScroll(page);
    await screenshotOf(page, 'playground-chat-markdown-en');
    await page.getByLabel('Show raw text').check();
    assert.equal(await answer.locator('.tg-raw').textContent(), markdown);
    assert.equal(await said.count(), 0);
  });
});

test('a turn is copied, an answer regenerated, and an edited message asked again without what followed', async () => {
  await playing(place, async (page) => {
    answerWith(...['One.', 'Two.', 'Two again.', 'Another one.'].map((text) => chatStream([text])));
    await say(page, 'First');
    await answers(page).getByText('One.', { exact: true }).waitFor();
    await say(page, 'Second');
    await answers(page).getByText('Two.', { exact: true }).waitFor();
    await answers(page).nth(1).getByRole('button', { name: 'Copy the text' }).click();
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), 'Two.');
    await answers(page).nth(1).getByRole('button', { name: 'Regenerate' }).click();
    await answers(page).getByText('Two again.', { exact: true }).waitFor();
    assert.equal(await answers(page).count(), 2);
    assert.deepEqual(
      messagesSent().map(({ content }) => content),
      ['First', 'One.', 'Second'],
    );
    const asked = page.getByRole('article', { name: 'You' });
    await asked.first().getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Edited text').fill('First of all');
    await page.getByRole('button', { name: 'Resend' }).click();
    await answers(page).getByText('Another one.').waitFor();
    assert.equal(await answers(page).count(), 1);
    assert.deepEqual(messagesSent(), [{ role: 'user', content: 'First of all' }]);
    await answers(page).getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Edited text').fill('My own words.');
    await page.getByRole('button', { name: 'Save' }).click();
    await say(page, 'Go on');
    await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' });
    assert.equal(messagesSent()[1]?.['content'], 'My own words.');
  });
});

test('a regeneration that is refused leaves the answer as it was', async () => {
  await playing(place, async (page, at) => {
    answerWith(chatStream(['Kept.']));
    await say(page, 'First');
    await answers(page).getByText('Kept.').waitFor();
    await page.getByLabel('Max output tokens').fill('20000000');
    expectAnswers(page, { status: 402, path: `/console/api/accounts/${at.account}/v1/chat/completions` });
    expectAnswers(page, { status: 402, path: `/console/api/accounts/${at.account}/v1/quotes` });
    await answers(page).getByRole('button', { name: 'Regenerate' }).click();
    await page.getByRole('alert').filter({ hasText: 'doesn’t cover the hold' }).waitFor();
    await answers(page).getByText('Kept.').waitFor();
  });
});

test('two models answer side by side, each with its cost and times, and one of them is kept', async () => {
  await playing(place, async (page) => {
    upstream.answers(({ body }) => chatStream([body.includes('"chat-one"') ? 'From one.' : 'From two.']));
    await say(page, 'Before');
    await answers(page).getByText('From one.').waitFor();
    await page.getByRole('button', { name: 'Compare with another model' }).click();
    await choose(page, 'Second model', 'chat-two');
    const [one, two] = ['chat-one', 'chat-two'].map((name) => page.getByRole('region', { name, exact: true }));
    await page.getByLabel('Estimated cost').getByText('Hold (chat-two)').waitFor();
    await say(page, 'Both');
    for (const [lane, text] of [
      [one!, 'From one.'],
      [two!, 'From two.'],
    ] as const) {
      const answer = answers(lane).nth(1);
      await answer.getByText(text).waitFor();
      await answer.getByLabel('Actual cost').getByText('Charged', { exact: true }).waitFor();
      assert.match(await answer.getByLabel('Timing').innerText(), /First token\s+[\d.]+ m?s\s+Latency\s+[\d.]+ m?s/);
    }
    assert.deepEqual(
      messagesSent().map(({ content }) => content),
      ['Before', 'From one.', 'Both'],
    );
    await codeOf(page).locator('.ant-segmented-item', { hasText: 'chat-two' }).click();
    await codeOf(page).getByText('"model": "chat-two"').waitFor();
    await audited(page);
    await assertNoSidewaysScroll(page);
    await screenshotOf(page, 'playground-chat-compare-en');
    const again = page.waitForResponse((answer) => answer.url().endsWith('/chat/completions'));
    await answers(two!).nth(1).getByRole('button', { name: 'Regenerate' }).click();
    await (await again).finished();
    await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' });
    // On a busy machine what is said next would go to the other model if that was not changed at once.
    const pace = await page.context().newCDPSession(page);
    await pace.send('Emulation.setCPUThrottlingRate', { rate: 6 });
    await two!.getByRole('button', { name: 'Continue with this model only' }).click();
    await two!.waitFor({ state: 'detached' });
    await answers(page).getByText('From two.').waitFor();
    await say(page, 'Go on');
    await pace.send('Emulation.setCPUThrottlingRate', { rate: 1 });
    await answers(page).nth(2).getByText('From two.').waitFor();
    assert.equal(sentLast()['model'], 'chat-two');
    assert.equal(messagesSent().length, 5);
  });
});

test('an image is attached with a preview, sent as a data URI, and shortened in the code; other files are refused', async () => {
  await playing(place, async (page) => {
    answerWith(chatStream(['A gate.']));
    const attach = page.getByLabel('Attach files');
    await attach.setInputFiles([{ name: 'notes.txt', mimeType: 'text/plain', buffer: textFile }]);
    await page.getByRole('alert').filter({ hasText: 'notes.txt is neither an image' }).waitFor();
    const large = { name: 'large.png', mimeType: 'image/png', buffer: Buffer.alloc(5_000_001) };
    await attach.setInputFiles([large]);
    await page.getByRole('alert').filter({ hasText: 'large.png is larger than 5 MB' }).waitFor();
    const image = await png({ width: 320, height: 240 });
    const file = (name: string) => ({ name, mimeType: 'image/png', buffer: image });
    await attach.setInputFiles([file('one.png'), file('two.png')]);
    await page.getByRole('img', { name: 'two.png' }).waitFor();
    await page.getByRole('button', { name: 'Remove two.png' }).click();
    await page.getByRole('img', { name: 'two.png' }).waitFor({ state: 'detached' });
    assert.equal(await page.getByRole('alert').count(), 0);
    await audited(page);
    await say(page, 'What is it?');
    await answers(page).getByText('A gate.').waitFor();
    const address = `data:image/png;base64,${image.toString('base64')}`;
    assert.deepEqual(messagesSent(), [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is it?' },
          { type: 'image_url', image_url: { url: address } },
        ],
      },
    ]);
    assert.equal(await page.getByRole('article', { name: 'You' }).getByRole('img', { name: 'one.png' }).count(), 1);
    const shown = `${address.slice(0, 64)}... [${address.length - 64} characters left out]`;
    await codeOf(page).getByText(shown).waitFor();
    await codeOf(page).getByText('Attachments are shortened in it.').waitFor();
    await page.reload();
    await page.getByText('no longer here, so it isn’t sent').waitFor();
  });
});

test('what was run is in the history of this browser, without any key, and is opened as it was', async () => {
  await playing(place, async (page, at) => {
    answerWith(chatStream(['The first answer.']));
    await page.getByLabel('System prompt').fill('Be kind.');
    await say(page, 'A question to find again');
    await answers(page).getByText('The first answer.').waitFor();
    await page.getByRole('button', { name: 'New conversation' }).click();
    await page.getByLabel('System prompt').fill('');
    await page.reload();
    const open = page.getByRole('button', { name: 'History' });
    await open.click();
    const list = page.getByRole('dialog');
    await audited(page);
    await list.getByRole('button', { name: /A question to find again/ }).click();
    await answers(page).getByText('The first answer.').waitFor();
    assert.equal(await page.getByLabel('System prompt').inputValue(), 'Be kind.');
    const stored = String(await page.evaluate('JSON.stringify(localStorage)'));
    assert.match(stored, /A question to find again/);
    assert.ok(!stored.includes(at.key) && !/sk-|Bearer/.test(stored));
    await open.click();
    await list.getByRole('button', { name: 'Clear history' }).click();
    const question = page.getByRole('dialog', { name: 'Clear the history of this page in this browser?' });
    await question.getByRole('button', { name: 'Clear history' }).click();
    await list.getByText('Nothing has been run here yet.').waitFor();
    assert.doesNotMatch(String(await page.evaluate('JSON.stringify(localStorage)')), /A question to find again/);
  });
});

test('opening the page makes no API key: the first run does', async () => {
  await playing(place, async (page, { account }) => {
    const keys = async () =>
      (await listKeys(gateway.core.database, account)).filter(({ name }) => name === 'Playground').length;
    await page.getByLabel('Message').fill('Only typed');
    await page
      .getByLabel('Estimated cost')
      .getByText(/¥.*tokens/)
      .waitFor();
    assert.equal(await keys(), 0);
    answerWith(chatStream(['Now.']));
    await page.getByRole('button', { name: /^(send )?Send$/ }).click();
    await answers(page).getByText('Now.').waitFor();
    assert.equal(await keys(), 1);
  });
});

test('on a phone, in Chinese and in the dark, the model and the settings stand above the message', async () => {
  await playing(
    place,
    async (page) => {
      answerWith(chatStream([markdown]));
      await page.getByLabel('消息', { exact: true }).fill('你好');
      const top = async (of: Locator) => (await of.boundingBox())!.y;
      const send = page.getByRole('button', { name: /发\s?送/ });
      assert.ok((await top(page.getByLabel('模型', { exact: true }))) < (await top(send)));
      assert.ok((await top(page.getByLabel('系统提示词'))) < (await top(send)));
      await page.getByRole('button', { name: '与另一个模型比较' }).click();
      for (const name of ['采样参数', '输出格式', '工具', '最终用户、标签与其他字段'])
        await page.locator('summary', { hasText: name }).click();
      await send.click();
      await page.getByRole('article', { name: '模型' }).nth(1).getByText('实扣').waitFor();
      await page.getByRole('article', { name: '模型' }).nth(0).getByText('实扣').waitFor();
      await assertNoSidewaysScroll(page);
      await audited(page);
      await screenshotOf(page, 'playground-chat-compare-zh-dark-phone');
    },
    { locale: 'zh-CN', colorScheme: 'dark', screen: 'phone' },
  );
});
