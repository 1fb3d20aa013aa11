/** The webhook and low-balance threshold of an account; an empty field clears. */
import { useMutation } from '@tanstack/react-query';
import { App, Button, Form, Input } from 'antd';
import { api } from '../../api/client.ts';
import { FormError } from '../../parts/form-error.tsx';
import { CurrencySymbol } from '../../parts/money.tsx';
import { useTexts } from '../../texts/define-texts.ts';
import type { Account } from './accounts.ts';
import { texts } from './texts.ts';

interface Fields {
  webhook_url: string;
  low_balance: string;
}

export function SettingsForm({ account, onDone }: { account: Account; onDone: () => void }) {
  const say = useTexts(texts);
  const { message } = App.useApp();
  const [form] = Form.useForm<Fields>();
  const change = useMutation({
    mutationFn: ({ webhook_url: url, low_balance: low }: Fields) =>
      api.PATCH('/console/api/operator/accounts/{account}', {
        params: { path: { account: account.id } },
        body: { webhook_url: url.trim() || null, low_balance: low.trim() === '' ? null : Number(low) },
      }),
    onSuccess: () => {
      void message.success(say('saved'));
      onDone();
    },
  });
  return (
    <section aria-labelledby="tg-account-settings">
      <h3 id="tg-account-settings">{say('settings')}</h3>
      <Form<Fields>
        form={form}
        layout="vertical"
        requiredMark={false}
        initialValues={{ webhook_url: account.webhook_url ?? '', low_balance: account.low_balance?.toString() ?? '' }}
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
          rules={[{ pattern: /^\s*(\d{1,9}(\.\d{1,6})?)?\s*$/, message: say('creditWrong') }]}
        >
          <Input inputMode="decimal" autoComplete="off" prefix={<CurrencySymbol />} maxLength={20} />
        </Form.Item>
        <Button htmlType="submit" loading={change.isPending}>
          {say('save')}
        </Button>
      </Form>
    </section>
  );
}
