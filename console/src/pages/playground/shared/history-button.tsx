/** Opens the list of past runs, of which one can be opened again. */
import { HistoryOutlined } from '@ant-design/icons';
import { Button, Drawer } from 'antd';
import { useState } from 'react';
import { ConfirmButton } from '../../../parts/confirm-button.tsx';
import { EmptyState } from '../../../parts/empty-state.tsx';
import { Time } from '../../../parts/time.tsx';
import { useTexts } from '../../../texts/define-texts.ts';
import { playgroundTexts } from '../texts.ts';
import { type PastRun, useHistory } from './history.ts';

const drawerPx = 420;

interface Props {
  page: string;
  onOpen: (run: PastRun) => void;
}

export function HistoryButton({ page, onOpen }: Props) {
  const say = useTexts(playgroundTexts);
  const { runs, clear } = useHistory(page);
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button size="small" icon={<HistoryOutlined />} disabled={false} onClick={() => setOpen(true)}>
        {say('history')}
      </Button>
      <Drawer
        open={isOpen}
        onClose={() => setOpen(false)}
        size={drawerPx}
        title={say('history')}
        destroyOnHidden
        footer={
          runs.length > 0 && (
            <ConfirmButton
              title={say('clearHistoryTitle')}
              onConfirm={() => {
                clear();
                return Promise.resolve();
              }}
              buttonProps={{ disabled: false }}
            >
              {say('clearHistory')}
            </ConfirmButton>
          )
        }
      >
        <p className="tg-play-quiet">{say('historyHint')}</p>
        {runs.length === 0 ? (
          <EmptyState text={say('noHistory')} />
        ) : (
          <ul className="tg-history">
            {runs.map((run) => (
              <li key={run.id}>
                <button
                  type="button"
                  onClick={() => {
                    setOpen(false);
                    onOpen(run);
                  }}
                >
                  <strong>{run.label}</strong>
                  <small>
                    {run.models} · <Time at={run.at} relative />
                  </small>
                </button>
              </li>
            ))}
          </ul>
        )}
      </Drawer>
    </>
  );
}
