/** A gateway with models, and a root, of its operator's own: what `start` prints works, and `demo` runs what there is. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { builtInConfiguration } from '../../../src/config/built-in.ts';
import { readConfiguration } from '../../../src/config/configuration.ts';
import { providerKinds } from '../../../src/providers/registry.ts';
import { curlLines } from '../../../src/cli/curl-lines.ts';
import { type Gateway, Installation } from '../../support/process.ts';

const samples = { audio: '/samples/voice.wav', video: '/samples/footage.mp4' };
const read = (text: string) => readConfiguration(text, 'tollgate.yaml', {}, providerKinds);
const linesOf = (text: string) => curlLines('http://gate', 'sk-tg-1', read(text), samples).join('\n');

const own = `
deployments:
  - { root: /api/v2, health: /api/v2/health, image_wait_seconds: 300 }
providers:
  local: { kind: simulator }
models:
  - { id: draft, kind: image, published: false, routes: [{ provider: local, model: sim-image }], price: { per_image: 1 } }
  - { id: talk-o'mat, kind: chat, routes: [{ provider: local, model: sim-chat }], price: { input_per_million: 1, output_per_million: 1 } }
  - { id: vectors, kind: embedding, routes: [{ provider: local, model: sim-embedding }], price: { input_per_million: 1 } }
  - { id: judge, kind: moderation, routes: [{ provider: local, model: sim-moderation }], price: { per_call: 0.001 } }
  - { id: order, kind: rerank, routes: [{ provider: local, model: sim-rerank }], price: { per_search: 0.01 } }
  - { id: poster, kind: image, routes: [{ provider: local, model: sim-image }], price: { per_image: 0.1 } }
  - { id: banner, kind: image, routes: [{ provider: local, model: sim-image }], price: { per_image: 0.3 }, limits: { resolutions: [2k] } }
`;

describe('the lines to paste', () => {
  test('of the built-in models name one of each kind, on both roots', () => {
    const lines = linesOf(builtInConfiguration);
    const calls = ['sim-chat', 'sim-code', 'sim-embedding', 'sim-moderation', 'sim-rerank'];
    for (const id of [...calls, 'sim-image', 'sim-video-fast']) assert.ok(lines.includes(`"${id}"`), id);
    const paths = ['chat/completions', 'responses', 'embeddings', 'moderations', 'rerank', 'images/generations'];
    for (const path of [...paths.map((one) => `/v1/${one}`), '/ai/v1/images/generations'])
      assert.ok(lines.includes(` $URL${path} `), path);
    assert.match(lines, / \$URL\/v1\/svctalk\/generate .*-F 'audio=@"\/samples\/voice\.wav"'/);
    assert.doesNotMatch(lines, /Prefer/);
  });

  test('name the key and the address once, in a first line that later ones build upon', () => {
    const [first, ...others] = curlLines('http://gate', 'sk-tg-1', read(builtInConfiguration), samples);
    assert.equal(first, 'export URL=http://gate TOLLGATE_API_KEY=sk-tg-1');
    assert.doesNotMatch(others.join('\n'), /sk-tg-1|http:/);
    const [later] = curlLines('http://gate', undefined, read(builtInConfiguration), samples);
    assert.equal(later, 'export URL=http://gate');
  });

  test('name the first published models and the root that there is, and leave out kinds without one', () => {
    const lines = linesOf(own);
    assert.deepEqual(
      [...new Set(lines.match(/\$URL\/\S*/g))],
      [
        '$URL/api/v2/chat/completions',
        '$URL/api/v2/embeddings',
        '$URL/api/v2/moderations',
        '$URL/api/v2/rerank',
        '$URL/api/v2/images/generations',
        '$URL/api/v2/images/generations/$ID',
        '$URL/api/v2/models',
        '$URL/api/v2/health',
        '$URL/api/v2/account',
        '$URL/api/v2/account/ledger',
      ],
    );
    assert.ok(lines.includes('"poster"') && !lines.includes('"draft"') && !lines.includes('sim-'), lines);
    assert.match(lines, /talk-o'\\''mat/);
    assert.match(lines, /-H 'Prefer: wait=0'/);
  });

  test('ask for what a model has', () => {
    const video = (limits: string) =>
      `providers: { local: { kind: simulator } }\nmodels: [{ id: clip, kind: video, routes: [{ provider: local, model: sim-video-fast }], price: { per_second: 1 }, limits: { ${limits} } }]`;
    assert.match(linesOf(video('durations: [8, 10]')), /"duration":8/);
    assert.match(linesOf(video('durations: [10, 5]')), /"duration":5/);
    const large = own.replace('price: { per_image: 0.1 }', 'price: { per_image: 0.1 }, limits: { resolutions: [4k] }');
    assert.doesNotMatch(linesOf(large), /"size"/);
    assert.match(linesOf(own), /"size":"1024x1024"/);
  });
});

describe('a gateway with its own tollgate.yaml', () => {
  let home: Installation;
  let gateway: Gateway;
  before(async () => {
    home = await Installation.make();
    await writeFile(join(home.folder, 'tollgate.yaml'), own);
    gateway = await home.start();
  });
  after(() => home.remove());

  test('what it prints to paste works as it stands', async () => {
    const lines = /Try it:\n\n([^]+)\nOr run/.exec(gateway.running.stdout)?.[1] ?? '';
    const { stdout, stderr } = await home.bash(lines);
    assert.equal(stderr, '');
    assert.doesNotMatch(stdout, /"error":\{/);
    const answers = stdout.split('\n').filter((line) => line !== '' && !line.startsWith('data: '));
    assert.equal(answers.length, 11, stdout);
    const forms = [/"object":"chat\.completion"/, /"embedding":\[/, /"flagged":false/, /"relevance_score":/];
    for (const [index, form] of [...forms, /"status":"succeeded"/, /^img_\w+$/].entries())
      assert.match(answers[index] ?? '', form);
  });

  test('the demo runs what there is', async () => {
    const reported = await home.json('demo', '--out', 'results');
    assert.deepEqual(reported['files'], [join(home.folder, 'results', 'image.png')]);
    assert.deepEqual(chargedOf(reported), [0.1]);
  });

  test('the demo runs the models that are named, and shows people no bar where it can not redraw one', async () => {
    const reported = await home.json('demo', '--model', 'banner', '--model', 'poster');
    const files = ['image.png', 'image-2.png'].map((name) => join(home.folder, 'demo', name));
    assert.deepEqual(reported['files'], files);
    assert.deepEqual(chargedOf(reported), [0.3, 0.1]);
    const { code, stdout, stderr } = await home.run(['demo', '--model', 'poster']);
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(stdout, /the totals match/);
  });

  for (const [what, id, line] of [
    [
      'is not there',
      'sim-image',
      "Model 'sim-image' not found. Available: talk-o'mat, vectors, judge, order, poster, banner.\n",
    ],
    [
      'is not published',
      'draft',
      "Model 'draft' not found. Available: talk-o'mat, vectors, judge, order, poster, banner.\n",
    ],
    [
      'makes no files',
      "talk-o'mat",
      "'talk-o'mat' is not an image, video or avatar-talk model; the demo only runs these.\n",
    ],
  ] as const)
    test(`the demo of a model that ${what} is refused in one line`, async () => {
      const { code, stdout, stderr } = await home.run(['demo', '--model', id]);
      assert.deepEqual({ code, stdout, stderr }, { code: 1, stdout: '', stderr: line });
    });
});

const chargedOf = ({ ledger }: Record<string, unknown>) =>
  (ledger as { type: string; charged: number }[])
    .filter(({ type }) => type === 'capture')
    .map(({ charged }) => charged);
