/** Marks a paid call resolved with a note, and reopens it. */
import { useQueryClient } from '@tanstack/react-query';
import { Button, Form, Input, Modal } from 'antd';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { FormError } from '../../parts/form-error.tsx';
import { useFocusBack } from '../../parts/use-focus-back.ts';
import { useTexts } from '../../texts/define-texts.ts';
import { type Outcome, outcomesKey } from './outcomes.ts';
import { texts } from './texts.ts';

const path = '/console/api/operator/unknown-outcomes/{task}/{route}/review';

export function ReviewButton({ outcome }: { outcome: Outcome }) {
  const say = useTexts(texts);
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button type="primary" onClick={() => setOpen(true)}>
        {say('review')}
      </Button>
      {isOpen && <ReviewDialog outcome={outcome} onClose={() => setOpen(false)} />}
    </>
  );
}

function ReviewDialog({ outcome, onClose }: { outcome: Outcome; onClose: () => void }) {
  useFocusBack();
  const say = useTexts(texts);
  const changed = useChanged();
  const [form] = Form.useForm<{ note: string }>();
  const review = useMutation({
    mutationFn: ({ note }: { note: string }) =>
      api.PUT(path, { params: { path: pathOf(outcome) }, body: { note: note.trim() } }),
    onSuccess: async () => {
      await changed();
      onClose();
    },
  });
  return (
    <Modal
      open
      title={say('reviewTitle')}
      okText={say('review')}
      cancelText={say('cancel')}
      confirmLoading={review.isPending}
      mask={{ closable: false }}
      onCancel={onClose}
      onOk={() => form.submit()}
    >
      <Form form={form} layout="vertical" requiredMark={false} onFinish={(fields) => review.mutate(fields)}>
        <FormError form={form} error={review.error} />
        <Form.Item
          name="note"
          label={say('note')}
          extra={say('noteHelp')}
          rules={[{ required: true, whitespace: true, message: say('noteMissing') }]}
        >
          <Input.TextArea maxLength={500} rows={4} autoFocus />
        </Form.Item>
      </Form>
    </Modal>
  );
}

export function ReopenButton({ outcome }: { outcome: Outcome }) {
  const say = useTexts(texts);
  const changed = useChanged();
  const reopen = async () => {
    await api.DELETE(path, { params: { path: pathOf(outcome) } });
    await changed();
  };
  return (
    <ConfirmButton
      title={say('reopenTitle')}
      text={say('reopenText')}
      onConfirm={reopen}
      buttonProps={{ danger: false, size: 'small' }}
    >
      {say('reopen')}
    </ConfirmButton>
  );
}

const pathOf = ({ task_id: task, route }: Outcome) => ({ task, route: String(route) });

function useChanged() {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: [outcomesKey] });
}
