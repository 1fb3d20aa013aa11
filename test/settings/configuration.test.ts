import assert from 'node:assert/strict';
import { test } from 'node:test';
import { providerKinds } from '../../src/providers/registry.ts';
import { callModelKinds, type ModelKind, modelKinds } from '../../src/domain/catalogue.ts';
import { builtInConfiguration } from '../../src/config/built-in.ts';
import { readConfiguration } from '../../src/config/configuration.ts';
import { SettingsError } from '../../src/config/setting-errors.ts';

const head = `providers:
  sim: { kind: simulator }
  openai: { kind: openai, api_key: k }
  ark: { kind: ark, api_key: k }
  visual: { kind: volc-visual, access_key: a, secret_key: s }
  fal: { kind: fal, api_key: k }
  replicate: { kind: replicate, api_key: k }
  sync: { kind: sync, api_key: k }
`;
const imageModel = `
    kind: image
    routes: [{ provider: sim, model: m }]
    price: { per_image: 0.25 }`;
const minimal = `${head}models:
  - id: drawing${imageModel}
`;

const read = (text: string, env: Record<string, string> = {}) =>
  readConfiguration(text, 'tollgate.yaml', env, providerKinds);
const linesOf = (text: string, env: Record<string, string> = {}): readonly string[] => {
  try {
    read(text, env);
  } catch (error) {
    assert.ok(error instanceof SettingsError, String(error));
    return error.lines;
  }
  return [];
};
const placesOf = (text: string) => linesOf(text).map((line) => /^tollgate\.yaml:\d+: ([^:]+):/.exec(line)?.[1] ?? line);

test('an example of all parts is read, its environment filled in', () => {
  const { deployments, providers, models } = read(
    `
deployments:
  - { root: /v1, health: /api/models/health, image_wait_seconds: 300, video_wait_seconds: 300 }
  - { root: /ai/v1, health: /ai/v1/models/health, image_wait_seconds: 0, video_wait_seconds: 300 }
providers:
  upstream: { kind: openai, base_url: https://api.example.com/v1, api_key: "\${UPSTREAM_API_KEY}" }
  ark:      { kind: ark, base_url: https://ark.cn-beijing.volces.com/api/v3, api_key: "\${ARK_API_KEY}" }
  local:    { kind: simulator }
models:
  - id: gpt-example
    kind: chat                     # chat | code | image | video | avatar-video | avatar-image | avatar-talk
    owned_by: example
    capabilities: [chat, vision, tools]
    published: true
    maintenance: false
    routes: [{ provider: upstream, model: upstream-model-id }]     # tried in this order
    price: { input_per_million: 2, output_per_million: 8 }          # money; or per_image, or per_second
    limits: { context_tokens: 128000, max_output_tokens: 8192 }
  - id: image-a
    kind: image
    owned_by: example
    routes: [{ provider: ark, model: doubao-seedream-4-5 }]
    price: { per_image: 0.25 }
    limits: { prompt_characters: 800 }   # also: max_seconds, max_output_tokens, durations: [5, 10], resolutions: [2k, 4k]
    quality_scale: { low: 25, medium: 50, high: 75 }
`,
    { UPSTREAM_API_KEY: 'up-key', ARK_API_KEY: 'ark-key' },
  );
  assert.deepEqual(deployments[1], {
    root: '/ai/v1',
    health: '/ai/v1/models/health',
    imageWaitSeconds: 0,
    videoWaitSeconds: 300,
  });
  assert.deepEqual(providers.get('upstream'), {
    name: 'upstream',
    kind: 'openai',
    baseUrl: 'https://api.example.com/v1',
    secrets: { api_key: 'up-key' },
    numbers: {},
    headers: {},
    timeoutMs: 60_000,
    imageTimeoutMs: 300_000,
    idleTimeoutMs: 60_000,
    deadlineMs: 3_600_000,
    rateLimitPatienceMs: 600_000,
  });
  assert.deepEqual([...models.keys()], ['gpt-example', 'image-a']);
  assert.deepEqual(models.get('gpt-example')?.limits, { contextTokens: 128_000, maxOutputTokens: 8192 });
  assert.deepEqual(models.get('image-a'), {
    id: 'image-a',
    kind: 'image',
    ownedBy: 'example',
    created: 1_767_225_600,
    capabilities: ['image'],
    published: true,
    maintenance: false,
    routes: [{ provider: 'ark', model: 'doubao-seedream-4-5', options: {}, fields: {} }],
    price: { unit: 'image', perImage: 250_000n },
    limits: { promptCharacters: 800 },
    qualityScale: { low: 25, medium: 50, high: 75 },
    onDisconnect: 'abort',
    translate: false,
    allow: [],
    overrunFactor: 2,
  });
});

