/** What `/docs` adds to the document: Chinese names, words for patterns, guides of our own pages, operations for a session. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chinese } from '../../console/src/docs/chinese.ts';
import { type ApiDocument, groupsBelow, readDocument } from '../../console/src/docs/document.ts';
import { highlighted } from '../../console/src/docs/code/highlight.ts';
import { guideCode, sampleLanguageOf } from '../../console/src/docs/guides/guide-code.ts';
import { guidesOf } from '../../console/src/docs/guides/guides.ts';
import { sessionOperations } from '../../console/src/docs/session-operations.ts';
import { patternWords } from '../../console/src/docs/words/patterns.ts';
import { operations as all, playgroundOperations } from '../../src/api/operations/all-operations.ts';
import { openApiDocument } from '../../src/api/openapi/document.ts';
import { builtInConfiguration } from '../../src/config/built-in.ts';
import { readConfiguration } from '../../src/config/configuration.ts';
import { providerKinds } from '../../src/providers/registry.ts';
import { pageAt } from './pages.ts';

const origin = 'http://127.0.0.1';
const configuration = readConfiguration(builtInConfiguration, 'built-in', {}, providerKinds);
const document: unknown = JSON.parse(openApiDocument(all, configuration, origin).bytes.toString());
const api: ApiDocument = readDocument(document);
const pagesIn = {
  en: { apiGuide: pageAt('docs/api-guide.md').text, errors: pageAt('docs/errors.md').text },
  zh: { apiGuide: pageAt('docs/zh/api-guide.md').text, errors: pageAt('docs/zh/errors.md').text },
};

test('each root has each operation once', () => {
  assert.deepEqual(api.roots, ['/v1', '/ai/v1']);
  const [first, second] = api.roots.map((root) => groupsBelow(api, root).flatMap((group) => group.operations));
  const ids = first?.map(({ baseId }) => baseId) ?? [];
  assert.equal(new Set(ids).size, ids.length);
  assert.deepEqual(
    second?.map(({ baseId }) => baseId),
    ids,
  );
});

test('each operation, event and group has a name in Chinese, and no other has', () => {
  const ids = groupsBelow(api, '/v1').flatMap(({ operations }) => operations.map(({ baseId }) => baseId));
  assert.deepEqual(Object.keys(chinese.operations).sort(), ids.sort());
  assert.deepEqual(Object.keys(chinese.groups).sort(), api.groups.map(({ name }) => name).sort());
});

test('each pattern of the document has words', () => {
  const patterns = new Set(patternsIn(document));
  assert.ok(patterns.size > 20);
  const say = (key: string, values?: object) => `${key} ${JSON.stringify(values ?? {})}`;
  const without = [...patterns].filter((pattern) => patternWords(pattern, say).startsWith('matches '));
  assert.deepEqual(without, []);
  assert.equal(
    patternWords('^[\\w.:/@-]{1,64}$', say),
    'charactersOf {"min":"1","max":"64","set":"A–Z a–z 0–9 _ . : / @ -"}',
  );
});

test('the guides are the same in both languages, with samples in every language where there are any', () => {
  const [english, translated] = (['en', 'zh'] as const).map((language) => guidesOf(pagesIn[language], language));
  const outline = (guides: typeof english) => guides?.map(({ id, parts }) => [id, ...parts.map((part) => part.id)]);
  assert.deepEqual(outline(translated), outline(english));
  for (const { id, parts } of english ?? []) {
    const codes = parts.flatMap(({ blocks }) => blocks.flatMap((block) => (block.kind === 'code' ? block : [])));
    const languages = new Set(codes.flatMap(({ language }) => sampleLanguageOf(language) ?? []));
    if (languages.size > 0) assert.deepEqual([...languages].sort(), ['curl', 'node', 'python'], id);
  }
});

test('a sample has the address, the root and the key in place; what is no key stays out', () => {
  const code = 'curl $URL/v1/models -H "$auth" | member id';
  const sample = (key: string) => guideCode(api, { language: 'curl', code, root: '/ai/v1', key });
  assert.equal(sample('sk-tg-1'), `curl ${origin}/ai/v1/models \\\n  -H "Authorization: Bearer sk-tg-1" | jq -r .id`);
  assert.match(sample('$(rm -rf .)'), /Bearer \$TOLLGATE_API_KEY"/);
});

test('colours leave a text as it is', () => {
  const text = `import os  # "no string"\nprint(f"{1} \\" {os.name}", 12_000, 'a', True)`;
  const pieces = highlighted(text, 'python');
  assert.equal(pieces.map((piece) => piece.text).join(''), text);
  assert.deepEqual(
    pieces.flatMap(({ kind }) => kind || []),
    ['word', 'comment', 'string', 'number', 'string', 'word'],
  );
});

test('the operations that a console session may try are those of the playground', () => {
  const ids = playgroundOperations.map(({ id }) => id);
  assert.deepEqual([...sessionOperations].sort(), ids.sort());
});

function patternsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(patternsIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) =>
    name === 'pattern' && typeof one === 'string' ? [one] : patternsIn(one),
  );
}
