/** Invites a person: as an operator, into an account, or both. The link is shown once. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Checkbox, Form, Input, Modal, Select } from 'antd';
import { useState } from 'react';
import { api, query, type Answer } from '../../api/client.ts';
import { FormError } from '../../parts/form-error.tsx';
import { LinkDialog } from '../../parts/operator/link-dialog.tsx';
import { useFocusBack } from '../../parts/use-focus-back.ts';
import { useLate } from '../../parts/use-late.ts';
import { useTexts } from '../../texts/define-texts.ts';
import { texts } from './texts.ts';

interface Fields {
  email: string;
  is_operator?: boolean;
  account?: string;
  role: 'owner' | 'member';
}

const optionsMax = 20;

export function InviteDialog({ onClose }: { onClose: () => void }) {
  useFocusBack();
  const say = useTexts(texts);
  const queries = useQueryClient();
  const [form] = Form.useForm<Fields>();
  const [link, setLink] = useState<Answer<'invitePerson'>>();
  const account = Form.useWatch('account', form);
  const invitation = useMutation({
    mutationFn: async ({ email, is_operator: isOperator = false, account: of, role }: Fields) => {
      const body = { email: email.trim(), is_operator: isOperator, ...(of !== undefined && { account: of, role }) };
      // Not handed on: what a mutation answers is kept in memory.
      setLink((await api.POST('/console/api/operator/invitations', { body })).data);
    },
    onSuccess: () => queries.invalidateQueries({ queryKey: ['operator-links'] }),
  });
  if (link) return <LinkDialog link={link} onDone={onClose} />;
  return (
    <Modal
      open
      title={say('invite')}
      okText={say('makeLink')}
      cancelText={say('cancel')}
      confirmLoading={invitation.isPending}
      mask={{ closable: false }}
      onCancel={onClose}
      onOk={() => form.submit()}
    >
      <Form<Fields>
        form={form}
        layout="vertical"
        requiredMark={false}
        initialValues={{ role: 'owner' }}
        onFinish={(fields) => !invitation.isPending && invitation.mutate(fields)}
      >
        <FormError form={form} error={invitation.error} />
        <Form.Item
          name="email"
          label={say('email')}
          rules={[{ required: true, whitespace: true, message: say('emailMissing') }]}
        >
          <Input type="email" autoComplete="off" maxLength={255} autoFocus />
        </Form.Item>
        <Form.Item name="is_operator" valuePropName="checked" extra={say('operatorHelp')}>
          <Checkbox>{say('asOperator')}</Checkbox>
        </Form.Item>
        <Form.Item name="account" label={say('intoAccount')} extra={say('accountHelp')}>
          <AccountSelect />
        </Form.Item>
        {account !== undefined && (
          <Form.Item name="role" label={say('role')}>
            <Select options={(['owner', 'member'] as const).map((value) => ({ value, label: say(value) }))} />
          </Form.Item>
        )}
      </Form>
    </Modal>
  );
}

/** The form item hands it its id, value and what to call when it changes. */
function AccountSelect(props: { id?: string; value?: string; onChange?: (value: string | undefined) => void }) {
  const [typed, setTyped] = useState('');
  const search = useLate(typed.trim());
  const params = { query: { limit: optionsMax, ...(search !== '' && { search }) } };
  const accounts = query.useQuery('get', '/console/api/operator/accounts', { params });
  return (
    <Select<string>
      {...props}
      allowClear
      showSearch={{ filterOption: false, onSearch: setTyped }}
      loading={accounts.isFetching}
      options={(accounts.data?.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
    />
  );
}
