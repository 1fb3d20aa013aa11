/** Invites a person: an address and a role give a link, which is shown once. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Form, Input, Modal, Radio } from 'antd';
import { useState } from 'react';
import { api, type Answer } from '../../api/client.ts';
import { FormError } from '../../parts/form-error.tsx';
import { SecretDialog } from '../../parts/secret-dialog.tsx';
import { useAccountId } from '../../parts/use-account.ts';
import { useFocusBack } from '../../parts/use-focus-back.ts';
import { useTexts } from '../../texts/define-texts.ts';
import { texts } from './texts.ts';

interface Fields {
  email: string;
  role: 'owner' | 'member';
}

export function InviteDialog({ onClose }: { onClose: () => void }) {
  useFocusBack();
  const say = useTexts(texts);
  const account = useAccountId();
  const queries = useQueryClient();
  const [form] = Form.useForm<Fields>();
  const [made, setMade] = useState<Answer<'invite'>>();
  const invitation = useMutation({
    mutationFn: async (fields: Fields) => {
      const init = { params: { path: { account } }, body: fields };
      // Not handed on: what a mutation answers is kept in memory.
      setMade((await api.POST('/console/api/accounts/{account}/invitations', init)).data);
    },
    onSuccess: () => queries.invalidateQueries({ queryKey: ['invitations', account] }),
  });
  if (made) {
    return (
      <SecretDialog
        title={say('madeTitle', { email: made.email })}
        warning={say('madeWarning')}
        kind="link"
        label={say('link')}
        secret={`${window.location.origin}/console/invitation#${made.token}`}
        onDone={onClose}
      />
    );
  }
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
      <p className="tg-hint">{say('inviteHelp')}</p>
      <Form<Fields>
        form={form}
        layout="vertical"
        requiredMark={false}
        initialValues={{ role: 'member' }}
        onFinish={(fields) => !invitation.isPending && invitation.mutate(fields)}
      >
        <FormError form={form} error={invitation.error} />
        <Form.Item name="email" label={say('email')} rules={[{ required: true, message: say('emailMissing') }]}>
          <Input type="email" autoFocus autoComplete="off" />
        </Form.Item>
        <Form.Item name="role" label={say('role')}>
          <Radio.Group className="tg-roles" aria-label={say('role')}>
            {(['member', 'owner'] as const).map((role) => (
              <Radio key={role} value={role}>
                <strong>{say(role)}</strong>
                <span className="tg-hint">{say(`roleHelp_${role}`)}</span>
              </Radio>
            ))}
          </Radio.Group>
        </Form.Item>
      </Form>
    </Modal>
  );
}
