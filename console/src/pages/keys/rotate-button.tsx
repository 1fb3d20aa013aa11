/** Replaces a key by a new one; both work for a time that is chosen here. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Alert, Button, Modal, Radio } from 'antd';
import { useState } from 'react';
import { type Answer, api } from '../../api/client.ts';
import { useErrorText } from '../../parts/error-text.ts';
import { useAccountId } from '../../parts/use-account.ts';
import { useTexts } from '../../texts/define-texts.ts';
import type { Key } from './key-fields.ts';
import { MadeDialog } from './made-dialog.tsx';
import { texts } from './texts.ts';

const overlaps = [0, 1, 24, 168] as const;
const overlapDefault = 24;

export function RotateButton({ of: { id, name, start, last4 } }: { of: Key }) {
  const say = useTexts(texts);
  const textOf = useErrorText();
  const account = useAccountId();
  const queries = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const [hours, setHours] = useState<number>(overlapDefault);
  const [made, setMade] = useState<Answer<'rotateKey'>>();
  const rotation = useMutation({
    mutationFn: async () => {
      const init = { params: { path: { account, key: id } }, body: { overlap_hours: hours } };
      const { data } = await api.POST('/console/api/accounts/{account}/keys/{key}/rotate', init);
      // Not handed on: what a mutation answers is kept in memory.
      setMade(data);
    },
    onSuccess: () => setOpen(false),
  });
  const kept = () => {
    setMade(undefined);
    // Not earlier: the list shows the new key first, and this button with its dialog may be on the next page then.
    return queries.invalidateQueries({ queryKey: ['keys', account] });
  };
  return (
    <>
      <Button size="small" type="text" aria-label={say('rotateOf', { name })} onClick={() => setOpen(true)}>
        {say('rotate')}
      </Button>
      <Modal
        open={isOpen}
        title={say('rotateTitle', { name })}
        okText={say('rotate')}
        cancelText={say('cancel')}
        confirmLoading={rotation.isPending}
        destroyOnHidden
        onCancel={() => setOpen(false)}
        onOk={() => rotation.mutate()}
        afterClose={rotation.reset}
      >
        <p>{say('rotateText', { start, last4 })}</p>
        {rotation.error !== null && (
          <Alert className="tg-form-alert" type="error" showIcon role="alert" title={textOf(rotation.error)} />
        )}
        <Radio.Group
          aria-label={say('overlap')}
          value={hours}
          onChange={({ target }) => setHours(Number(target.value))}
          options={overlaps.map((value) => ({ value, label: say(`overlap_${value}`) }))}
        />
      </Modal>
      {made && <MadeDialog made={made} onDone={() => void kept()} />}
    </>
  );
}
