/** Cancels a batch, once the reader has confirmed it. */
import { type ButtonProps } from 'antd';
import { api } from '../../api/client.ts';
import { useTexts } from '../../texts/define-texts.ts';
import { ConfirmButton } from '../confirm-button.tsx';
import { notifySuccess } from '../notify.ts';
import { batchTexts } from './texts.ts';

interface CancelBatchProps {
  account: string;
  id: string;
  onChange: () => void;
  buttonProps?: ButtonProps;
}

export function CancelBatch({ account, id, onChange, buttonProps }: CancelBatchProps) {
  const say = useTexts(batchTexts);
  const cancel = async () => {
    try {
      await api.POST('/console/api/accounts/{account}/batches/{id}/cancel', { params: { path: { account, id } } });
      notifySuccess(say('cancelledNow'));
    } finally {
      onChange(); // what has just ended can't be cancelled, and shall be seen
    }
  };
  return (
    <ConfirmButton
      title={say('cancelTitle')}
      text={say('cancelText')}
      cancelText={say('keepRunning')}
      onConfirm={cancel}
      {...(buttonProps && { buttonProps })}
    >
      {say('cancelBatch')}
    </ConfirmButton>
  );
}
