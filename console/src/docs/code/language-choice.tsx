/** Which language samples are in; chosen once, for the whole page. */
import { useId } from 'react';
import { useTexts } from '../../texts/define-texts.ts';
import { useReader } from '../reader.ts';
import type { SampleLanguage } from '../samples.ts';
import { texts } from '../texts.ts';

export const languageNames = { curl: 'curl', python: 'Python', node: 'Node.js', go: 'Go', java: 'Java' } as const;

interface LanguageChoiceProps {
  languages: readonly SampleLanguage[];
  shown: SampleLanguage;
}

export function LanguageChoice({ languages, shown }: LanguageChoiceProps) {
  const say = useTexts(texts);
  const { change } = useReader();
  const group = useId();
  return (
    <fieldset className="docs-languages">
      <legend>{say('language')}</legend>
      {languages.map((one) => (
        <label key={one}>
          <input type="radio" name={group} checked={one === shown} onChange={() => change({ language: one })} />
          <span>{languageNames[one]}</span>
        </label>
      ))}
    </fieldset>
  );
}
