/** How much a key may spend, call and run. */
import { DeleteOutlined, PlusOutlined } from '@ant-design/icons';
import { Button, Checkbox, Form, InputNumber, Select } from 'antd';
import { CurrencySymbol } from '../../parts/money.tsx';
import { useTexts } from '../../texts/define-texts.ts';
import { type KeyFields, type Window, windows } from './key-fields.ts';
import { texts } from './texts.ts';

const amountMax = 999_999_999;
const countMax = 1_000_000_000;

export function LimitFields() {
  const say = useTexts(texts);
  return (
    <fieldset className="tg-fieldset">
      <legend>{say('limits')}</legend>
      <p className="tg-hint">{say('limitsHelp')}</p>
      <div className="tg-key-pair">
        <Form.Item name={['spend_limit', 'amount']} label={say('spendLimit')}>
          <InputNumber
            prefix={<CurrencySymbol />}
            min={0.01}
            max={amountMax}
            precision={2}
            controls={false}
            placeholder={say('noLimit')}
          />
        </Form.Item>
        <Form.Item name={['spend_limit', 'per']} label={say('per')}>
          <WindowSelect />
        </Form.Item>
      </div>
      <CallLimits />
      <Form.Item name="max_running_tasks" label={say('runningTasks')}>
        <InputNumber min={1} max={countMax} precision={0} controls={false} placeholder={say('noLimit')} />
      </Form.Item>
      <Form.Item name="queue" valuePropName="checked" extra={say('queueHelp')}>
        <Checkbox>{say('queue')}</Checkbox>
      </Form.Item>
    </fieldset>
  );
}

/** At most one for each window. */
function CallLimits() {
  const say = useTexts(texts);
  const form = Form.useFormInstance<KeyFields>();
  // Nothing is known of it until the form stands.
  const limits = Form.useWatch(({ call_limits: given }: Partial<KeyFields>) => given, form);
  const taken = limits?.map(({ per }) => per) ?? [];
  const free = windows.find((window) => !taken.includes(window));
  return (
    <Form.List name="call_limits">
      {(fields, { add, remove }) => (
        <div className="tg-call-limits" role="group" aria-label={say('callLimits')}>
          <span className="tg-group-label">{say('callLimits')}</span>
          {fields.map(({ key, name }) => (
            <div key={key} className="tg-call-limit">
              <Form.Item name={[name, 'calls']} rules={[{ required: true, message: say('callsMissing') }]}>
                <InputNumber min={1} max={countMax} precision={0} controls={false} aria-label={say('calls')} />
              </Form.Item>
              <Form.Item name={[name, 'per']}>
                <WindowSelect taken={taken} />
              </Form.Item>
              <Button
                type="text"
                icon={<DeleteOutlined />}
                aria-label={say('removeCallLimit')}
                title={say('removeCallLimit')}
                onClick={() => remove(name)}
              />
            </div>
          ))}
          <Button icon={<PlusOutlined />} disabled={free === undefined} onClick={() => add({ calls: null, per: free })}>
            {say('addCallLimit')}
          </Button>
        </div>
      )}
    </Form.List>
  );
}

interface WindowSelectProps {
  /** By other limits; given by the form: */
  taken?: readonly Window[];
  id?: string;
  value?: Window;
  onChange?: (window: Window) => void;
}

function WindowSelect({ taken = [], value, ...given }: WindowSelectProps) {
  const say = useTexts(texts);
  return (
    <Select
      {...given}
      {...(value !== undefined && { value })}
      aria-label={say('perWindow')}
      options={windows.map((window) => ({
        value: window,
        label: say(window),
        disabled: window !== value && taken.includes(window),
      }))}
    />
  );
}
