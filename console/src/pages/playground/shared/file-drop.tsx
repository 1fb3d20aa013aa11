/** Chooses a file by a dialog or by dropping it, and says what is wrong with it before anything is sent. */
import { UploadOutlined } from '@ant-design/icons';
import { useState } from 'react';
import { bytesText } from '../../../parts/measures.ts';
import { useTexts } from '../../../texts/define-texts.ts';
import { localeOf, useLanguage } from '../../../texts/language.ts';
import { playgroundTexts } from '../texts.ts';
import { Field } from './field.tsx';

export interface ChosenFile {
  file: File;
  /** Of what plays here, in seconds; null for what doesn't, of which the server will know. */
  seconds: number | null;
}

interface Props {
  name: string;
  label: string;
  hint: string;
  accept: string;
  chosen: ChosenFile | undefined;
  error: string | undefined;
  isDisabled: boolean;
  onFile: (file: File) => void;
}

export function FileDrop({ name, label, hint, accept, chosen, error, isDisabled, onFile }: Props) {
  const say = useTexts(playgroundTexts);
  const locale = localeOf(useLanguage());
  const [isOver, setOver] = useState(false);
  const take = (files: FileList | null) => {
    const file = files?.[0];
    if (file && !isDisabled) onFile(file);
  };
  return (
    <Field name={name} label={label} error={error} hint={hint}>
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
          <span className="tg-break">{chosen ? describe(chosen) : say('chooseFile')}</span>
          {chosen && <small>{say('otherFile')}</small>}
        </div>
      )}
    </Field>
  );

  function describe({ file, seconds }: ChosenFile): string {
    const size = bytesText(file.size, locale);
    if (seconds === null) return say('chosenFile', { name: file.name, size });
    const number = new Intl.NumberFormat(locale, { maximumFractionDigits: 3 });
    return say('chosenFileLong', { name: file.name, size, seconds: number.format(seconds) });
  }
}
