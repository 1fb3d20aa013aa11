/** Starts a maintenance or changes a running one: the public note and the end, and apart from them the reason for the log. */
import { Alert, Button, Form, Input, Modal } from 'antd';
import { useState } from 'react';
import { useErrorText } from '../../parts/error-text.ts';
import { partsTexts } from '../../parts/texts.ts';
import { useTexts } from '../../texts/define-texts.ts';
import type { OperatorModel } from './switches.tsx';
import { texts } from './texts.ts';

const noteCharactersMax = 300;
const reasonCharactersMax = 200;

interface Fields {
  note?: string;
  /** As the browser's field has it: in the reader's zone. */
  until?: string;
  reason?: string;
}

export interface MaintenanceChange {
  maintenance: true;
  maintenance_note?: string;
  maintenance_until?: string;
}

interface MaintenanceButtonProps {
  model: OperatorModel;
  onSet: (change: MaintenanceChange, reason: string) => Promise<unknown>;
}

export function MaintenanceButton({ model, onSet }: MaintenanceButtonProps) {
  const say = useTexts(texts);
  const sayPart = useTexts(partsTexts);
  const textOf = useErrorText();
  const [form] = Form.useForm<Fields>();
  const [isOpen, setOpen] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const { id, maintenance, maintenance_note: note, maintenance_until: until } = model;
  const action = say(maintenance ? 'changeMaintenance' : 'beginMaintenance');
  const put = async (fields: Fields) => {
    setBusy(true);
    setError(undefined);
    try {
      await onSet(changeOf(fields), fields.reason?.trim() ?? '');
      setOpen(false);
    } catch (thrown) {
      setError(thrown);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <Button size="small" aria-label={say('nameAction', { action, id })} onClick={() => setOpen(true)}>
        {action}
      </Button>
      <Modal
        open={isOpen}
        title={say(maintenance ? 'askChangeMaintenance' : 'askBeginMaintenance', { id })}
        okText={action}
        cancelText={sayPart('cancel')}
        confirmLoading={isBusy}
        destroyOnHidden
        onCancel={() => setOpen(false)}
        onOk={() => form.submit()}
        afterClose={() => setError(undefined)}
      >
        <p>{say('beginMaintenanceMeans')}</p>
        {error !== undefined && (
          <Alert className="tg-form-alert" type="error" showIcon role="alert" title={textOf(error)} />
        )}
        <Form<Fields>
          form={form}
          layout="vertical"
          preserve={false}
          initialValues={{ note: note ?? '', until: until === null ? '' : localText(new Date(until * 1000)) }}
          onFinish={(fields) => void put(fields)}
        >
          <Form.Item name="note" label={say('note')} extra={say('noteHelp')}>
            <Input autoFocus maxLength={noteCharactersMax} />
          </Form.Item>
          <Form.Item
            name="until"
            label={say('until')}
            extra={say('untilHelp')}
            rules={[{ validator: (_, text: string) => refusePast(text, say('untilPast')) }]}
          >
            <Input type="datetime-local" />
          </Form.Item>
          <Form.Item
            name="reason"
            label={sayPart('reason')}
            extra={say('reasonHelp')}
            rules={[{ required: true, whitespace: true, message: sayPart('reasonMissing') }]}
          >
            <Input maxLength={reasonCharactersMax} />
          </Form.Item>
        </Form>
      </Modal>
    </>
  );
}

function changeOf({ note = '', until = '' }: Fields): MaintenanceChange {
  return {
    maintenance: true,
    ...(note.trim() !== '' && { maintenance_note: note.trim() }),
    ...(until !== '' && { maintenance_until: new Date(until).toISOString() }),
  };
}

const refusePast = (text: string | undefined, message: string): Promise<void> =>
  text && new Date(text).getTime() <= Date.now() ? Promise.reject(new RangeError(message)) : Promise.resolve();

/** A moment as a browser's field takes it, to the minute, in the reader's zone. */
function localText(moment: Date): string {
  const local = new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}
