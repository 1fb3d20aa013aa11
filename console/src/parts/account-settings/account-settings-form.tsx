/** What is set of an account, of which each page has its fields; an empty one clears, but for the name. */
import { useMutation } from '@tanstack/react-query';
import { Button, Form, Input } from 'antd';
import { useTexts } from '../../texts/define-texts.ts';
import { FormError } from '../form-error.tsx';
import { CurrencySymbol } from '../money.tsx';
import { notifySuccess } from '../notify.ts';
import { settingsTexts } from './texts.ts';
import { ZoneSelect } from './zone-select.tsx';

export interface AccountSettings {
  name?: string;
  webhook_url?: string | null;
  low_balance?: number | null;
  time_zone?: string;
}
type FieldName = keyof AccountSettings;

interface AccountSettingsFormProps {
  fields: readonly FieldName[];
  settings: AccountSettings;
  /** Rejects with what the API refused. */
  save: (settings: AccountSettings) => Promise<unknown>;
  onSaved: () => void;
}

interface Fields {
  name: string;
  webhook_url: string;
  low_balance: string;
  time_zone: string;
}

export function AccountSettingsForm({ fields, settings, save, onSaved }: AccountSettingsFormProps) {
  const say = useTexts(settingsTexts);
  const [form] = Form.useForm<Fields>();
  const has = (name: FieldName) => fields.includes(name);
  const change = useMutation({
    mutationFn: ({ name, webhook_url: url, low_balance: low, time_zone: zone }: Fields) =>
      save({
        ...(has('name') && { name: name.trim() }),
        ...(has('webhook_url') && { webhook_url: url.trim() || null }),
        ...(has('low_balance') && { low_balance: low.trim() === '' ? null : Number(low) }),
        ...(has('time_zone') && { time_zone: zone }),
      }),
    onSuccess: () => {
      notifySuccess(say('saved'));
      onSaved();
    },
  });
  return (
    <Form<Fields>
      form={form}
      layout="vertical"
      requiredMark={false}
      initialValues={{
        name: settings.name ?? '',
        webhook_url: settings.webhook_url ?? '',
        low_balance: settings.low_balance?.toString() ?? '',
        time_zone: settings.time_zone ?? 'UTC',
      }}
      onFinish={(typed) => change.mutate(typed)}
    >
      <FormError form={form} error={change.error} />
      {has('name') && (
        <Form.Item
          name="name"
          label={say('name')}
          rules={[{ required: true, whitespace: true, message: say('nameMissing') }]}
        >
          <Input autoComplete="off" maxLength={200} />
        </Form.Item>
      )}
      {has('time_zone') && (
        <Form.Item name="time_zone" label={say('timeZone')} extra={say('timeZoneHelp')}>
          <ZoneSelect />
        </Form.Item>
      )}
      {has('webhook_url') && (
        <Form.Item name="webhook_url" label={say('webhook')}>
          <Input type="url" inputMode="url" autoComplete="off" placeholder="https://" maxLength={2048} />
        </Form.Item>
      )}
      {has('low_balance') && (
        <Form.Item
          name="low_balance"
          label={say('lowBalance')}
          extra={say('lowBalanceHelp')}
          rules={[{ pattern: /^\s*(\d{1,9}(\.\d{1,6})?)?\s*$/, message: say('amountWrong') }]}
        >
          <Input inputMode="decimal" autoComplete="off" prefix={<CurrencySymbol />} maxLength={20} />
        </Form.Item>
      )}
      <Button htmlType="submit" loading={change.isPending}>
        {say('save')}
      </Button>
    </Form>
  );
}
