/** The entries as a table: what happened, what for, and what it did to the balance. */
import { Button } from 'antd';
import { Link } from 'react-router';
import { entryTexts } from '../../parts/entry-texts.ts';
import { Money, useMoneyText } from '../../parts/money.tsx';
import { SignedMoney } from '../../parts/numbers.tsx';
import { useReasonText } from '../../parts/reason.tsx';
import { Sheet } from '../../parts/sheet.tsx';
import { Time, useTimeText } from '../../parts/time.tsx';
import { useTexts } from '../../texts/define-texts.ts';
import type { Entry } from './index.tsx';
import { texts } from './texts.ts';

export function Entries({ entries, onOpen }: { entries: readonly Entry[]; onOpen: (entry: Entry) => void }) {
  const say = useTexts(texts);
  const sayEntry = useTexts(entryTexts);
  const timeText = useTimeText();
  const moneyText = useMoneyText();
  return (
    <section className="tg-panel">
      <Sheet
        label={say('title')}
        rows={entries}
        keyOf={({ id }) => id}
        onOpen={onOpen}
        columns={[
          {
            key: 'type',
            title: say('type'),
            cell: (entry) => (
              <>
                <Button
                  type="link"
                  size="small"
                  className="tg-flush"
                  aria-label={say('details', {
                    type: sayEntry(entry.type),
                    time: timeText(new Date(entry.created * 1000)),
                  })}
                >
                  {sayEntry(entry.type)}
                </Button>
                <span className="tg-second">
                  <Time at={entry.created} />
                </span>
              </>
            ),
          },
          { key: 'what', title: say('what'), cell: (entry) => <What entry={entry} /> },
          {
            key: 'amount',
            title: say('amount'),
            isNumber: true,
            cell: ({ amount, charged }) => (
              <>
                <SignedMoney amount={amount} />
                {charged > 0 && <span className="tg-second">{say('charged', { amount: moneyText(charged) })}</span>}
              </>
            ),
          },
          {
            key: 'balance',
            title: say('balance'),
            isNumber: true,
            isWide: true,
            cell: ({ balance }) => <Money amount={balance} />,
          },
        ]}
      />
    </section>
  );
}

function What({ entry: { model, task_id: task, request_id: request, key_name: key, reason } }: { entry: Entry }) {
  const reasonText = useReasonText();
  if (model === null) return <>{reason === undefined ? '–' : reasonText(reason)}</>;
  return (
    <>
      {task === null ? model : <TaskLink task={task} text={model} />}
      <span className="tg-second">
        {key}
        <span className="tg-mono">
          {key !== null && ' · '}
          {task ?? request}
        </span>
        {reason !== undefined && <> · {reasonText(reason)}</>}
      </span>
    </>
  );
}

/** Within a row that opens its details by a click: the link navigates, and no details open. */
export function TaskLink({ task, text }: { task: string; text: string }) {
  return (
    <Link to={`../tasks/${task}`} onClick={(event) => event.stopPropagation()}>
      {text}
    </Link>
  );
}
