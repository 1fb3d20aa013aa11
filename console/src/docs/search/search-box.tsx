/** The search over the whole page: reached by `/`, Enter goes to the best result, the arrow keys to the others. */
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { useTexts } from '../../texts/define-texts.ts';
import { texts } from '../texts.ts';
import { search, type SearchEntry } from './search-index.ts';

interface SearchBoxProps {
  index: readonly SearchEntry[];
  /** Called when the reader goes to a result. */
  leave: () => void;
  /** What is shown while nothing is looked for. */
  children: ReactNode;
}

export function SearchBox({ index, leave, children }: SearchBoxProps) {
  const say = useTexts(texts);
  const [wanted, setWanted] = useState('');
  const box = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const found = search(index, wanted);
  useEffect(() => {
    const reach = (event: globalThis.KeyboardEvent) => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      event.preventDefault();
      box.current?.closest('details')?.setAttribute('open', '');
      box.current?.focus();
      box.current?.select();
    };
    window.addEventListener('keydown', reach);
    return () => window.removeEventListener('keydown', reach);
  }, []);
  const onKey = (event: KeyboardEvent) => {
    const links = [...(list.current?.querySelectorAll('a') ?? [])];
    const at = links.findIndex((link) => link === document.activeElement);
    if (event.key === 'Escape') {
      setWanted('');
      box.current?.focus();
    } else if (event.key === 'Enter' && at < 0) links[0]?.click();
    else if (event.key === 'ArrowDown') links[at + 1]?.focus();
    else if (event.key === 'ArrowUp') (links[at - 1] ?? box.current)?.focus();
    else return;
    if (event.key !== 'Enter' || at < 0) event.preventDefault();
  };
  return (
    <div role="search" onKeyDown={onKey}>
      <input
        ref={box}
        type="search"
        aria-label={say('search')}
        placeholder={say('search')}
        aria-keyshortcuts="/"
        value={wanted}
        onChange={(event) => setWanted(event.target.value)}
      />
      <p className="docs-note" role="status">
        {wanted.trim() === '' ? say('searchHint') : say('found', { count: found.length })}
      </p>
      {wanted.trim() === '' ? (
        children
      ) : (
        <ul ref={list} className="docs-results">
          {found.map(({ kind, title, detail, anchor }) => (
            <li key={anchor}>
              <a href={`#${encodeURIComponent(anchor)}`} onClick={leave}>
                <span className="docs-kind">{say(kind)}</span>
                <span>
                  {title}
                  <small>{detail}</small>
                </span>
              </a>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.matches('input:not([type=radio]), textarea, select');
