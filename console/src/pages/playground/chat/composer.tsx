/** Where the next message is written and sent, with files if wanted, or the answer stopped. */
import { PaperClipOutlined, SendOutlined, StopOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import type { ReactNode } from 'react';
import { bytesText } from '../../../parts/measures.ts';
import { useTexts } from '../../../texts/define-texts.ts';
import { localeOf, useLanguage } from '../../../texts/language.ts';
import { Field } from '../shared/field.tsx';
import { TextArea } from '../shared/text-area.tsx';
import { AttachmentList } from './attachment-list.tsx';
import {
  attachmentBytesInAllMax,
  attachmentBytesMax,
  type Attachments,
  attachmentsMax,
  attachmentTypes,
} from './attachments.ts';
import type { Draft } from './draft.ts';
import { texts } from './texts.ts';

interface Props {
  draft: Draft;
  change: (change: Partial<Draft>) => void;
  textError: string | undefined;
  attachments: Attachments;
  /** Whether every model that is asked sees images. */
  takesFiles: boolean;
  isBarred: boolean;
  isRunning: boolean;
  /** Whether what was said before can be answered as it stands. */
  isUnanswered: boolean;
  /** Whether tool calls have to be answered first. */
  isWaiting: boolean;
  onSend: () => void;
  onStop: () => void;
  /** What it would hold, beside the button. */
  cost: ReactNode;
}

export function Composer(props: Props) {
  const { draft, change, textError, attachments, takesFiles, isBarred, isRunning, isWaiting, isUnanswered } = props;
  const say = useTexts(texts);
  const mistake = useMistakeText(attachments);
  const { files, add, remove } = attachments;
  const mayAttach = takesFiles && !isBarred;
  const isEmpty = draft.text.trim() === '' && (files.length === 0 || !takesFiles);
  const maySend = !isEmpty || isUnanswered;
  const take = (list: FileList) => {
    if (mayAttach && list.length > 0) void add([...list]);
    return mayAttach && list.length > 0;
  };
  return (
    <form
      className="tg-composer"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (maySend && !isRunning && !isWaiting) props.onSend();
      }}
      onDragOver={(event) => {
        if (mayAttach) event.preventDefault();
      }}
      onDrop={(event) => {
        if (take(event.dataTransfer.files)) event.preventDefault();
      }}
    >
      <Field name="text" label={say('message')} error={textError}>
        {(field) => (
          <TextArea
            {...field}
            value={draft.text}
            placeholder={say('messagePlaceholder')}
            rows={2}
            onChange={(event) => change({ text: event.target.value })}
            onPaste={(event) => {
              if (take(event.clipboardData.files)) event.preventDefault();
            }}
            onKeyDown={(event) => {
              // While a Chinese word is being composed, Enter ends the word.
              if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
              event.preventDefault();
              event.currentTarget.form?.requestSubmit();
            }}
          />
        )}
      </Field>
      <AttachmentList files={files} onRemove={remove} />
      {mistake !== undefined && (
        <p className="tg-attach-mistake" role="alert">
          {mistake}
        </p>
      )}
      {files.length > 0 && !takesFiles && <p className="tg-play-quiet">{say('noVision')}</p>}
      {isWaiting && <p className="tg-play-quiet">{say('answerToolsFirst')}</p>}
      <div className="tg-composer-foot">
        {props.cost}
        <div className="tg-composer-buttons">
          {takesFiles && (
            <span className="tg-attach" data-disabled={isBarred}>
              <input
                type="file"
                multiple
                accept={attachmentTypes.join(',')}
                aria-label={say('attach')}
                title={say('attachHint')}
                disabled={isBarred}
                onChange={(event) => {
                  if (event.target.files) take(event.target.files);
                  event.target.value = ''; // the same file may be chosen again
                }}
              />
              <PaperClipOutlined aria-hidden /> <span aria-hidden>{say('attach')}</span>
            </span>
          )}
          {isRunning ? (
            <Button icon={<StopOutlined />} onClick={props.onStop} danger>
              {say('stop')}
            </Button>
          ) : (
            <Button type="primary" htmlType="submit" icon={<SendOutlined />} {...(isWaiting && { disabled: true })}>
              {say(isEmpty && isUnanswered ? 'run' : 'send')}
            </Button>
          )}
        </div>
      </div>
    </form>
  );
}

/** Why a file was not taken, in the reader's words. */
function useMistakeText({ mistake }: Attachments): string | undefined {
  const say = useTexts(texts);
  const locale = localeOf(useLanguage());
  switch (mistake?.kind) {
    case undefined:
      return undefined;
    case 'many':
      return say('tooMany', { count: attachmentsMax });
    case 'inAll':
      return say('tooMuch', { size: bytesText(attachmentBytesInAllMax, locale) });
    case 'size':
      return say('tooLarge', { name: mistake.name, size: bytesText(attachmentBytesMax, locale) });
    case 'type':
      return say('wrongType', { name: mistake.name });
    case 'unreadable':
      return say('unreadable', { name: mistake.name });
  }
}
