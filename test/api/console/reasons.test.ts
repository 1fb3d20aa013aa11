/** What the gateway writes of a paid call that failed or has no known outcome has its Chinese in the console. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { reasonInChinese, reasons } from '../../../console/src/parts/reasons-in-chinese.ts';

const source = join(import.meta.dirname, '..', '..', '..', 'src');

/** Where such a text stands in the code; a text with what a provider said in it is the provider's. */
const places = [
  /reason: (LITERAL)/g,
  /(?:AnswerLost|lostAnswer|failure|failed)\((?:'upstream_\w+', )?(LITERAL)/g,
  /GatewayError\(\s*'upstream_(?:error|timeout)',\s*(LITERAL)/g,
  /message(?:: | = )(LITERAL)/g,
];
const literal = /'(?:[^'\n\\]|\\.)+'|"[^"\n]+"|`[^`\n]+`/.source;

test('a reason that the code of calls has is in the table', async () => {
  const found = (await Promise.all(['providers', 'activities', 'tasks/provider-calls'].map(literalsBelow))).flat();
  assert.ok(found.length > 40, String(found.length));
  const untranslated = [...new Set(found)].filter((text) => reasonInChinese(text) === text);
  assert.deepEqual(untranslated, []);
});

test('a reason in Chinese is put together with what differs, and what others wrote stays', () => {
  assert.equal(reasonInChinese('the provider answered 503 Busy'), '供应商返回 503 Busy');
  assert.equal(reasonInChinese('implausible_usage'), reasons['implausible_usage']);
  assert.equal(reasonInChinese('upstream_error'), '供应商出错');
  assert.equal(reasonInChinese('Goodwill, ticket 7.'), 'Goodwill, ticket 7.');
});

async function literalsBelow(folder: string): Promise<string[]> {
  const names = await readdir(join(source, folder), { recursive: true });
  const files = names.filter((name) => name.endsWith('.ts') && !/batch|failures/.test(name));
  const texts = await Promise.all(files.map((name) => readFile(join(source, folder, name), 'utf8')));
  return texts.flatMap((text) =>
    places.flatMap((place) =>
      [...text.matchAll(new RegExp(place.source.replace('LITERAL', literal), 'g'))].map(([, quoted = '']) =>
        quoted.slice(1, -1).replaceAll(/\$\{[^}]*\}/g, 'x'),
      ),
    ),
  );
}
