/** What can be done with a whole conversation, and how its answers are shown. */
import { PlusOutlined } from '@ant-design/icons';
import { Button, Checkbox } from 'antd';
import { useTexts } from '../../../texts/define-texts.ts';
import type { PastRun } from '../shared/history.ts';
import { HistoryButton } from '../shared/history-button.tsx';
import { texts } from './texts.ts';

interface Props {
  isRaw: boolean;
  onRaw: (isRaw: boolean) => void;
  hasTurns: boolean;
  onClear: () => void;
  onOpen: (run: PastRun) => void;
}

export function Toolbar({ isRaw, onRaw, hasTurns, onClear, onOpen }: Props) {
  const say = useTexts(texts);
  return (
    <div className="tg-toolbar">
      <Checkbox checked={isRaw} disabled={false} onChange={({ target }) => onRaw(target.checked)}>
        {say('raw')}
      </Checkbox>
      <span className="tg-space" />
      {hasTurns && (
        <Button size="small" icon={<PlusOutlined />} onClick={onClear}>
          {say('clear')}
        </Button>
      )}
      <HistoryButton page="chat" onOpen={onOpen} />
    </div>
  );
}
