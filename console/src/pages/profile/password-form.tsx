/** A new password; the current one is required. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Alert, Button, Form, Input } from 'antd';
import { api } from '../../api/client.ts';
import { toConsoleError } from '../../api/error.ts';
import { useSession } from '../../api/session.ts';
import { FormError } from '../../parts/form-error.tsx';
import { useTexts } from '../../texts/define-texts.ts';
import { texts } from './texts.ts';

/** As the server asks for. */
const passwordCharactersMin = 10;

interface Fields {
  current_password: string;
  new_password: string;
}

export function PasswordForm() {
  const say = useTexts(texts);
  const { person } = useSession();
  const queries = useQueryClient();
  const [form] = Form.useForm<Fields>();
  const change = useMutation({
    mutationFn: (fields: Fields) => api.PUT('/console/api/profile/password', { body: fields }),
    gcTime: 0, // what was typed isn't kept in memory
    onSuccess: () => {
      form.resetFields();
      return queries.invalidateQueries({ queryKey: ['sign-ins'] });
    },
    onError: (error) => {
      if (isWrong(error)) {
        form.setFields([{ name: 'current_password', errors: [say('currentWrong')] }]);
        form.scrollToField('current_password', { focus: true });
      }
    },
  });
  const count = passwordCharactersMin;
  return (
    <Form form={form} layout="vertical" requiredMark={false} onFinish={(fields) => change.mutate(fields)}>
      <div role="status">
        {change.isSuccess && <Alert className="tg-form-alert" type="success" showIcon title={say('changed')} />}
      </div>
      <FormError form={form} error={isWrong(change.error) ? undefined : change.error} />
      {/* Password managers take the name from here. */}
      <input type="text" autoComplete="username" value={person.email} readOnly hidden />
      <Form.Item
        name="current_password"
        label={say('current')}
        rules={[{ required: true, message: say('currentMissing') }]}
      >
        <Input.Password autoComplete="current-password" />
      </Form.Item>
      <Form.Item
        name="new_password"
        label={say('wanted')}
        extra={say('wantedHelp', { count })}
        rules={[{ required: true, min: count, message: say('tooShort', { count }) }]}
      >
        <Input.Password autoComplete="new-password" />
      </Form.Item>
      <Button type="primary" htmlType="submit" loading={change.isPending}>
        {say('change')}
      </Button>
    </Form>
  );
}

const isWrong = (error: unknown): boolean => error !== null && toConsoleError(error).param === 'current_password';
