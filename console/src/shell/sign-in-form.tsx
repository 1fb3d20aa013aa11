/** E-mail and password, on the sign-in page and in the dialog of an ended session. */
import { useMutation } from '@tanstack/react-query';
import { Alert, Button, Form, Input } from 'antd';
import { toConsoleError } from '../api/error.ts';
import { signIn } from '../api/session.ts';
import { useTexts } from '../texts/define-texts.ts';
import { shellTexts } from './texts.ts';

interface Fields {
  email: string;
  password: string;
}

/** `email` is filled in; `onDone` runs after the sign-in. */
export function SignInForm({ email, onDone }: { email?: string | undefined; onDone?: () => void }) {
  const say = useTexts(shellTexts);
  const attempt = useMutation({
    mutationFn: (fields: Fields) => signIn(fields.email, fields.password),
    onSuccess: () => onDone?.(),
  });
  return (
    <Form<Fields>
      layout="vertical"
      requiredMark={false}
      // The browser's own words are in its language, which need not be the reader's.
      noValidate
      initialValues={{ email: email ?? '' }}
      onFinish={(fields) => attempt.mutate(fields)}
    >
      <div role="alert">
        {attempt.isError && (
          <Alert className="tg-form-alert" type="error" showIcon title={failureText(attempt.error, say)} />
        )}
      </div>
      <Form.Item
        name="email"
        label={say('email')}
        rules={[{ required: true, type: 'email', message: say('emailMissing') }]}
      >
        <Input type="email" autoComplete="username" autoFocus={email === undefined} size="large" />
      </Form.Item>
      <Form.Item name="password" label={say('password')} rules={[{ required: true, message: say('passwordMissing') }]}>
        <Input.Password autoComplete="current-password" autoFocus={email !== undefined} size="large" />
      </Form.Item>
      <Button type="primary" htmlType="submit" block size="large" loading={attempt.isPending}>
        {say('signIn')}
      </Button>
    </Form>
  );
}

function failureText(error: unknown, say: (key: 'wrongPassword' | 'tooManyTries' | 'unreachable') => string): string {
  const { code, status, message } = toConsoleError(error);
  if (code === 'wrong_password') return say('wrongPassword');
  if (status === 429) return say('tooManyTries');
  return status === 0 ? say('unreachable') : message;
}
