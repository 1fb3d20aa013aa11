/** The form of a new key, and of changes of one. */
import { Form, type FormInstance, Input, Radio, Select } from 'antd';
import { FormError } from '../../parts/form-error.tsx';
import { useTexts } from '../../texts/define-texts.ts';
import { AddressField } from './address-field.tsx';
import { expiryDays, expiryOf, type KeyFields, levels } from './key-fields.ts';
import { LimitFields } from './limit-fields.tsx';
import { ModelField } from './model-field.tsx';
import { texts } from './texts.ts';

const nameCharactersMax = 200;

interface KeyFormProps {
  form: FormInstance<KeyFields>;
  initial: KeyFields;
  error: unknown;
  /** A key's level can't be changed. */
  withLevel: boolean;
  onSubmit: (fields: KeyFields) => void;
}

export function KeyForm({ form, initial, error, withLevel, onSubmit }: KeyFormProps) {
  const say = useTexts(texts);
  return (
    <Form<KeyFields>
      form={form}
      layout="vertical"
      requiredMark={false}
      initialValues={initial}
      scrollToFirstError={{ focus: true }}
      // What isn't shown, such as the level of a key that is changed, is as it was.
      onFinish={(fields) => onSubmit({ ...initial, ...fields })}
    >
      <FormError form={form} error={error} fields={addressFields} />
      <Form.Item
        name="name"
        label={say('name')}
        extra={say('nameHelp')}
        rules={[{ required: true, whitespace: true, message: say('nameMissing') }]}
      >
        <Input autoFocus maxLength={nameCharactersMax} autoComplete="off" />
      </Form.Item>
      {withLevel && (
        <Form.Item name="level" label={say('level')}>
          <Radio.Group className="tg-levels" aria-label={say('level')}>
            {levels.map((level) => (
              <Radio key={level} value={level}>
                <strong>{say(`level_${level}`)}</strong>
                <span className="tg-hint">{say(`levelHelp_${level}`)}</span>
              </Radio>
            ))}
          </Radio.Group>
        </Form.Item>
      )}
      <ModelField />
      <AddressField />
      <ExpiryFields form={form} />
      <LimitFields />
      {/* The buttons stand outside of the form, and Enter sends only what has one inside. */}
      <button type="submit" hidden />
    </Form>
  );
}

function ExpiryFields({ form }: { form: FormInstance<KeyFields> }) {
  const say = useTexts(texts);
  const expiry = Form.useWatch('expiry', form);
  return (
    <div className="tg-key-pair">
      <Form.Item name="expiry" label={say('expiry')}>
        <Select
          options={[
            { value: 'never', label: say('never') },
            ...expiryDays.map((count) => ({ value: count, label: say('inDays', { count }) })),
            { value: 'at', label: say('atTime') },
          ]}
        />
      </Form.Item>
      {expiry === 'at' && (
        <Form.Item
          name="expires_at"
          label={say('expiresAt')}
          rules={[
            { required: true, message: say('expiryMissing') },
            {
              validator: (_, at: string) =>
                at !== '' && isPast(at) ? Promise.reject(new Error(say('expiryPast'))) : Promise.resolve(),
            },
          ]}
        >
          <Input type="datetime-local" />
        </Form.Item>
      )}
    </div>
  );
}

/** A wrong address is named by its place in the list, which is one field. */
const addressFields = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`allowed_ips[${at}]`, 'allowed_ips']));

const isPast = (at: string): boolean => {
  const now = new Date();
  return (expiryOf({ expiry: 'at', expires_at: at }, now) ?? now) <= now;
};
