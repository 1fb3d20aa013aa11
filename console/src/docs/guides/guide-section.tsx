/** A guide in two columns, part by part: its text, and beside it its examples in the reader's language. */
import { useTexts } from '../../texts/define-texts.ts';
import { Code } from '../code/code.tsx';
import { LanguageChoice, languageNames } from '../code/language-choice.tsx';
import type { ApiDocument } from '../document.ts';
import { useReader } from '../reader.ts';
import { languages } from '../samples.ts';
import { texts } from '../texts.ts';
import { Words } from '../words/words.tsx';
import { guideCode, sampleLanguageOf, withModels } from './guide-code.ts';
import { linkOfGuide } from './guide-links.ts';
import type { Guide, GuidePart } from './guides.ts';
import type { Block } from './markdown.ts';

type CodeBlock = Extract<Block, { kind: 'code' }>;

interface GuideProps {
  api: ApiDocument;
  guide: Guide;
  guides: readonly Guide[];
}

export function GuideSection({ api, guide, guides }: GuideProps) {
  return (
    <section id={guide.id} className="docs-guide" aria-labelledby={`title-${guide.id}`}>
      {guide.parts.map((part, index) => (
        <Part key={part.id} {...{ api, guide, guides, part }} isFirst={index === 0} />
      ))}
    </section>
  );
}

function Part({ api, guide, guides, part, isFirst }: GuideProps & { part: GuidePart; isFirst: boolean }) {
  const codes = part.blocks.filter((block): block is CodeBlock => block.kind === 'code');
  return (
    <div className="docs-columns">
      <div>
        {isFirst ? (
          <h2 id={`title-${guide.id}`} tabIndex={-1}>
            {guide.title}
          </h2>
        ) : (
          <h3 id={part.id} tabIndex={-1}>
            {part.title}
          </h3>
        )}
        {part.blocks.map((block, index) => (
          <Drawn key={index} api={api} block={block} guides={guides} />
        ))}
      </div>
      {codes.length > 0 && (
        <div className="docs-side">
          <GuideSamples api={api} codes={codes} title={part.title || guide.title} />
        </div>
      )}
    </div>
  );
}

function GuideSamples({ api, codes, title }: { api: ApiDocument; codes: readonly CodeBlock[]; title: string }) {
  const say = useTexts(texts);
  const { language, root, key } = useReader();
  const runnable = codes.flatMap(({ language: fence, code }) => {
    const own = sampleLanguageOf(fence);
    return own ? [{ language: own, code: guideCode(api, { language: own, code, root, key }) }] : [];
  });
  const available = languages.filter((one) => runnable.some((sample) => sample.language === one));
  const shown = available.includes(language) ? language : available[0];
  return (
    <>
      {shown && <LanguageChoice languages={available} shown={shown} />}
      {runnable
        .filter((sample) => sample.language === shown)
        .map(({ language: own, code }, index) => (
          <Code key={index} text={code} label={`${languageNames[own]}: ${title}`} language={own} />
        ))}
      {codes
        .filter(({ language: fence }) => sampleLanguageOf(fence) === undefined)
        .map(({ code }, index) => (
          <Code
            key={index}
            text={pretty(withModels(api, code))}
            label={`${say('example')}: ${title}`}
            language="json"
          />
        ))}
    </>
  );
}

function Drawn({ api, block, guides }: { api: ApiDocument; block: Block; guides: readonly Guide[] }) {
  const linkTo = (target: string) => linkOfGuide(guides, target);
  switch (block.kind) {
    case 'text':
      return (
        <p>
          <Words text={withModels(api, block.text)} linkTo={linkTo} />
        </p>
      );
    case 'list':
      return (
        <ul>
          {block.items.map((item, index) => (
            <li key={index}>
              <Words text={withModels(api, item)} linkTo={linkTo} />
            </li>
          ))}
        </ul>
      );
    case 'table':
      return <Rows block={block} linkTo={linkTo} />;
    case 'heading':
    case 'code':
      return null; // a heading begins a part, and code stands beside the text
  }
}

interface RowsProps {
  block: Extract<Block, { kind: 'table' }>;
  linkTo: (target: string) => string | undefined;
}

/** A table whose rows are too long for columns: of errors, each code with its status, when it comes and what to do. */
function Rows({ block: { head, rows }, linkTo }: RowsProps) {
  return (
    <dl className="docs-fields">
      {rows.map(([name = '', ...cells]) => (
        <div key={name} id={`error-${name.replaceAll('`', '')}`}>
          <dt>
            <Words text={name} />{' '}
            <span className="docs-type">
              <Words text={cells.slice(0, -2).join(' ')} />
            </span>
          </dt>
          {cells.slice(-2).map((cell, index) => (
            <dd key={index}>
              <span className="docs-type">{head[head.length - 2 + index]}:</span> <Words text={cell} linkTo={linkTo} />
            </dd>
          ))}
        </div>
      ))}
    </dl>
  );
}

/** One line of JSON as people read it; what is no JSON stays as it is. */
function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
