/** Code in colours that can be scrolled by keyboard and copied. */
import { useState } from 'react';
import { copyText } from '../../parts/copy-text.ts';
import { useTexts } from '../../texts/define-texts.ts';
import { texts } from '../texts.ts';
import { type CodeLanguage, highlighted } from './highlight.ts';

interface CodeProps {
  text: string;
  label: string;
  language?: CodeLanguage;
}

export function Code({ text, label, language = 'text' }: CodeProps) {
  const say = useTexts(texts);
  const [copied, setCopied] = useState('');
  return (
    <div className="docs-code">
      {/* It scrolls sideways, so the keyboard must get there. */}
      <pre tabIndex={0} role="region" aria-label={label}>
        <code>
          {highlighted(text, language).map(({ text: piece, kind }, index) =>
            kind === '' ? (
              piece
            ) : (
              <span key={index} className={`docs-${kind}`}>
                {piece}
              </span>
            ),
          )}
        </code>
      </pre>
      <button
        type="button"
        aria-label={`${copied === text ? say('copied') : say('copy')}: ${label}`}
        onClick={() => void copyText(text).then(() => setCopied(text))}
      >
        {copied === text ? say('copied') : say('copy')}
      </button>
    </div>
  );
}
