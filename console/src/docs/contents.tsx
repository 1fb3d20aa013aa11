/** The list of operations, which can be searched; on a phone it is folded. */
import { useState } from 'react';
import { useTexts } from '../texts/define-texts.ts';
import type { Group, Operation } from './document.ts';
import { MethodTag } from './method-tag.tsx';
import { texts } from './texts.ts';

export function Contents({ groups }: { groups: readonly Group[] }) {
  const say = useTexts(texts);
  const [wanted, setWanted] = useState('');
  const found = groups
    .map((group) => ({ ...group, operations: group.operations.filter((one) => matches(one, wanted)) }))
    .filter(({ operations }) => operations.length > 0);
  const count = found.reduce((sum, { operations }) => sum + operations.length, 0);
  const list = (
    <>
      <input
        type="search"
        aria-label={say('filter')}
        placeholder={say('filter')}
        value={wanted}
        onChange={(event) => setWanted(event.target.value)}
      />
      <p className="docs-note" role="status">
        {say('found', { count })}
      </p>
      {found.map(({ name, operations }) => (
        <div key={name}>
          <strong>{name}</strong>
          <ul>
            {operations.map(({ id, method, path, summary, isWebhook }) => (
              <li key={id}>
                <a href={`#${encodeURIComponent(id)}`}>
                  <MethodTag method={method} isWebhook={isWebhook} />
                  <span>
                    {summary}
                    <small>{path}</small>
                  </span>
                </a>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </>
  );
  return (
    <nav className="docs-contents" aria-label={say('contents')}>
      <details open={window.matchMedia('(min-width: 900px)').matches}>
        <summary>{say('contents')}</summary>
        {list}
      </details>
    </nav>
  );
}

/** Every word that is looked for is somewhere in the operation's name, path or sentence. */
function matches({ id, method, path, summary }: Operation, wanted: string): boolean {
  const text = `${id} ${method} ${path} ${summary}`.toLowerCase();
  return wanted
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
