/** What the server or a provider said of a failure: Chinese readers get the meaning of its code, the original below it. */
import { defineTexts, useTexts } from '../texts/define-texts.ts';
import { useLanguage } from '../texts/language.ts';
import { chineseOf } from './errors-in-chinese.ts';

const texts = defineTexts('server-text', {
  en: { original: 'Details' },
  zh: { original: '详情' },
});

interface Said {
  /** None for an error that a provider passed on without one. */
  code: string | null;
  message: string;
}

/** Returns it in one line, for where there is no room for the original: that belongs into a title. */
export function useServerText(): (said: Said) => string {
  const language = useLanguage();
  return ({ code, message }) => (language === 'zh' && code !== null ? (chineseOf(code) ?? message) : message);
}

export function ServerText({ said }: { said: Said }) {
  return <Original text={useServerText()(said)} original={said.message} />;
}

/** A text in the reader's language, with what it was made of to unfold where that is another. */
export function Original({ text, original }: { text: string; original: string }) {
  const say = useTexts(texts);
  if (text === original) return <span>{text}</span>;
  return (
    <div>
      {text}
      <details>
        <summary>{say('original')}</summary>
        <span lang="en">{original}</span>
      </details>
    </div>
  );
}
