/** The audit-log entries, each with all its facts. */
import { Button } from 'antd';
import type { Answer } from '../../api/client.ts';
import { ExactMoney } from '../../parts/money.tsx';
import { ActorName } from '../../parts/operator/actor.tsx';
import { type Column, Rows } from '../../parts/operator/rows.tsx';
import { useReasonText } from '../../parts/reason.tsx';
import { Time } from '../../parts/time.tsx';
import { useTexts } from '../../texts/define-texts.ts';
import { ActDetails } from '../../parts/acts/act-details.tsx';
import { actionTexts, isKnown } from '../../parts/acts/action-texts.ts';
import { logTexts } from '../../parts/acts/log-texts.ts';
import { texts } from './texts.ts';
import '../../parts/acts/acts.css';

type Act = Answer<'listActs'>['data'][number];

interface ActRowsProps {
  acts: Act[];
  /** Shows those of this actor, or account, only. */
  onActor: (actor: string) => void;
  onAccount: (account: string) => void;
}

export function ActRows({ acts, onActor, onAccount }: ActRowsProps) {
  const say = useTexts(texts);
  const reasonText = useReasonText();
  const sayLog = useTexts(logTexts);
  const columns: Column<Act>[] = [
    { key: 'what', title: sayLog('action'), render: (act) => <What of={act} /> },
    {
      key: 'who',
      title: sayLog('who'),
      render: ({ actor }) => (
        <Button type="link" size="small" className="tg-act-link" onClick={() => onActor(actor.id)}>
          <ActorName of={actor} />
        </Button>
      ),
    },
    {
      key: 'account',
      title: say('on'),
      render: ({ account_id: id, account_name: name }) =>
        id !== null && (
          <Button type="link" size="small" className="tg-act-link" onClick={() => onAccount(id)}>
            {name ?? id}
          </Button>
        ),
    },
    { key: 'reason', title: sayLog('reason'), render: ({ reason }) => reason !== null && reasonText(reason) },
    { key: 'when', title: sayLog('when'), render: ({ created }) => <Time at={created} /> },
    { key: 'more', title: sayLog('details'), isPlain: true, render: (act) => <Details of={act} /> },
  ];
  return <Rows caption={sayLog('title')} columns={columns} items={acts} idOf={({ id }) => id} />;
}

function What({ of: { id, action, amount } }: { of: Act }) {
  const sayAction = useTexts(actionTexts);
  return (
    <>
      <strong>{isKnown(action) ? sayAction(action) : action}</strong>{' '}
      {amount !== null && <ExactMoney amount={amount} signed={action === 'account.adjusted'} />}
      <small>
        <code>{id}</code>
      </small>
    </>
  );
}

function Details({ of: { subject, details, facts } }: { of: Act }) {
  const sayLog = useTexts(logTexts);
  const lines = [
    ...(subject === null ? [] : [['subject', subject] as const]),
    ...Object.entries(details ?? {}),
    ...Object.entries(facts ?? {}),
  ];
  return <ActDetails label={sayLog('details')} lines={lines} />;
}