test('the built-in configuration offers simulated models of each kind that is served, two of video', () => {
  const { models, deployments, limits, currency, retentionDays } = readConfiguration(
    builtInConfiguration,
    'built-in',
    {},
    providerKinds,
  );
  assert.deepEqual(
    [...models.values()].map(({ id, kind }) => `${id} ${kind}`),
    [
      'sim-chat chat',
      'sim-code code',
      'sim-embedding embedding',
      'sim-moderation moderation',
      'sim-rerank rerank',
      'sim-speech speech',
      'sim-transcription transcription',
      'sim-image image',
      'sim-video-fast video',
      'sim-video-pro video',
      'sim-avatar-video avatar-video',
      'sim-avatar-image avatar-image',
      'sim-avatar-talk avatar-talk',
    ],
  );
  assert.deepEqual(
    deployments.map(({ root }) => root),
    ['/v1', '/ai/v1'],
  );
  assert.deepEqual(limits, {
    jsonBytes: 20 * 1024 * 1024,
    audioBytes: 50 * 1024 * 1024,
    videoBytes: 500 * 1024 * 1024,
    audioSeconds: 600,
    imageBytes: 47 * 1024 * 1024,
    fileBytes: 200 * 1024 * 1024,
    batchLines: 50_000,
    waitingTasks: 10_000,
  });
  assert.equal(retentionDays, 7);
  assert.equal(currency, 'CNY');
});

test('deployments left out are the two built-in ones, one left out is switched off', () => {
  const both = read(minimal).deployments;
  assert.deepEqual(both, readConfiguration(builtInConfiguration, 'built-in', {}, providerKinds).deployments);
  const one = read(`deployments: [{ root: /ai/v1 }]\n${minimal}`).deployments;
  assert.deepEqual(one, [both[1]]);
});

test('prices are read from their digits, however they are written', () => {
  for (const [written, micros] of [
    ['0.25', 250_000n],
    ['0.000001', 1n],
    ['"0.1"', 100_000n],
    ['999999999.999999', 999_999_999_999_999n],
    ['"${PRICE}"', 123_456n],
    ['0', 0n],
  ] as const) {
    const text = minimal.replace('0.25', written);
    assert.deepEqual(read(text, { PRICE: '0.123456' }).models.get('drawing')?.price, {
      unit: 'image',
      perImage: micros,
    });
  }
  for (const refused of ['0.0000001', '-1', '1e-1', '.5', '1_000', 'free', '[1]', 'null', '']) {
    assert.match(
      linesOf(minimal.replace('0.25', refused)).join(),
      /^tollgate\.yaml:13: models\[0\]\.price\.per_image: must be an amount/,
      refused,
    );
  }
});

test('numbers and switches may come from the environment as well', () => {
  const text = minimal.replace('kind: simulator', 'kind: simulator, latency_ms: "${LATENCY}", fail_rate: "${RATE}"');
  const { providers } = read(text, { LATENCY: '12', RATE: '0.5' });
  assert.deepEqual(providers.get('sim')?.numbers, { latency_ms: 12, fail_rate: 0.5, seed: 1 });
  assert.equal(read(`${minimal}    published: "\${ON}"\n`, { ON: 'false' }).models.get('drawing')?.published, false);
});

