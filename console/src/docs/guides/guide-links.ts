/** Where links of the documentation's pages lead on this one. */
import type { Guide } from './guides.ts';

/** Sections of the guide that are no guides here, by their anchors in both languages: the group of operations, or an operation. */
const others: Readonly<Record<string, string>> = {
  keys: '#createKey',
  密钥: '#createKey',
  images: '#createImage',
  图片: '#createImage',
};

/** The anchor of what a link leads to; undefined of what is not on the page, such as pages for operators. */
export function linkOfGuide(guides: readonly Guide[], target: string): string | undefined {
  if (/^errors\.md/.test(target)) return '#errors';
  if (!target.startsWith('#')) return undefined;
  const name = target.slice(1);
  const found = guides.find(({ id, title }) => id === name || title.toLowerCase().replaceAll(' ', '-') === name);
  return found ? `#${found.id}` : others[name];
}
