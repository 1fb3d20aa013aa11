/** Crediting or correcting an account: amount and reason, then what follows from them in words, then the booking. */
import { useMutation } from '@tanstack/react-query';
import { Form, Input, Modal } from 'antd';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { FormError } from '../../parts/form-error.tsx';
import { CurrencySymbol, useCurrency, useExactMoneyText } from '../../parts/money.tsx';
import { newRequestId } from '../../parts/operator/request-id.ts';
import { microsOf, microsOfAmount, amountOf } from '../../parts/operator/amounts.ts';
import { useTexts } from '../../texts/define-texts.ts';
import type { Account } from './accounts.ts';
import { texts } from './texts.ts';

interface Fields {
  amount: string;
  reason: string;
}

interface MoneyDialogProps {
  kind: 'credit' | 'adjust';
  account: Account;
  onClose: () => void;
}

export function MoneyDialog({ kind, account, onClose }: MoneyDialogProps) {
  const say = useTexts(texts);
  const currency = useCurrency();
  const [form] = Form.useForm<Fields>();
  // Of this dialog: however often it is sent, by a double click or after an answer was lost, it is booked once.
  const [request] = useState(newRequestId);
  const [checked, setChecked] = useState<Fields>();
  const booking = useMutation({
    mutationFn: async (fields: Fields) => {
      const init = { params: { path: { account: account.id } }, body: { request, ...trimmed(fields) } };
      if (kind === 'credit') await api.POST('/console/api/operator/accounts/{account}/credits', init);
      else await api.POST('/console/api/operator/accounts/{account}/adjustments', init);
    },
    onSuccess: onClose,
    onError: () => setChecked(undefined), // back to the fields, where the error is shown
  });
  const title = say(kind === 'credit' ? 'creditTitle' : 'adjustTitle', { name: account.name });
  return (
    <Modal
      open
      title={title}
      okText={checked ? say(kind) : say('continue')}
      cancelText={checked ? say('back') : say('cancel')}
      confirmLoading={booking.isPending}
      mask={{ closable: false }}
      onCancel={() => (checked && !booking.isPending ? setChecked(undefined) : onClose())}
      onOk={() => (checked ? !booking.isPending && booking.mutate(checked) : form.submit())}
    >
      {checked && <Consequence kind={kind} account={account} fields={checked} />}
      <Form<Fields>
        form={form}
        layout="vertical"
        requiredMark={false}
        hidden={checked !== undefined}
        onFinish={setChecked}
      >
        <FormError form={form} error={booking.error} />
        <Form.Item
          name="amount"
          label={say('amount', { currency })}
          extra={say(kind === 'credit' ? 'creditHelp' : 'adjustHelp')}
          rules={[{ validator: (_, text: unknown) => checkAmount(text, kind, say) }]}
        >
          <Input inputMode="decimal" autoComplete="off" prefix={<CurrencySymbol />} maxLength={20} autoFocus />
        </Form.Item>
        <Form.Item
          name="reason"
          label={say('reason')}
          rules={[{ required: true, whitespace: true, message: say('reasonMissing') }]}
        >
          <Input maxLength={500} autoComplete="off" />
        </Form.Item>
      </Form>
    </Modal>
  );
}

function Consequence({ kind, account, fields }: { kind: 'credit' | 'adjust'; account: Account; fields: Fields }) {
  const say = useTexts(texts);
  const moneyText = useExactMoneyText();
  const amount = microsOf(fields.amount) ?? 0n;
  const before = microsOfAmount(account.balance);
  const money = (micros: bigint, signed = false) => moneyText(amountOf(micros), signed);
  return (
    <div className="tg-booking" role="status">
      <p>
        {say(kind === 'credit' ? 'creditWords' : 'adjustWords', {
          amount: money(amount, kind === 'adjust'),
          name: account.name,
        })}
      </p>
      <p>
        <strong>{say('balanceWords', { before: money(before), after: money(before + amount) })}</strong>
      </p>
      <p>{say('reasonWords', { reason: fields.reason.trim() })}</p>
    </div>
  );
}

function checkAmount(text: unknown, kind: 'credit' | 'adjust', say: ReturnType<typeof useTexts<typeof texts.en>>) {
  const amount = typeof text === 'string' ? microsOf(text) : undefined;
  const isGood = amount !== undefined && (kind === 'credit' ? amount > 0n : amount !== 0n);
  return isGood ? Promise.resolve() : Promise.reject(new Error(say(kind === 'credit' ? 'creditWrong' : 'adjustWrong')));
}

/** A plus sign is for people: the server takes none. */
const trimmed = ({ amount, reason }: Fields): Fields => ({
  amount: amount.trim().replace(/^\+/, ''),
  reason: reason.trim(),
});