test('a value from the environment stays text where text is due, and is not read as YAML', () => {
  const text = minimal.replace('kind: openai, api_key: k', () => 'kind: openai, api_key: "Bearer ${KEY} $${KEY}"');
  assert.equal(
    read(text, { KEY: '12345: [x]' }).providers.get('openai')?.secrets['api_key'],
    'Bearer 12345: [x] ${KEY}',
  );
});

test('a missing environment variable is a mistake with its line, reported once', () => {
  for (const env of [{}, { KEY: '' }]) {
    assert.deepEqual(linesOf(minimal.replace('kind: openai, api_key: k', 'kind: openai, api_key: "${KEY}"'), env), [
      'tollgate.yaml:3: providers.openai.api_key: the environment variable KEY is not set',
    ]);
  }
  assert.match(linesOf(minimal.replace('api_key: k', 'api_key: "${KEY"')).join(), /^tollgate\.yaml:3: .* must name an/);
});

test('unknown keys are refused with what is allowed', () => {
  assert.deepEqual(linesOf(`${minimal}    colour: red\nextra: 1\n`), [
    'tollgate.yaml:14: models[0].colour: is unknown; allowed are id, kind, owned_by, created, capabilities, ' +
      'published, maintenance, routes, price, limits, quality_scale, on_disconnect, translate, allow, overrun_factor',
    'tollgate.yaml:15: extra: is unknown; allowed are deployments, providers, models, limits, batches, currency, status_page, retention_days, request_retention_days, request_bodies',
  ]);
});

test('a maintenance is true or false, or has a note and an end', () => {
  const setting = (written: string) =>
    [...read(`${minimal}    maintenance: ${written}\n`).models.values()].at(-1)?.maintenance;
  assert.deepEqual([setting('true'), setting('"true"'), setting('false'), setting('{}')], [{}, {}, false, {}]);
  const until = new Date('2026-12-01T08:00:00Z');
  assert.deepEqual(setting('{ note: New weights., until: 2026-12-01T16:00:00+08:00 }'), {
    note: 'New weights.',
    until,
  });
});

