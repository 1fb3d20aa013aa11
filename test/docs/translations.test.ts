/**
 * Each translation says what its original says: the same headings, examples, tables, lists, links, code and figures. Only
 * words and the comments of examples differ.
 */
import assert from 'node:assert/strict';
import { dirname, relative } from 'node:path/posix';
import { describe, test } from 'node:test';
import {
  anchorsOf,
  codesIn,
  examplesOf,
  type Page,
  pageAt,
  placeOf,
  prose,
  resolved,
  tablesOf,
  translations,
} from './pages.ts';

/** A heading with its level and the text below it, up to the next heading. */
interface Section {
  level: number;
  heading: string;
  text: string;
}

const translationOf = new Map(translations().map(({ original, path }) => [original, path]));

test('the README, the quick start, the API guide and the errors are translated', () => {
  const pages = ['README.md', 'docs/api-guide.md', 'docs/errors.md', 'docs/quick-start.md'];
  assert.deepEqual([...translationOf.keys()].sort(), pages);
});

for (const [originalPath, path] of translationOf) {
  const original = pageAt(originalPath);
  const translation = pageAt(path);
  const there = sectionsOf(original);
  const here = sectionsOf(translation);

  describe(`${path} is equal to ${originalPath}`, () => {
    test('each begins with a link to the other', () => {
      const [to, back] = [relative(dirname(originalPath), path), relative(dirname(path), originalPath)];
      assert.equal(original.text.split('\n')[2], `English · [简体中文](${to})`);
      assert.equal(translation.text.split('\n')[2], `[English](${back}) · 简体中文`);
    });

    test('the headings have the same levels in the same order', () => {
      const levels = (sections: readonly Section[]) => sections.map(({ level }) => level);
      assert.deepEqual(levels(here), levels(there));
    });

    test('the examples are the same but for their comments', () => {
      const theirs = examplesOf(original);
      const ours = examplesOf(translation);
      assert.equal(ours.length, theirs.length, 'the number of examples');
      for (const [index, example] of ours.entries()) {
        const { language, exempt, code } = theirs[index]!;
        assert.equal(example.language, language, placeOf(example));
        assert.equal(example.exempt, exempt, placeOf(example));
        assert.equal(uncommented(example.code, language), uncommented(code, language), placeOf(example));
      }
    });

    test('the tables have the same rows, with the same code and figures', () => {
      assert.deepEqual(tablesOf(translation).map(factsOfTable), tablesOf(original).map(factsOfTable));
    });

    test('each section has the same code, links and list items, and every figure of the original', () => {
      const wrong = there.flatMap((section, index) => {
        const own = here[index] ?? { level: 0, heading: '', text: '' };
        const figures = new Set(figuresIn(own.text));
        const name = `${path}, ${own.heading}:`;
        return [
          ...unequal(`${name} code`, codesIn(own.text), codesIn(section.text)),
          ...unequal(
            `${name} link`,
            targetsIn(translation, own.text),
            targetsIn(original, section.text).map(translated),
          ),
          ...unequal(`${name} list item`, listItemsIn(own.text), listItemsIn(section.text)),
          ...figuresIn(section.text).flatMap((figure) => (figures.has(figure) ? [] : [`${name} no ${figure}`])),
        ];
      });
      assert.deepEqual(wrong, []);
    });
  });
}

function sectionsOf(page: Page): Section[] {
  const sections: Section[] = [];
  for (const line of prose(page)) {
    const [, marks = '', heading = ''] = /^(#+) (.*)/.exec(line) ?? [];
    if (marks !== '') sections.push({ level: marks.length, heading, text: '' });
    const open = sections.at(-1);
    // The line of languages differs by its nature, and has a test of its own.
    if (open && marks === '' && !line.includes('· 简体中文') && !line.includes('· [简体中文]'))
      open.text += `${line}\n`;
  }
  return sections;
}

/** An example without the words of its comments; what programs print and JSON have none. */
function uncommented(code: string, language: string): string {
  if (language === '' || language === 'json') return code;
  return code.replaceAll(/(^|[ \t]+)(#|\/\/|\/\*\*) .*$/gm, '');
}

/** Of each row and cell: its code, and its text where that is no words but a figure. */
function factsOfTable({ head, rows }: { head: readonly string[]; rows: readonly (readonly string[])[] }): string[][] {
  return [head, ...rows].map((cells) =>
    cells.map((cell) => (/^[\d.,*]+$/.test(cell) ? cell : codesIn(cell).sort().join(' '))),
  );
}

/** Where links and images of a text lead: files from the project's root, headings by their number on their page. */
function targetsIn(page: Page, text: string): string[] {
  const targets = [...text.replaceAll(/`[^`]*`/g, '').matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target ?? '');
  return targets.map((target) => {
    if (/^[a-z]+:/.test(target)) return target;
    const [file = '', anchor] = target.split('#');
    const path = file === '' ? page.path : resolved(page.path, file);
    return anchor === undefined ? path : `${path} heading ${[...anchorsOf(pageAt(path))].indexOf(anchor)}`;
  });
}

/** Where a link of an original has to lead in a translation: to the translated page where there is one. */
function translated(target: string): string {
  const [path = '', ...heading] = target.split(' ');
  return [translationOf.get(path) ?? path, ...heading].join(' ');
}

const listItemsIn = (text: string): string[] => text.match(/^ *(?:-|\d+\.) /gm) ?? [];

/** Figures outside of code and links; in a translation words for figures may have become figures, too. */
function figuresIn(text: string): string[] {
  const plain = text.replaceAll(/`[^`]*`/g, '').replaceAll(/\]\([^)]*\)/g, '');
  return plain.match(/\d+(?:[.,]\d+)*/g) ?? [];
}

/** What only one of two lists has, each as often as it is there too often. */
function unequal(what: string, ours: readonly string[], theirs: readonly string[]): string[] {
  const surplus = (of: readonly string[], over: readonly string[]) => {
    const left = [...over];
    return of.filter((one) => {
      const at = left.indexOf(one);
      if (at >= 0) left.splice(at, 1);
      return at < 0;
    });
  };
  return [
    ...surplus(theirs, ours).map((one) => `${what} ${one} is missing`),
    ...surplus(ours, theirs).map((one) => `${what} ${one} is not in the original`),
  ];
}
