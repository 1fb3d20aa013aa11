/** The guides that come before the operations: sections of `docs/api-guide.md` and all of `docs/errors.md`, so that nothing is written twice. */
import type { Language } from '../../texts/say.ts';
import { type Block, readMarkdown, sectionOf } from './markdown.ts';

export interface Guide {
  /** Its anchor on the page. */
  id: string;
  title: string;
  parts: readonly GuidePart[];
}

/** What stands below one heading. */
export interface GuidePart {
  /** Its anchor; the guide's own for the first part. */
  id: string;
  /** Empty for the first part, whose title is the guide's. */
  title: string;
  blocks: readonly Block[];
}

/** The pages in one language, as they are in `docs`. */
export interface GuidePages {
  apiGuide: string;
  errors: string;
}

/** The sections that are guides, by their headings, in the order of the page. */
const sections: readonly ({ id: string } & Record<Language, string>)[] = [
  { id: 'authentication', en: 'Authentication', zh: '身份验证' },
  { id: 'errors', en: 'Errors', zh: '错误' },
  { id: 'streaming', en: 'Streaming', zh: '流式输出' },
  { id: 'webhooks', en: 'Webhooks', zh: 'Webhook' },
  { id: 'idempotency', en: 'Idempotency', zh: '幂等' },
  { id: 'limits', en: 'Limits and headers', zh: '限额与响应头' },
  { id: 'waiting', en: 'Waiting', zh: '等待' },
  { id: 'cancelling', en: 'Cancelling', zh: '取消' },
  { id: 'batches', en: 'Batches', zh: '批处理' },
  { id: 'files', en: 'Files', zh: '文件' },
];

/** Of the console's own API, which no program calls. */
const leftOut: readonly string[] = ['Console errors', '控制台错误'];

/** Makes the guides of the pages. Raises where a page has lost a section. */
export function guidesOf({ apiGuide, errors }: GuidePages, language: Language): Guide[] {
  const guide = readMarkdown(apiGuide);
  return sections.map(({ id, [language]: title }) => {
    const own = sectionOf(guide, 2, title);
    if (own.length === 0) throw new TypeError(`docs/api-guide.md has no section ${title}`);
    return { id, title, parts: partsOf(id, id === 'errors' ? withErrors(own, readMarkdown(errors)) : own) };
  });
}

/** What all errors have in common, how the SDKs raise them, and the tables by code. */
function withErrors(own: readonly Block[], page: readonly Block[]): Block[] {
  const [title, languages, ...rest] = page;
  if (title?.kind !== 'heading' || languages?.kind !== 'text') throw new TypeError('docs/errors.md begins otherwise');
  const first = rest.findIndex(({ kind }) => kind === 'heading');
  return [...rest.slice(0, first), ...own, ...rest.slice(first)];
}

function partsOf(id: string, blocks: readonly Block[]): GuidePart[] {
  const parts: { id: string; title: string; blocks: Block[] }[] = [{ id, title: '', blocks: [] }];
  for (const block of blocks) {
    if (block.kind === 'heading') parts.push({ id: `${id}-${parts.length}`, title: block.text, blocks: [] });
    else parts.at(-1)?.blocks.push(block);
  }
  return parts.filter(({ title }) => !leftOut.includes(title));
}