for (const [what, text, place] of [
  ['a maintenance of another form', `${minimal}    maintenance: soon\n`, 'models[0].maintenance'],
  [
    'a note that is too long',
    `${minimal}    maintenance: { note: ${'x'.repeat(301)} }\n`,
    'models[0].maintenance.note',
  ],
  ['a note of two lines', `${minimal}    maintenance: { note: "a\\nb" }\n`, 'models[0].maintenance.note'],
  ['an end that is a day', `${minimal}    maintenance: { until: 2026-12-01 }\n`, 'models[0].maintenance.until'],
  ['a maintenance with another key', `${minimal}    maintenance: { why: x }\n`, 'models[0].maintenance.why'],
  [
    'a route to an unknown provider',
    minimal.replace('provider: sim', 'provider: unknown'),
    'models[0].routes[0].provider',
  ],
  ['no route', minimal.replace('[{ provider: sim, model: m }]', '[]'), 'models[0].routes'],
  ['no routes', minimal.replace('    routes: [{ provider: sim, model: m }]\n', ''), 'models[0].routes'],
  ['an id twice', `${minimal}  - id: drawing${imageModel}\n`, 'models[1].id'],
  ['an id with a space', minimal.replace('id: drawing', 'id: a drawing'), 'models[0].id'],
  ['an unknown kind', minimal.replace('kind: image', 'kind: smell'), 'models[0].kind'],
  [
    'a price of another kind',
    minimal.replace('per_image: 0.25', 'per_image: 1, per_second: 1'),
    'models[0].price.per_second',
  ],
  ['no price', minimal.replace('per_image: 0.25', ''), 'models[0].price.per_image'],
  ['a limit of another kind', `${minimal}    limits: { durations: [5] }\n`, 'models[0].limits.durations'],
  ['on_disconnect of an image', `${minimal}    on_disconnect: drain\n`, 'models[0].on_disconnect'],
  ['allow of an image', `${minimal}    allow: [mcp]\n`, 'models[0].allow'],
  ['an unknown capability', `${minimal}    capabilities: [smell]\n`, 'models[0].capabilities[0]'],
  ['an unknown resolution', `${minimal}    limits: { resolutions: [8k] }\n`, 'models[0].limits.resolutions[0]'],
  ['half a quality scale', `${minimal}    quality_scale: { low: 1, high: 2 }\n`, 'models[0].quality_scale.medium'],
  ['an unknown provider kind', minimal.replace('kind: simulator', 'kind: magic'), 'providers.sim.kind'],
  ['a provider without its key', minimal.replace('kind: fal, api_key: k', 'kind: fal'), 'providers.fal.api_key'],
  [
    'OpenAI itself without a key',
    minimal.replace('kind: openai, api_key: k', 'kind: openai'),
    'providers.openai.api_key',
  ],
  [
    "another provider's credentials",
    minimal.replace('kind: sync', 'kind: sync, access_key: a'),
    'providers.sync.access_key',
  ],
  ['knobs on a real provider', minimal.replace('kind: fal', 'kind: fal, latency_ms: 1'), 'providers.fal.latency_ms'],
  [
    'a base_url with a password',
    minimal.replace('kind: fal', 'kind: fal, base_url: "http://a:b@c"'),
    'providers.fal.base_url',
  ],
  [
    'a broken header',
    minimal.replace('kind: fal', 'kind: fal, headers: { x: "a\\r\\nb: c" }'),
    'providers.fal.headers.x',
  ],
  [
    'a header of HTTP itself',
    minimal.replace('kind: fal', 'kind: fal, headers: { Host: x }'),
    'providers.fal.headers.Host',
  ],
  ['no time at all', minimal.replace('kind: fal', 'kind: fal, timeout_seconds: 0'), 'providers.fal.timeout_seconds'],
  [
    'half a job at once',
    minimal.replace('kind: fal', 'kind: fal, max_concurrent: 0.5'),
    'providers.fal.max_concurrent',
  ],
  ['a root without a slash', `deployments: [{ root: v1 }]\n${minimal}`, 'deployments[0].root'],
  [
    'a root twice',
    `deployments: [{ root: /v1, health: /h }, { root: /v1, health: /i }]\n${minimal}`,
    'deployments[1].root',
  ],
  ['a root within a root', `deployments: [{ root: /v1 }, { root: /v1/b }]\n${minimal}`, 'deployments[1].root'],
  ['a root of the files', `deployments: [{ root: /files }]\n${minimal}`, 'deployments[0].root'],
  [
    'a health address twice',
    `deployments: [{ root: /a, health: /h }, { root: /b, health: /h }]\n${minimal}`,
    'deployments[1].health',
  ],
  [
    'a wait of more than 300 s',
    `deployments: [{ root: /a, image_wait_seconds: 301 }]\n${minimal}`,
    'deployments[0].image_wait_seconds',
  ],
  ['no deployment', `deployments: []\n${minimal}`, 'deployments'],
  ['no models', `${head}models: []\n`, 'models'],
  ['a currency in lower case', `currency: usd\n${minimal}`, 'currency'],
  ['a currency that is none', `currency: XYZ\n${minimal}`, 'currency'],
  ['a retention below a day', `retention_days: 0\n${minimal}`, 'retention_days'],
  ['tiny bodies', `limits: { json_bytes: 1 }\n${minimal}`, 'limits.json_bytes'],
] as const) {
  test(`${what} is refused at ${place}`, () => assert.deepEqual(placesOf(text), [place]));
}

