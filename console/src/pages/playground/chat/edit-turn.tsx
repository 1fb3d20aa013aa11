/** A turn while it is edited. */
import { Button } from 'antd';
import { useState } from 'react';
import { partsTexts } from '../../../parts/texts.ts';
import { useTexts } from '../../../texts/define-texts.ts';
import { TextArea } from '../shared/text-area.tsx';
import { texts } from './texts.ts';
import type { Turn } from './turn.ts';

interface Props {
  turn: Turn;
  onSave: (text: string) => void;
  onCancel: () => void;
}

export function EditTurn({ turn: { role, text }, onSave, onCancel }: Props) {
  const say = useTexts(texts);
  const sayParts = useTexts(partsTexts);
  const [changed, setChanged] = useState(text);
  const isUser = role === 'user';
  return (
    <form
      className="tg-composer"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (changed.trim() !== '') onSave(changed);
      }}
    >
      <TextArea
        value={changed}
        rows={2}
        autoFocus
        aria-label={say('editedText')}
        onChange={(event) => setChanged(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') onCancel();
        }}
      />
      {isUser && <p className="tg-play-quiet">{say('editHint')}</p>}
      <div className="tg-turn-actions">
        <Button size="small" onClick={onCancel}>
          {sayParts('cancel')}
        </Button>
        <Button size="small" type="primary" htmlType="submit">
          {say(isUser ? 'sendAgain' : 'saveTurn')}
        </Button>
      </div>
    </form>
  );
}
