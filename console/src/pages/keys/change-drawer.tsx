/** Changing name and limits of a key. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Button, Drawer, Form } from 'antd';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useAccountId } from '../../parts/use-account.ts';
import { useFocusBack } from '../../parts/use-focus-back.ts';
import { useTexts } from '../../texts/define-texts.ts';
import { changesOf, fieldsOf, type Key, type KeyFields } from './key-fields.ts';
import { KeyForm } from './key-form.tsx';
import { texts } from './texts.ts';

export function ChangeDrawer({ changed, onClose }: { changed: Key; onClose: () => void }) {
  useFocusBack();
  const say = useTexts(texts);
  const account = useAccountId();
  const queries = useQueryClient();
  const [form] = Form.useForm<KeyFields>();
  // As it was when the form was opened: the list behind it is read anew all the while.
  const [before] = useState(() => fieldsOf(changed));
  const change = useMutation({
    mutationFn: (fields: KeyFields) =>
      api.PATCH('/console/api/accounts/{account}/keys/{key}', {
        params: { path: { account, key: changed.id } },
        body: changesOf(before, fields, new Date()),
      }),
    onSuccess: () => {
      onClose();
      return queries.invalidateQueries({ queryKey: ['keys', account] });
    },
  });
  return (
    <Drawer
      open
      title={say('changeTitle', { name: changed.name })}
      size={520}
      onClose={onClose}
      // The drawer takes the focus when it opens; for typing it belongs in the first field.
      afterOpenChange={(isOpen) => isOpen && form.focusField('name')}
      mask={{ closable: false }}
      footer={
        <div className="tg-drawer-end">
          <Button onClick={onClose}>{say('cancel')}</Button>
          <Button type="primary" loading={change.isPending} onClick={() => form.submit()}>
            {say('submitChange')}
          </Button>
        </div>
      }
    >
      <KeyForm
        form={form}
        initial={before}
        error={change.error}
        withLevel={false}
        onSubmit={(fields) => !change.isPending && change.mutate(fields)}
      />
    </Drawer>
  );
}
