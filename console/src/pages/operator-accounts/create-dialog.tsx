/** Making an account: a name, and if wished money to begin with and a link for its owner. */
import { useMutation } from '@tanstack/react-query';
import { Form, Input, Modal } from 'antd';
import { useState } from 'react';
import { api, type Answer } from '../../api/client.ts';
import { FormError } from '../../parts/form-error.tsx';
import { CurrencySymbol, useCurrency } from '../../parts/money.tsx';
import { LinkDialog } from '../../parts/operator/link-dialog.tsx';
import { newRequestId } from '../../parts/operator/request-id.ts';
import { microsOf } from '../../parts/operator/amounts.ts';
import { useFocusBack } from '../../parts/use-focus-back.ts';
import { useTexts } from '../../texts/define-texts.ts';
import { useAccountsChanged } from './accounts.ts';
import { texts } from './texts.ts';

interface Fields {
  name: string;
  balance?: string;
  owner_email?: string;
}

export function CreateDialog({ onClose }: { onClose: () => void }) {
  useFocusBack();
  const say = useTexts(texts);
  const currency = useCurrency();
  const changed = useAccountsChanged();
  const [form] = Form.useForm<Fields>();
  // Of this dialog: sent twice, it makes one account.
  const [request] = useState(newRequestId);
  const [link, setLink] = useState<Answer<'createAccount'>['link']>(null);
  const creation = useMutation({
    mutationFn: async ({ name, balance, owner_email: email }: Fields) => {
      const body = {
        request,
        name,
        ...(balance !== undefined && balance.trim() !== '' && { balance: balance.trim() }),
        ...(email !== undefined && email.trim() !== '' && { owner_email: email.trim() }),
      };
      const { data } = await api.POST('/console/api/operator/accounts', { body });
      // Not handed on: what a mutation answers is kept in memory.
      if (data?.link) setLink(data.link);
      else onClose();
    },
    onSuccess: changed,
  });
  if (link) return <LinkDialog link={link} onDone={onClose} />;
  return (
    <Modal
      open
      title={say('createTitle')}
      okText={say('create')}
      cancelText={say('cancel')}
      confirmLoading={creation.isPending}
      mask={{ closable: false }}
      onCancel={onClose}
      onOk={() => form.submit()}
    >
      <Form<Fields>
        form={form}
        layout="vertical"
        requiredMark={false}
        onFinish={(fields) => !creation.isPending && creation.mutate(fields)}
      >
        <FormError form={form} error={creation.error} />
        <Form.Item
          name="name"
          label={say('name')}
          rules={[{ required: true, whitespace: true, message: say('nameMissing') }]}
        >
          <Input maxLength={200} autoComplete="off" autoFocus />
        </Form.Item>
        <Form.Item
          name="balance"
          label={say('openingBalance', { currency })}
          extra={say('openingHelp')}
          rules={[{ validator: (_, text: unknown) => checkOptional(text, say('creditWrong')) }]}
        >
          <Input inputMode="decimal" autoComplete="off" prefix={<CurrencySymbol />} maxLength={20} />
        </Form.Item>
        <Form.Item name="owner_email" label={say('ownerEmail')} extra={say('ownerHelp')}>
          <Input type="email" autoComplete="off" maxLength={255} />
        </Form.Item>
      </Form>
    </Modal>
  );
}

function checkOptional(text: unknown, problem: string): Promise<void> {
  if (typeof text !== 'string' || text.trim() === '') return Promise.resolve();
  return (microsOf(text) ?? 0n) > 0n ? Promise.resolve() : Promise.reject(new Error(problem));
}
