/** What `/docs` adds to the document: Chinese names, words for patterns, guides of our own pages, operations for a session. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chinese } from '../../console/src/docs/chinese/names.ts';
import { sentences } from '../../console/src/docs/chinese/sentences.ts';
import { translatorOf } from '../../console/src/texts/translator.ts';
import { withTexts } from '../../console/src/docs/document-texts.ts';
import { recordOf } from '../../console/src/parts/json.ts';
import { type ApiDocument, groupsBelow, readDocument } from '../../console/src/docs/document.ts';
import { highlighted } from '../../console/src/docs/code/highlight.ts';
import { guideCode, sampleLanguageOf } from '../../console/src/docs/guides/guide-code.ts';
import { guidesOf } from '../../console/src/docs/guides/guides.ts';
import { sessionOperations } from '../../console/src/docs/session-operations.ts';
import { patternWords } from '../../console/src/docs/words/patterns.ts';
import { operations as all, playgroundOperations } from '../../src/api/operations/all-operations.ts';
import { openApiDocument } from '../../src/api/openapi/document.ts';
import { builtInConfiguration } from '../../src/config/built-in.ts';
import { type Configuration, readConfiguration } from '../../src/config/configuration.ts';
import { providerKinds } from '../../src/providers/registry.ts';
import { pageAt } from './pages.ts';

const origin = 'http://127.0.0.1';
const configuration = readConfiguration(builtInConfiguration, 'built-in', {}, providerKinds);
const otherLimits = {
  ...configuration.limits,
  audioBytes: 1.5 * 2 ** 20,
  audioSeconds: 7,
  videoBytes: 2 ** 20,
  imageBytes: 1.5 * 2 ** 20,
  fileBytes: 2 ** 21,
};
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

test('each text of the document has its Chinese, also where a deployment sets other limits', () => {
  const translate = translatorOf(sentences);
  for (const limits of [configuration.limits, otherLimits]) {
    const missing = textsOf({ ...configuration, limits }).filter((text) => translate(text) === undefined);
    assert.deepEqual(missing, []);
  }
});

test('each sentence in Chinese is one of the document', () => {
  const texts = textsOf(configuration);
  const isNeeded = (english: string) => {
    const others = Object.entries(sentences).filter(([sentence]) => sentence !== english);
    const translate = translatorOf(Object.fromEntries(others));
    const parts = english.replace(/\.$/, '').split(/\{\{\w+\}\}/);
    const having = texts.filter((text) => parts.every((part) => text.includes(part)));
    return having.some((text) => translate(text) === undefined);
  };
  assert.deepEqual(
    Object.keys(sentences).filter((english) => !isNeeded(english)),
    [],
  );
});

test('a sentence in Chinese keeps the code, the numbers and the values of the English one', () => {
  const kept = (text: string) =>
    [...text.matchAll(/`[^`]+`|\{\{\w+\}\}|\d[\d,.]*\d|\d/g)].map(([found]) => found).sort();
  const different = Object.entries(sentences).filter(
    ([english, translated]) => kept(english).join() !== kept(translated).join(),
  );
  assert.deepEqual(different, []);
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

/** What the page shows of a configuration's document, each text once. */
function textsOf(one: Configuration): string[] {
  const texts = new Set<string>();
  const made: unknown = JSON.parse(openApiDocument(all, one, origin).bytes.toString());
  withTexts(recordOf(made), (text) => {
    texts.add(text);
    return text;
  });
  return [...texts];
}

function patternsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(patternsIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) =>
    name === 'pattern' && typeof one === 'string' ? [one] : patternsIn(one),
  );
}
