/** All that can be looked for on the page: guides, operations, fields, errors and events, each with its anchor. */
import type { ApiDocument, Group, Operation } from '../document.ts';
import type { Guide } from '../guides/guides.ts';
import { fieldsOf } from '../schema.ts';

export type EntryKind = 'guide' | 'operation' | 'event' | 'error' | 'field';

export interface SearchEntry {
  kind: EntryKind;
  title: string;
  /** What is shown below the title. */
  detail: string;
  /** All that is looked through, in lower case. */
  text: string;
  anchor: string;
}

/** Results beyond these are not read. */
const resultsMax = 30;

export interface Searched {
  api: ApiDocument;
  groups: readonly Group[];
  guides: readonly Guide[];
  /** The operation's name in the reader's language. */
  titleOf: (operation: Operation) => string;
}

export function searchIndex({ api, groups, guides, titleOf }: Searched): SearchEntry[] {
  const operations = groups.flatMap((group) => group.operations);
  return [
    ...guides.flatMap(entriesOfGuide),
    ...operations.map((operation) => {
      const { baseId, method, path, summary, description, isWebhook } = operation;
      const title = titleOf(operation);
      const detail = isWebhook ? path : `${method.toUpperCase()} ${path}`;
      const looked = [baseId, title, summary, detail, description, isWebhook ? 'webhook' : ''];
      return entry(isWebhook ? 'event' : 'operation', { title, detail, anchor: baseId, looked });
    }),
    ...operations.filter(({ isWebhook }) => !isWebhook).flatMap((operation) => fieldEntries(api, operation, titleOf)),
  ];
}

/** Those that have every word, the best first: by where the words are, then by kind. */
export function search(index: readonly SearchEntry[], wanted: string): SearchEntry[] {
  const words = wanted.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  return index
    .filter(({ text }) => words.every((word) => text.includes(word)))
    .map((found, place) => ({ found, place, rank: rankOf(found, words) }))
    .sort((one, other) => one.rank - other.rank || one.place - other.place)
    .slice(0, resultsMax)
    .map(({ found }) => found);
}

/** 0 where the title is or begins with the words, 1 where it has them, 2 where what is below it has. */
function rankOf({ title, detail, kind }: SearchEntry, words: readonly string[]): number {
  const name = title.toLowerCase();
  if (name.startsWith(words.join(' '))) return kind === 'field' ? 0.5 : 0;
  if (words.every((word) => name.includes(word))) return 1;
  return words.every((word) => `${name} ${detail.toLowerCase()}`.includes(word)) ? 1.5 : 2;
}

function entriesOfGuide({ title, parts }: Guide): SearchEntry[] {
  return parts.flatMap(({ id, title: own, blocks }) => {
    const rows = blocks.flatMap((block) => (block.kind === 'table' ? block.rows : []));
    const looked = blocks.map((block) =>
      block.kind === 'list'
        ? block.items.join(' ')
        : block.kind === 'code'
          ? block.code
          : 'text' in block
            ? block.text
            : '',
    );
    const part = { title: own || title, detail: own ? title : '', anchor: id };
    return [
      entry('guide', { ...part, looked: [title, own, ...looked] }),
      ...rows.map(([code = '', status = '', ...cells]) => {
        const name = code.replaceAll('`', '');
        const detail = `${status} ${cells.at(-2) ?? ''}`.replaceAll('`', '');
        return entry('error', { title: name, detail, anchor: `error-${name}`, looked: [name, status, ...cells] });
      }),
    ];
  });
}

function fieldEntries(api: ApiDocument, operation: Operation, titleOf: Searched['titleOf']): SearchEntry[] {
  const { baseId, bodies, parameters } = operation;
  const detail = titleOf(operation);
  const fields = fieldsOf(api, bodies[0]?.schema).map(({ name, description }) => {
    return entry('field', { title: name, detail, anchor: `${baseId}.${name}`, looked: [name, description] });
  });
  return [
    ...fields,
    ...parameters
      // Headers that all have would be found sixty times.
      .filter(({ name }) => !/^X-(Request-Id|Tollgate-Tag)$/.test(name))
      .map(({ name, place, description }) =>
        entry('field', { title: name, detail, anchor: `${baseId}.${place}.${name}`, looked: [name, description] }),
      ),
  ];
}

function entry(
  kind: EntryKind,
  { looked, ...shown }: Omit<SearchEntry, 'kind' | 'text'> & { looked: readonly string[] },
): SearchEntry {
  return { kind, ...shown, text: looked.join(' ').toLowerCase() };
}
