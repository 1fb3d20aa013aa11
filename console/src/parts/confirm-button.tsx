/** A button for what can't be undone: it asks first, and for a reason where one is logged. */
import { Alert, Button, type ButtonProps, Form, Input, Modal } from 'antd';
import { useState, type ReactNode } from 'react';
import { useTexts } from '../texts/define-texts.ts';
import { useErrorText } from './error-text.ts';
import { partsTexts } from './texts.ts';

interface ConfirmButtonProps {
  children: ReactNode;
  /** The question, and what follows from a yes. */
  title: string;
  text?: ReactNode;
  /** Does it; the dialog closes when it resolves, and shows the error if not. `reason` is '' unless asked for. */
  onConfirm: (reason: string) => Promise<unknown>;
  withReason?: boolean;
  /** For actions that are called "cancel" themselves. */
  cancelText?: string;
  buttonProps?: ButtonProps;
}

export function ConfirmButton({
  children,
  title,
  text,
  onConfirm,
  withReason = false,
  cancelText,
  buttonProps,
}: ConfirmButtonProps) {
  const say = useTexts(partsTexts);
  const textOf = useErrorText();
  const [form] = Form.useForm<{ reason: string }>();
  const [isOpen, setOpen] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const confirm = async ({ reason }: { reason?: string }) => {
    setBusy(true);
    setError(undefined);
    try {
      await onConfirm(reason?.trim() ?? '');
      setOpen(false);
    } catch (thrown) {
      setError(thrown);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <Button danger {...buttonProps} onClick={() => setOpen(true)}>
        {children}
      </Button>
      <Modal
        open={isOpen}
        title={title}
        okText={children}
        cancelText={cancelText ?? say('cancel')}
        okButtonProps={{ danger: buttonProps?.danger ?? true }}
        confirmLoading={isBusy}
        destroyOnHidden
        onCancel={() => setOpen(false)}
        onOk={() => form.submit()}
        afterClose={() => setError(undefined)}
      >
        {text !== undefined && <p>{text}</p>}
        {error !== undefined && (
          <Alert className="tg-form-alert" type="error" showIcon role="alert" title={textOf(error)} />
        )}
        <Form form={form} layout="vertical" preserve={false} onFinish={(fields) => void confirm(fields)}>
          {withReason && (
            <Form.Item
              name="reason"
              label={say('reason')}
              rules={[{ required: true, whitespace: true, message: say('reasonMissing') }]}
            >
              <Input autoFocus maxLength={200} />
            </Form.Item>
          )}
        </Form>
      </Modal>
    </>
  );
}