const pricesOfKinds: Partial<Record<ModelKind, string>> = {
  ...{ chat: 'input_per_million: 1, output_per_million: 2', code: 'input_per_million: 1, output_per_million: 2' },
  ...{ embedding: 'input_per_million: 1', moderation: 'per_call: 1', rerank: 'per_search: 1', image: 'per_image: 1' },
};
for (const [provider, kinds] of [
  ['openai', [...callModelKinds, 'image']],
  ['ark', ['chat', 'code', 'embedding', 'image', 'video']],
  ['visual', ['image', 'avatar-video', 'avatar-image']],
  ['fal', ['image', 'video', 'avatar-video', 'avatar-image', 'avatar-talk']],
  ['replicate', ['image', 'video', 'avatar-video', 'avatar-image', 'avatar-talk']],
  ['sync', ['avatar-video', 'avatar-talk']],
  ['sim', modelKinds],
] as const) {
  test(`a provider such as ${provider} serves ${kinds.join(', ')} and no other kind`, () => {
    const served = modelKinds.filter((kind) => {
      const price = pricesOfKinds[kind] ?? 'per_second: 1';
      const text = `${head}models:\n  - { id: m, kind: ${kind}, routes: [{ provider: ${provider}, model: m }], price: { ${price} } }\n`;
      const lines = linesOf(text);
      assert.ok(
        lines.every((line) => line.includes('models[0].routes[0].provider')),
        lines.join(),
      );
      return lines.length === 0;
    });
    assert.deepEqual(served, kinds);
  });
}

test('timeouts: 60 s, 300 s for finished images of those that answer with them, and what is written wins', () => {
  const { providers } = read(minimal.replace('kind: ark', 'kind: ark, timeout_seconds: 2.5'));
  const timeouts = (name: string) => [providers.get(name)?.timeoutMs, providers.get(name)?.imageTimeoutMs];
  assert.deepEqual(timeouts('openai'), [60_000, 300_000]);
  assert.deepEqual(timeouts('ark'), [2500, 2500]);
  assert.deepEqual(timeouts('fal'), [60_000, 60_000]);
});

test('mistakes in many places are reported together, in the order of the file', () => {
  const text = `deployments: [{ root: v1 }]
providers:
  a: { kind: magic }
  b: { kind: fal }
models:
  - id: x
    kind: chat
    routes: [{ provider: c, model: m }]
    price: { per_image: a }
  - id: x
retention_days: 0
`;
  const numbers = linesOf(text).map((line) => Number(line.split(':')[1]));
  assert.deepEqual([...new Set(numbers)], [1, 3, 4, 8, 9, 10, 11]);
  assert.deepEqual(
    numbers,
    [...numbers].sort((a, b) => a - b),
  );
});

for (const [what, text, line] of [
  ['a bracket without its end', 'models: [', 1],
  ['a key twice', 'limits: {}\nlimits: {}', 2],
  ['two documents', 'limits: {}\n---\nlimits: {}', 2],
  ['a tab as indentation', 'limits:\n\tjson_bytes: 1', 2],
  ['an unknown tag', 'limits: !magic {}', 1],
  ['an alias of nothing', 'limits: *nothing', 1],
  ['an alias of itself', 'a: &a [*a]', 1],
  ['an empty file', '', 1],
  ['a list', '- a', 1],
  ['a key __proto__', `${minimal}__proto__: { a: 1 }`, 14],
] as const) {
  test(`${what} is a mistake on line ${line}`, () => {
    const [first] = linesOf(text);
    assert.match(first ?? 'no mistake', new RegExp(`^tollgate\\.yaml:${line}: `));
  });
}

test('a document that grows beyond reason through aliases is refused quickly', () => {
  let text = 'a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n';
  for (let level = 1; level < 10; level++) text += `a${level}: &a${level} [${`*a${level - 1}, `.repeat(9)}x]\n`;
  assert.match(linesOf(text).join(), /100000 values/);
});

test('no mistake shows a value that came from the environment', () => {
  const text = minimal
    .replace(
      'kind: fal, api_key: k',
      'kind: fal, api_key: k, base_url: "${S}", timeout_seconds: "${S}", headers: { a: "${S}\\n" }',
    )
    .replace('provider: sim', 'provider: "${S}"')
    .replace('0.25', '"${S}"');
  const lines = linesOf(text, { S: 'hunter2' });
  assert.equal(lines.length, 5);
  assert.ok(!lines.join().includes('hunter2'), lines.join('\n'));
});
