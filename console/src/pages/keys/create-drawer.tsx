/** Creates a key. What was typed stays until it is created, or discarded. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Button, Drawer, Form } from 'antd';
import { useState } from 'react';
import { api, type Answer } from '../../api/client.ts';
import { useAccountId } from '../../parts/use-account.ts';
import { useFocusBack } from '../../parts/use-focus-back.ts';
import { useTexts } from '../../texts/define-texts.ts';
import { type KeyFields, newFields, newKeyOf } from './key-fields.ts';
import { KeyForm } from './key-form.tsx';
import { MadeDialog } from './made-dialog.tsx';
import { texts } from './texts.ts';

/** Open as long as it stands; `onClose` when the key was made and kept, or nothing was made. */
export function CreateDrawer({ onClose }: { onClose: () => void }) {
  useFocusBack();
  const say = useTexts(texts);
  const account = useAccountId();
  const queries = useQueryClient();
  const [form] = Form.useForm<KeyFields>();
  const [made, setMade] = useState<Answer<'createKey'>>();
  const creation = useMutation({
    mutationFn: async (fields: KeyFields) => {
      const init = { params: { path: { account } }, body: newKeyOf(fields, new Date()) };
      const { data } = await api.POST('/console/api/accounts/{account}/keys', init);
      // Not handed on: what a mutation answers is kept in memory.
      setMade(data);
    },
    onSuccess: () => queries.invalidateQueries({ queryKey: ['keys', account] }),
  });
  if (made) return <MadeDialog made={made} onDone={onClose} />;
  return (
    <Drawer
      open
      title={say('create')}
      size={520}
      onClose={onClose}
      // The drawer takes the focus when it opens; for typing it belongs in the first field.
      afterOpenChange={(isOpen) => isOpen && form.focusField('name')}
      mask={{ closable: false }}
      footer={
        <div className="tg-drawer-end">
          <Button onClick={onClose}>{say('cancel')}</Button>
          <Button type="primary" loading={creation.isPending} onClick={() => form.submit()}>
            {say('submitCreate')}
          </Button>
        </div>
      }
    >
      <KeyForm
        form={form}
        initial={newFields}
        error={creation.error}
        withLevel
        onSubmit={(fields) => !creation.isPending && creation.mutate(fields)}
      />
    </Drawer>
  );
}
