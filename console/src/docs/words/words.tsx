/** A sentence of the document or of a guide: backticks mean code, two stars weight, and links lead within the page or out of it. */
import type { ReactNode } from 'react';

const marks = /`([^`]+)`|\*\*([^*]+)\*\*|\[((?:`[^`]*`|[^\]])*)\]\(([^)\s]+)\)/g;

interface WordsProps {
  text: string;
  /** Where a link of a guide leads on this page; undefined of what is not on it. Without it, only links out of it are drawn. */
  linkTo?: (target: string) => string | undefined;
}

export function Words({ text, linkTo = () => undefined }: WordsProps): ReactNode {
  const parts: ReactNode[] = [];
  let end = 0;
  for (const { 0: found, 1: code, 2: strong, 3: label, 4: target = '', index } of text.matchAll(marks)) {
    parts.push(text.slice(end, index));
    end = index + found.length;
    if (code !== undefined) parts.push(<code key={index}>{code}</code>);
    else if (strong !== undefined) parts.push(<strong key={index}>{strong}</strong>);
    else {
      const words = <Words key={index} text={label ?? ''} />;
      const href = target.startsWith('https://') ? target : linkTo(target);
      parts.push(
        href === undefined ? (
          words
        ) : (
          <a key={index} href={href} rel="noreferrer">
            {words}
          </a>
        ),
      );
    }
  }
  return [...parts, text.slice(end)];
}
