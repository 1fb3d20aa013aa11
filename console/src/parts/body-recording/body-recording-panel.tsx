/** Whether the bodies of an account's requests are recorded: owners set it, operators see it and turn it off. */
import { useMutation } from '@tanstack/react-query';
import { Button, Checkbox, Form, InputNumber, Select } from 'antd';
import { type Answer, api, query } from '../../api/client.ts';
import { useTexts } from '../../texts/define-texts.ts';
import { BusyButton } from '../busy-button.tsx';
import { ConfirmButton } from '../confirm-button.tsx';
import { ErrorState } from '../error-state.tsx';
import { FormError } from '../form-error.tsx';
import { Loading } from '../loading.tsx';
import { notifySuccess } from '../notify.ts';
import { Panel } from '../panel.tsx';
import { recordingTexts } from './texts.ts';

type Recording = Answer<'getBodyRecording'>;
type Fields = Pick<Recording, 'record_bodies' | 'retention_days' | 'redacted_fields'>;

const bytesPerKb = 1024;

interface BodyRecordingPanelProps {
  account: string;
  /** The reader is an owner of the account, and no mere operator. */
  owns: boolean;
}

export function BodyRecordingPanel({ account, owns }: BodyRecordingPanelProps) {
  const say = useTexts(recordingTexts);
  const params = { params: { path: { account } } };
  const { data, error, refetch } = query.useQuery('get', '/console/api/accounts/{account}/body-recording', params);
  if (error && !data) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!data) return <Loading rows={3} />;
  const size = String(Math.round(data.max_bytes / bytesPerKb));
  const change = async (body: Partial<Fields>) => {
    await api.PATCH('/console/api/accounts/{account}/body-recording', { ...params, body });
    await refetch();
  };
  return (
    <Panel title={say('title')} aside={say(data.record_bodies ? 'on' : 'off')}>
      <p>{owns ? say('explained', { size }) : say('explainedToOperators')}</p>
      {!data.allowed && <p>{say('forbidden')}</p>}
      {owns ? (
        <RecordingForm key={JSON.stringify(data)} recording={data} save={change} />
      ) : (
        <BusyButton disabled={!data.record_bodies} act={() => change({ record_bodies: false })}>
          {say('turnOff')}
        </BusyButton>
      )}{' '}
      <DeleteButton account={account} />
    </Panel>
  );
}

function RecordingForm({ recording, save }: { recording: Recording; save: (fields: Fields) => Promise<unknown> }) {
  const say = useTexts(recordingTexts);
  const [form] = Form.useForm<Fields>();
  const change = useMutation({ mutationFn: save, onSuccess: () => notifySuccess(say('saved')) });
  const mayRecord = recording.allowed || recording.record_bodies;
  return (
    <Form<Fields>
      form={form}
      layout="vertical"
      requiredMark={false}
      initialValues={recording}
      onFinish={(fields) => change.mutate(fields)}
    >
      <FormError form={form} error={change.error} />
      <Form.Item name="record_bodies" valuePropName="checked">
        <Checkbox disabled={!mayRecord}>{say('record')}</Checkbox>
      </Form.Item>
      <Form.Item
        name="retention_days"
        label={say('days')}
        extra={say('daysHelp')}
        rules={[{ type: 'integer', min: 1, max: 30, required: true, message: say('daysWrong') }]}
      >
        <InputNumber min={1} max={30} precision={0} />
      </Form.Item>
      <Form.Item name="redacted_fields" label={say('fields')} extra={say('fieldsHelp')}>
        <Select mode="tags" open={false} suffix={null} tokenSeparators={[',', ' ']} maxCount={50} />
      </Form.Item>
      <Button htmlType="submit" loading={change.isPending}>
        {say('save')}
      </Button>
    </Form>
  );
}

function DeleteButton({ account }: { account: string }) {
  const say = useTexts(recordingTexts);
  const remove = async () => {
    const { data } = await api.DELETE('/console/api/accounts/{account}/bodies', { params: { path: { account } } });
    notifySuccess(say('deleted', { count: String(data?.deleted ?? 0) }));
  };
  return (
    <ConfirmButton title={say('deleteTitle')} text={say('deleteText')} onConfirm={remove}>
      {say('deleteAll')}
    </ConfirmButton>
  );
}
