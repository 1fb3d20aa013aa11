/** The webhook and low-balance threshold of an account; an empty field clears. */
import { useMutation } from '@tanstack/react-query';
import { App, Button, Form, Input } from 'antd';
import { useTexts } from '../../texts/define-texts.ts';
import { FormError } from '../form-error.tsx';
import { CurrencySymbol } from '../money.tsx';
import { settingsTexts } from './texts.ts';

export interface AccountSettings {
  webhook_url: string | null;
  low_balance: number | null;
}

interface AccountSettingsFormProps {
  settings: AccountSettings;
  /** Rejects with what the API refused. */
  save: (settings: AccountSettings) => Promise<unknown>;
  onSaved: () => void;
}

interface Fields {
  webhook_url: string;
  low_balance: string;
}

export function AccountSettingsForm({ settings, save, onSaved }: AccountSettingsFormProps) {
  const say = useTexts(settingsTexts);
  const { message } = App.useApp();
  const [form] = Form.useForm<Fields>();
  const change = useMutation({
    mutationFn: ({ webhook_url: url, low_balance: low }: Fields) =>
      save({ webhook_url: url.trim() || null, low_balance: low.trim() === '' ? null : Number(low) }),
    onSuccess: () => {
      void message.success(say('saved'));
      onSaved();
    },
  });
  return (
    <Form<Fields>
      form={form}
      layout="vertical"
      requiredMark={false}
      initialValues={{ webhook_url: settings.webhook_url ?? '', low_balance: settings.low_balance?.toString() ?? '' }}
      onFinish={(fields) => change.mutate(fields)}
    >
      <FormError form={form} error={change.error} />
      <Form.Item name="webhook_url" label={say('webhook')}>
        <Input type="url" inputMode="url" autoComplete="off" placeholder="https://" maxLength={2048} />
      </Form.Item>
      <Form.Item
        name="low_balance"
        label={say('lowBalance')}
        extra={say('lowBalanceHelp')}
        rules={[{ pattern: /^\s*(\d{1,9}(\.\d{1,6})?)?\s*$/, message: say('amountWrong') }]}
      >
        <Input inputMode="decimal" autoComplete="off" prefix={<CurrencySymbol />} maxLength={20} />
      </Form.Item>
      <Button htmlType="submit" loading={change.isPending}>
        {say('save')}
      </Button>
    </Form>
  );
}
