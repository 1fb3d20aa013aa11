/** The ledger with a row for each call, task and credit: what it did to the balance in the end. */
import { Button, Tag } from 'antd';
import type { Answer } from '../../api/client.ts';
import { entryTexts } from '../../parts/entry-texts.ts';
import { SignedMoney } from '../../parts/numbers.tsx';
import { useReasonText } from '../../parts/reason.tsx';
import { Sheet } from '../../parts/sheet.tsx';
import { Time, useTimeText } from '../../parts/time.tsx';
import { useTexts } from '../../texts/define-texts.ts';
import { texts } from './texts.ts';

export type Transfer = Answer<'listTransfers'>['data'][number];

export function Transfers({
  transfers,
  onOpen,
}: {
  transfers: readonly Transfer[];
  onOpen: (transfer: Transfer) => void;
}) {
  const say = useTexts(texts);
  const sayEntry = useTexts(entryTexts);
  const timeText = useTimeText();
  return (
    <section className="tg-panel">
      <Sheet
        label={say('title')}
        rows={transfers}
        keyOf={({ id }) => id}
        onOpen={onOpen}
        columns={[
          {
            key: 'what',
            title: say('what'),
            cell: (one) => {
              const name = one.model ?? sayEntry(one.type);
              return (
                <>
                  <Button
                    type="link"
                    size="small"
                    className="tg-flush"
                    aria-label={say('details', { type: name, time: timeText(new Date(one.created * 1000)) })}
                  >
                    {name}
                  </Button>
                  <span className="tg-second">
                    <Time at={one.created} />
                  </span>
                </>
              );
            },
          },
          { key: 'subject', title: say('subject'), cell: (one) => <Subject transfer={one} /> },
          {
            key: 'amount',
            title: say('net'),
            isNumber: true,
            cell: ({ amount, is_open: isOpen }) => (
              <>
                <SignedMoney amount={amount} />
                {isOpen && (
                  <span className="tg-second">
                    <Tag color="processing">{say('onHold')}</Tag>
                  </span>
                )}
              </>
            ),
          },
        ]}
      />
    </section>
  );
}

function Subject({
  transfer: { type, key_name: key, task_id: task, request_id: request, reason, amount },
}: {
  transfer: Transfer;
}) {
  const say = useTexts(texts);
  const reasonText = useReasonText();
  if (type !== 'hold') return <>{reason === null ? '–' : reasonText(reason)}</>;
  return (
    <>
      {key}
      <span className="tg-second tg-mono">{task ?? request}</span>
      {reason !== null && amount === 0 && (
        <span className="tg-second">{say('notCharged', { reason: reasonText(reason) })}</span>
      )}
    </>
  );
}
