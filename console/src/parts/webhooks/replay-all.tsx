/** Sends the events again that were given up, after a question. */
import { useQueryClient } from '@tanstack/react-query';
import { ConfirmButton } from '../confirm-button.tsx';
import { useTexts } from '../../texts/define-texts.ts';
import { notifySuccess } from '../notify.ts';
import { eventTexts } from './texts.ts';

interface ReplayAllProps {
  /** Returns how many are sent again. */
  replay: () => Promise<number>;
  /** Of the lists that show them. */
  queryKey: readonly unknown[];
}

export function ReplayAll({ replay, queryKey }: ReplayAllProps) {
  const say = useTexts(eventTexts);
  const queries = useQueryClient();
  const confirmed = async () => {
    notifySuccess(say('replayed', { count: await replay() }));
    await queries.invalidateQueries({ queryKey });
  };
  return (
    <ConfirmButton
      title={say('replayAllTitle')}
      text={say('replayAllText')}
      onConfirm={confirmed}
      buttonProps={{ danger: false }}
    >
      {say('replayAll')}
    </ConfirmButton>
  );
}
