/** Code that can be scrolled by keyboard and copied. */
import { useState } from 'react';
import { copyText } from '../parts/copy-text.ts';
import { useTexts } from '../texts/define-texts.ts';
import { texts } from './texts.ts';

export function Code({ text, label }: { text: string; label: string }) {
  const say = useTexts(texts);
  const [copied, setCopied] = useState('');
  return (
    <div className="docs-code">
      {/* It scrolls sideways, so the keyboard must get there. */}
      <pre tabIndex={0} role="region" aria-label={label}>
        <code>{text}</code>
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
