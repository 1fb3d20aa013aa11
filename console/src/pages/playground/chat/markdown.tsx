/**
 * What a model said, as Markdown. Its parts become elements of React, so nothing of it is ever HTML: tags are shown as
 * they are written, images are links, and links lead to the web or to a mail only.
 */
import { lexer, type MarkedToken, type Token, type Tokens } from 'marked';
import { Fragment, memo, type ReactNode } from 'react';
import { CodeBlock } from '../../../parts/code-block.tsx';
import { useTexts } from '../../../texts/define-texts.ts';
import { texts } from './texts.ts';

export function Markdown({ text }: { text: string }) {
  const tokens = lexer(text, { gfm: true, breaks: true });
  // An address that is defined at the end is used by links before it.
  const links = Object.keys(tokens.links).length;
  return (
    <div className="tg-said">
      {known(tokens).map((token, index) => (
        <Block key={index} token={token} links={links} />
      ))}
    </div>
  );
}

/** While an answer comes, only its last block is drawn anew. */
const Block = memo(
  ({ token }: { token: MarkedToken; links: number }) => <>{blockOf(token)}</>,
  (a, b) => a.token.raw === b.token.raw && a.links === b.links,
);
Block.displayName = 'Block';

/** Those below the heading of the turn. */
const headings = { 1: 'h4', 2: 'h5' } as const;

function blockOf(token: MarkedToken): ReactNode {
  switch (token.type) {
    case 'heading': {
      const Heading = token.depth === 1 || token.depth === 2 ? headings[token.depth] : 'h6';
      return <Heading>{inline(token.tokens)}</Heading>;
    }
    case 'code':
      return <Code token={token} />;
    case 'blockquote':
      return <blockquote>{blocks(token.tokens)}</blockquote>;
    case 'list':
      return <List token={token} />;
    case 'table':
      return <Table token={token} />;
    case 'hr':
      return <hr />;
    case 'paragraph':
      return <p>{inline(token.tokens)}</p>;
    case 'html':
      return <p>{token.text.trimEnd()}</p>;
    case 'space':
    case 'def':
      return null;
    case 'br':
    case 'checkbox':
    case 'codespan':
    case 'del':
    case 'em':
    case 'escape':
    case 'image':
    case 'link':
    case 'list_item':
    case 'strong':
    case 'text':
      return inlineOf(token); // of a list's item
  }
}

function Code({ token: { text, lang } }: { token: Tokens.Code }) {
  const say = useTexts(texts);
  return <CodeBlock code={text} label={lang?.split(/\s/)[0] || say('code')} />;
}

function List({ token: { ordered, start, items } }: { token: Tokens.List }) {
  const children = items.map(({ tokens }, index) => <li key={index}>{blocks(tokens)}</li>);
  return ordered ? <ol start={start === '' ? 1 : start}>{children}</ol> : <ul>{children}</ul>;
}

function Table({ token: { header, rows } }: { token: Tokens.Table }) {
  const say = useTexts(texts);
  return (
    // It scrolls sideways, so the keyboard must get there.
    <div className="tg-said-table" tabIndex={0} role="region" aria-label={say('table')}>
      <table>
        <thead>
          <tr>
            {header.map(({ tokens, align }, index) => (
              <th key={index} scope="col" data-align={align}>
                {inline(tokens)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, index) => (
            <tr key={index}>
              {cells.map(({ tokens, align }, at) => (
                <td key={at} data-align={align}>
                  {inline(tokens)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function inlineOf(token: MarkedToken): ReactNode {
  switch (token.type) {
    case 'strong':
      return <strong>{inline(token.tokens)}</strong>;
    case 'em':
      return <em>{inline(token.tokens)}</em>;
    case 'del':
      return <del>{inline(token.tokens)}</del>;
    case 'codespan':
      return <code>{token.text}</code>;
    case 'br':
      return <br />;
    case 'checkbox':
      return token.checked ? '☑ ' : '☐ ';
    case 'link':
      return <SafeLink address={token.href}>{inline(token.tokens)}</SafeLink>;
    case 'image':
      return <SafeLink address={token.href}>{token.text === '' ? token.href : token.text}</SafeLink>;
    case 'text':
      return token.tokens ? inline(token.tokens) : plain(token.text);
    case 'escape':
      return token.text;
    case 'html':
    case 'blockquote':
    case 'code':
    case 'def':
    case 'heading':
    case 'hr':
    case 'list':
    case 'list_item':
    case 'paragraph':
    case 'space':
    case 'table':
      return token.raw; // tags, and blocks where none can be
  }
}

/** Leads to the web or to a mail, in a window of its own that knows nothing of this one; any other is only text. */
function SafeLink({ address, children }: { address: string; children: ReactNode }) {
  if (!/^(https?:\/\/|mailto:)/i.test(address) || !URL.canParse(address)) return <>{children}</>;
  return (
    <a href={address} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}

const blocks = (tokens: readonly Token[]): ReactNode =>
  known(tokens).map((token, index) => <Fragment key={index}>{blockOf(token)}</Fragment>);
const inline = (tokens: readonly Token[]): ReactNode =>
  known(tokens).map((token, index) => <Fragment key={index}>{inlineOf(token)}</Fragment>);

const types: Readonly<Record<MarkedToken['type'], true>> = {
  ...{ blockquote: true, br: true, checkbox: true, code: true, codespan: true, def: true, del: true, em: true },
  ...{ escape: true, heading: true, hr: true, html: true, image: true, link: true, list: true, list_item: true },
  ...{ paragraph: true, space: true, strong: true, table: true, text: true },
};
const isKnown = (token: Token): token is MarkedToken => Object.hasOwn(types, token.type);
const known = (tokens: readonly Token[]): MarkedToken[] => tokens.filter(isKnown);

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0' };

/** Text with the few entities that models write as what they stand for. */
const plain = (text: string): string =>
  text.replaceAll(/&(?:(amp|lt|gt|quot|apos|nbsp)|#(\d{1,6}));/g, (whole, name?: string, code?: string) =>
    name === undefined ? String.fromCodePoint(Number(code)) : (entities[name] ?? whole),
  );
