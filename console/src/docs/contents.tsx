/** What is on the page, guides first, with a search over all of it; on a phone it is folded. */
import { useRef } from 'react';
import { useTexts } from '../texts/define-texts.ts';
import type { Group, Operation } from './document.ts';
import type { Guide } from './guides/guides.ts';
import { MethodTag } from './method-tag.tsx';
import { SearchBox } from './search/search-box.tsx';
import type { SearchEntry } from './search/search-index.ts';
import { texts } from './texts.ts';

interface ContentsProps {
  guides: readonly Guide[];
  groups: readonly Group[];
  index: readonly SearchEntry[];
  titleOf: (operation: Operation) => string;
  nameOf: (group: Group) => string;
}

const isWide = () => window.matchMedia('(min-width: 900px)').matches;

export function Contents({ guides, groups, index, titleOf, nameOf }: ContentsProps) {
  const say = useTexts(texts);
  const details = useRef<HTMLDetailsElement>(null);
  // On a phone the list would stay between the reader and what they went to.
  const leave = () => {
    if (details.current && !isWide()) details.current.open = false;
  };
  return (
    <nav className="docs-contents" aria-label={say('contents')}>
      <details ref={details} open={isWide()}>
        <summary>{say('contents')}</summary>
        <SearchBox index={index} leave={leave}>
          <strong>{say('guides')}</strong>
          <ul>
            {guides.map(({ id, title }) => (
              <li key={id}>
                <a className="docs-guide-link" href={`#${id}`} onClick={leave}>
                  {title}
                </a>
              </li>
            ))}
          </ul>
          {groups.map((group) => (
            <div key={group.name}>
              <strong>{nameOf(group)}</strong>
              <ul>
                {group.operations.map((operation) => (
                  <li key={operation.baseId}>
                    <a href={`#${encodeURIComponent(operation.baseId)}`} onClick={leave}>
                      <MethodTag method={operation.method} isWebhook={operation.isWebhook} />
                      <span>{titleOf(operation)}</span>
                    </a>
                  </li>
                ))}
              </ul>
            </div>
          ))}
        </SearchBox>
      </details>
    </nav>
  );
}
