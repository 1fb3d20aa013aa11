/** The form of a new batch. The endpoint is taken from the file's first line, and can be chosen. */
import { Button, Form, Select } from 'antd';
import { FormError } from '../../parts/form-error.tsx';
import { bytesText } from '../../parts/measures.ts';
import { useTexts } from '../../texts/define-texts.ts';
import { localeOf, useLanguage } from '../../texts/language.ts';
import { endpointOf, type Endpoint, endpoints } from './endpoints.ts';
import type { Order, Run } from './make-batch.ts';
import { MetadataFields, type Pair } from './metadata-fields.tsx';
import { texts } from './texts.ts';

interface Fields {
  file: File | undefined;
  endpoint: Endpoint | undefined;
  hours: number;
  metadata: Pair[] | undefined;
}

const hours = [1, 6, 12, 24, 48, 72, 168] as const;
const usualHours = 24;

interface BatchFormProps {
  error: unknown;
  run: Run | undefined;
  onSubmit: (order: Order) => void;
  onStop: () => void;
}

export function BatchForm({ error, run, onSubmit, onStop }: BatchFormProps) {
  const say = useTexts(texts);
  const [form] = Form.useForm<Fields>();
  const guess = async (file: File | undefined) => {
    const endpoint = file && (await endpointOf(file));
    if (endpoint && form.getFieldValue('file') === file) form.setFieldsValue({ endpoint });
  };
  const submit = ({ file, endpoint, hours: window, metadata = [] }: Fields) => {
    if (!file || !endpoint) return;
    const pairs = metadata.map(({ name, value = '' }) => [name.trim(), value] as const);
    onSubmit({ file, endpoint, hours: window, metadata: Object.fromEntries(pairs) });
  };
  return (
    <Form<Fields>
      form={form}
      className="tg-batch-form"
      layout="vertical"
      requiredMark={false}
      initialValues={{ hours: usualHours }}
      disabled={run !== undefined}
      scrollToFirstError={{ focus: true }}
      onFinish={submit}
      onValuesChange={(changed: Partial<Fields>) => {
        if ('file' in changed) void guess(changed.file);
      }}
    >
      <FormError form={form} error={error} fields={{ input_file_id: 'file', completion_window: 'hours' }} />
      <Form.Item
        name="file"
        label={say('file')}
        extra={say('fileHelp')}
        rules={[
          { required: true, message: say('fileMissing') },
          {
            validator: (_, file: File | undefined) =>
              file === undefined || file.name.toLowerCase().endsWith('.jsonl')
                ? Promise.resolve()
                : Promise.reject(new Error(say('fileWrong'))),
          },
        ]}
        valuePropName="chosen"
        getValueFromEvent={(event: { target: HTMLInputElement }) => event.target.files?.[0]}
      >
        <FileInput isDisabled={run !== undefined} />
      </Form.Item>
      <Form.Item
        name="endpoint"
        label={say('endpoint')}
        extra={say('endpointHelp')}
        rules={[{ required: true, message: say('endpointMissing') }]}
      >
        <Select options={endpoints.map((value) => ({ value, label: value }))} />
      </Form.Item>
      <Form.Item name="hours" label={say('window')} extra={say('windowHelp')}>
        <Select options={hours.map((value) => ({ value, label: say('hours', { count: value }) }))} />
      </Form.Item>
      <MetadataFields />
      {run === undefined ? (
        <Button type="primary" htmlType="submit">
          {say('create')}
        </Button>
      ) : (
        <Sending run={run} onStop={onStop} />
      )}
    </Form>
  );
}

interface FileInputProps {
  isDisabled: boolean;
  /** The rest is the form's, which also gives the file that was chosen. */
  id?: string;
  onChange?: (event: { target: HTMLInputElement }) => void;
  'aria-describedby'?: string;
  'aria-invalid'?: boolean;
}

/** The browser's own, which says itself what was chosen. */
function FileInput(props: FileInputProps) {
  const { isDisabled, id, onChange, 'aria-describedby': note, 'aria-invalid': isInvalid } = props;
  const given = { id, onChange, 'aria-describedby': note, 'aria-invalid': isInvalid };
  return <input {...given} className="tg-batch-file" type="file" accept=".jsonl" disabled={isDisabled} />;
}

function Sending({ run, onStop }: { run: Run; onStop: () => void }) {
  const say = useTexts(texts);
  const locale = localeOf(useLanguage());
  const { progress } = run;
  const percent = progress && Math.floor((progress.sentBytes * 100) / Math.max(1, progress.totalBytes));
  return (
    <div className="tg-batch-sending">
      {progress && percent !== undefined && (
        <div
          className="tg-batch-bar"
          role="progressbar"
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={percent}
          aria-label={say('file')}
        >
          <span style={{ width: `${percent}%` }} />
        </div>
      )}
      <p role="status">
        {progress
          ? say('uploading', {
              sent: bytesText(progress.sentBytes, locale),
              total: bytesText(progress.totalBytes, locale),
            })
          : say('creating')}
      </p>
      <Button disabled={false} onClick={onStop}>
        {say('stop')}
      </Button>
    </div>
  );
}
