/** Chooses a file by a dialog or by dropping it, and says what is wrong with it before anything is sent. */
import { UploadOutlined } from '@ant-design/icons';
import { useState } from 'react';
import { bytesText } from '../../../parts/measures.ts';
import { useTexts } from '../../../texts/define-texts.ts';
import { localeOf, useLanguage } from '../../../texts/language.ts';
import { Field } from '../shared/field.tsx';
import type { Chosen, FileName } from './sniff.ts';
import { texts } from './texts.ts';

interface Props {
  name: FileName;
  hint: string;
  accept: string;
  chosen: Chosen | undefined;
  error: string | undefined;
  isDisabled: boolean;
  onFile: (file: File) => void;
}

export function FileDrop({ name, hint, accept, chosen, error, isDisabled, onFile }: Props) {
  const say = useTexts(texts);
  const locale = localeOf(useLanguage());
  const [isOver, setOver] = useState(false);
  const take = (files: FileList | null) => {
    const file = files?.[0];
    if (file && !isDisabled) onFile(file);
  };
  return (
    <Field name={name} label={say(name)} error={error} hint={hint}>
      {({ status, ...props }) => (
        <div
          className="tg-drop"
          data-over={isOver}
          data-status={status}
          onDragOver={(event) => {
            event.preventDefault();
            setOver(!isDisabled);
          }}
          onDragLeave={() => setOver(false)}
          onDrop={(event) => {
            event.preventDefault();
            setOver(false);
            take(event.dataTransfer.files);
          }}
        >
          <input
            {...props}
            type="file"
            accept={accept}
            disabled={isDisabled}
            onChange={(event) => {
              take(event.target.files);
              event.target.value = ''; // the same file may be chosen again once it was corrected
            }}
          />
          <UploadOutlined aria-hidden />
          <span className="tg-break">{chosen ? describe(chosen) : say('choose')}</span>
          {chosen && <small>{say('other')}</small>}
        </div>
      )}
    </Field>
  );

  function describe({ file, seconds }: Chosen): string {
    const size = bytesText(file.size, locale);
    if (seconds === null) return say('chosen', { name: file.name, size });
    const number = new Intl.NumberFormat(locale, { maximumFractionDigits: 3 });
    return say('chosenLong', { name: file.name, size, seconds: number.format(seconds) });
  }
}
