/** The page with all its parts: the bar on top, the contents, the guides, and the operations below one root. */
import { useEffect, useMemo, useState } from 'react';
import { useTexts } from '../texts/define-texts.ts';
import { Contents } from './contents.tsx';
import { type ApiDocument, type Group, groupsBelow, type Operation } from './document.ts';
import { GuideSection } from './guides/guide-section.tsx';
import type { Material } from './guides/load-guides.ts';
import { OperationSection } from './operation-section.tsx';
import { type Reader, ReaderContext } from './reader.ts';
import { searchIndex } from './search/search-index.ts';
import { texts } from './texts.ts';
import { TopBar } from './top-bar.tsx';
import { Words } from './words/words.tsx';

export function LoadedPage({ api, material }: { api: ApiDocument; material: Material }) {
  const say = useTexts(texts);
  const [reader, setReader] = useState<Reader>({ key: '', language: 'curl', root: api.roots[0] ?? '' });
  const change = (changes: Partial<Reader>) => setReader((before) => ({ ...before, ...changes }));
  const { guides, translation } = material;
  const { root } = reader;
  useFollowedAnchor();
  const titleOf = useMemo(() => titlesOf(material), [material]);
  const groups = useMemo(() => groupsBelow(api, root), [api, root]);
  const index = useMemo(() => searchIndex({ api, groups, guides, titleOf }), [api, groups, guides, titleOf]);
  const nameOf = ({ name }: Group) => translation?.groups[name]?.name ?? name;
  return (
    <ReaderContext value={{ ...reader, change }}>
      <a className="docs-skip" href="#operations">
        {say('skip')}
      </a>
      <TopBar api={api} />
      <div className="docs-frame">
        <Contents {...{ guides, groups, index, titleOf, nameOf }} />
        <main id="operations" tabIndex={-1}>
          <h1>{api.title} API</h1>
          <p>
            <Words text={translation?.introduction ?? api.description} />
          </p>
          <p>
            {say('server')}: <code>{api.origin + root}</code>
          </p>
          {guides.map((guide) => (
            <GuideSection key={guide.id} api={api} guide={guide} guides={guides} />
          ))}
          {groups.map((group) => (
            <section key={group.name} aria-labelledby={`group-${group.name}`}>
              <h2 id={`group-${group.name}`}>{nameOf(group)}</h2>
              <p>
                <Words text={translation?.groups[group.name]?.description ?? group.description} />
              </p>
              {group.operations.map((operation) => (
                <OperationSection key={operation.baseId} api={api} operation={operation} title={titleOf(operation)} />
              ))}
            </section>
          ))}
        </main>
      </div>
    </ReaderContext>
  );
}

const titlesOf =
  ({ translation }: Material) =>
  ({ baseId, summary }: Operation): string =>
    translation?.operations[baseId] ?? summary;

/** Brings what the address names into view, also where it was drawn after the address was read, and takes the keyboard there. */
function useFollowedAnchor(): void {
  useEffect(() => {
    const follow = () => {
      const target = document.getElementById(decodeURIComponent(window.location.hash.slice(1)));
      if (!target) return;
      target.scrollIntoView();
      const heading = target.matches('[tabindex]') ? target : target.querySelector<HTMLElement>('[tabindex="-1"]');
      heading?.focus({ preventScroll: true });
    };
    follow();
    window.addEventListener('hashchange', follow);
    return () => window.removeEventListener('hashchange', follow);
  }, []);
}
