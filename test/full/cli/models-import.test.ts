/** `tollgate models import`: what it shows, what it writes, and what it refuses. */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Installation } from '../../support/process.ts';

const settings = `# Prices of the shop
providers:
  acme: { kind: openai, base_url: "https://acme.example/v1", api_key: "\${ACME_KEY}" }
  images: { kind: fal, api_key: k }
models:
  - id: small
    kind: chat
    routes: [{ provider: acme, model: acme-small }]
    price: { input_per_million: 2.50, output_per_million: 8 } # retail
`;
const chat = { modalities: { input: ['text'], output: ['text'] } };
const list = {
  acme: {
    models: {
      'acme-small': { ...chat, cost: { input: 0.25, output: 2 } },
      'acme-large': { ...chat, cost: { input: 3, output: 15, cache_read: 0.3, cache_write: 3.75 } },
      'acme-gift': { ...chat, cost: { input: 0, output: 0 } },
    },
  },
};

let home: Installation;
const path = () => join(home.folder, 'tollgate.yaml');
before(async () => {
  home = await Installation.make({ ACME_KEY: 'key' });
  await writeFile(path(), settings);
  await writeFile(join(home.folder, 'list.json'), JSON.stringify(list));
  await writeFile(join(home.folder, 'other.json'), '{"a": 1}');
});
after(() => home.remove());

const run = (...args: string[]) => home.run(['models', 'import', ...args]);

test('shows the differences and writes nothing, then writes them and keeps the comments', async () => {
  const shown = await run('list.json', '--rate', '7', '--only', '*-small');
  assert.deepEqual([shown.code, shown.stderr], [0, '']);
  assert.equal(
    shown.stdout,
    `provider acme
~ small
    price.input_per_million: 2.50 -> 1.75
    price.output_per_million: 8 -> 14
    routes[0].cost: (none) -> { input_per_million: 0.25, output_per_million: 2, currency: USD, rate: 7 }
0 added, 1 changed, 0 unchanged, 0 left out
Nothing is written yet: add '--write'.
`,
  );
  assert.equal(await readFile(path(), 'utf8'), settings);

  const written = await run('list.json', '--rate', '7', '--write');
  assert.equal(written.code, 0, written.stderr);
  assert.match(written.stdout, /\n\+ acme-large {2}input_per_million 21, /);
  assert.match(written.stdout, /\n- acme-gift is left out: the list has it for nothing\n/);
  const text = await readFile(path(), 'utf8');
  assert.match(text, /^# Prices of the shop\n/);
  assert.match(text, /price: \{ input_per_million: 1\.75, output_per_million: 14 \} # retail\n/);

  const again = await home.json('models', 'import', 'list.json', '--rate', '7', '--write');
  assert.equal(again['written'], false);
  const [provider] = again['providers'] as Record<string, unknown>[];
  assert.deepEqual(provider?.['unchanged'], ['small', 'acme-large']);
});

for (const [what, args, code, says] of [
  ['no rate', ['list.json'], 2, /the list is in USD and this gateway in CNY: give '--rate'/],
  ['a rate that is none', ['list.json', '--rate', '7,1'], 2, /Must be an amount above 0/],
  ['a vendor without a provider', ['list.json', '--rate', '7', '--from', 'acme'], 2, /'--from' needs '--provider'/],
  [
    'an unknown provider',
    ['list.json', '--rate', '7', '--provider', 'acne'],
    1,
    /has no provider acne; it has acme, images/,
  ],
  ['a provider that the list lacks', ['list.json', '--rate', '7', '--provider', 'images'], 1, /no models of images/],
  [
    'models that none fits',
    ['list.json', '--rate', '7', '--only', 'gpt-*'],
    1,
    /No model of acme in the list fits gpt-\*/,
  ],
  ['a file of another form', ['other.json', '--rate', '7'], 1, /other\.json has no known form/],
  ['a file that is no JSON', ['tollgate.yaml', '--rate', '7'], 1, /tollgate\.yaml is not JSON/],
  ['a file that is not there', ['gone.json', '--rate', '7'], 1, /gone\.json can't be read \(ENOENT\)/],
] as const) {
  test(`refuses ${what}`, async () => {
    const ended = await run(...args);
    assert.equal(ended.code, code, ended.stderr);
    assert.match(ended.stderr, says);
    assert.equal(ended.stdout, '');
  });
}
