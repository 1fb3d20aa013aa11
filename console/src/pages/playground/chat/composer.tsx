/** Where the next message is written and sent, or the answer stopped. */
import { SendOutlined, StopOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import type { ReactNode } from 'react';
import { useTexts } from '../../../texts/define-texts.ts';
import { Field } from '../shared/field.tsx';
import type { Draft } from './body.ts';
import { TextArea } from '../shared/text-area.tsx';
import { texts } from './texts.ts';

interface Props {
  draft: Draft;
  change: (change: Partial<Draft>) => void;
  textError: string | undefined;
  isRunning: boolean;
  onSend: () => void;
  onStop: () => void;
  /** What it would hold, beside the button. */
  cost: ReactNode;
}

export function Composer({ draft, change, textError, isRunning, onSend, onStop, cost }: Props) {
  const say = useTexts(texts);
  const isEmpty = draft.text.trim() === '';
  return (
    <form
      className="tg-composer"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!isEmpty && !isRunning) onSend();
      }}
    >
      <Field name="text" label={say('message')} error={textError}>
        {(props) => (
          <TextArea
            {...props}
            value={draft.text}
            placeholder={say('messagePlaceholder')}
            rows={2}
            onChange={(event) => change({ text: event.target.value })}
            onKeyDown={(event) => {
              // While a Chinese word is being composed, Enter ends the word.
              if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
              event.preventDefault();
              event.currentTarget.form?.requestSubmit();
            }}
          />
        )}
      </Field>
      <div className="tg-composer-foot">
        {cost}
        {isRunning ? (
          <Button icon={<StopOutlined />} onClick={onStop} danger>
            {say('stop')}
          </Button>
        ) : (
          <Button type="primary" htmlType="submit" icon={<SendOutlined />}>
            {say('send')}
          </Button>
        )}
      </div>
    </form>
  );
}
