/** The password with which an invitation is accepted. */
import { Button, Form, Input } from 'antd';
import { FormError } from '../../parts/form-error.tsx';
import { useTexts } from '../../texts/define-texts.ts';
import { texts } from './texts.ts';

/** As the server asks for. */
const passwordLengthMin = 10;

interface AcceptFormProps {
  email: string;
  /** They have one here; else they choose it. */
  keepsPassword: boolean;
  isBusy: boolean;
  error: unknown;
  onAccept: (password: string) => void;
}

export function AcceptForm({ email, keepsPassword, isBusy, error, onAccept }: AcceptFormProps) {
  const say = useTexts(texts);
  const [form] = Form.useForm<{ password: string }>();
  return (
    <Form form={form} layout="vertical" requiredMark={false} onFinish={({ password }) => onAccept(password)}>
      <FormError form={form} error={error} />
      {/* Password managers take the name from here. */}
      <Form.Item label={say('email')} htmlFor="invited-email">
        <Input id="invited-email" type="email" value={email} readOnly autoComplete="username" size="large" />
      </Form.Item>
      <Form.Item
        name="password"
        label={say(keepsPassword ? 'ownPassword' : 'password')}
        extra={keepsPassword ? say('ownPasswordHelp') : say('passwordHelp', { count: passwordLengthMin })}
        // One's own may be from a time when shorter ones were allowed.
        rules={[
          {
            required: true,
            min: keepsPassword ? 1 : passwordLengthMin,
            message: say('tooShort', { count: passwordLengthMin }),
          },
        ]}
      >
        <Input.Password autoComplete={keepsPassword ? 'current-password' : 'new-password'} autoFocus size="large" />
      </Form.Item>
      <Button type="primary" htmlType="submit" block size="large" loading={isBusy}>
        {say('accept')}
      </Button>
    </Form>
  );
}
