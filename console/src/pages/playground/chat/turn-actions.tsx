/** What can be done with a turn: copied, edited, and an answer given once more. */
import { EditOutlined, ReloadOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { CopyButton } from '../../../parts/copy-button.tsx';
import { useTexts } from '../../../texts/define-texts.ts';
import type { Lane } from './lane.ts';
import { texts } from './texts.ts';
import type { Turn } from './turn.ts';

interface Props {
  turn: Turn;
  place: number;
  lane: Lane;
  /** None: it can't be edited. */
  onEdit: (() => void) | undefined;
}

export function TurnActions({ turn: { role, text }, place, lane, onEdit }: Props) {
  const say = useTexts(texts);
  return (
    <div className="tg-turn-actions">
      {text !== '' && <CopyButton text={text} label={say('copyTurn')} />}
      {role === 'assistant' && !lane.isRunning && (
        <Button
          type="text"
          icon={<ReloadOutlined />}
          aria-label={say('regenerate')}
          title={say('regenerate')}
          onClick={() => lane.regenerate(place)}
        />
      )}
      {onEdit && !lane.isRunning && (
        <Button
          type="text"
          icon={<EditOutlined />}
          aria-label={say('editTurn')}
          title={say('editTurn')}
          onClick={onEdit}
        />
      )}
    </div>
  );
}
