/** The entries of the account's audit log. */
import type { Answer } from '../../api/client.ts';
import { ActDetails } from '../../parts/acts/act-details.tsx';
import { actionTexts, isKnown } from '../../parts/acts/action-texts.ts';
import { logTexts } from '../../parts/acts/log-texts.ts';
import { ExactMoney } from '../../parts/money.tsx';
import { type Column, Rows } from '../../parts/operator/rows.tsx';
import { useReasonText } from '../../parts/reason.tsx';
import { Time } from '../../parts/time.tsx';
import { useTexts } from '../../texts/define-texts.ts';
import { texts } from './texts.ts';

type Act = Answer<'listAccountActs'>['data'][number];

export function ActRows({ acts }: { acts: Act[] }) {
  const say = useTexts(texts);
  const reasonText = useReasonText();
  const sayLog = useTexts(logTexts);
  const sayAction = useTexts(actionTexts);
  const columns: Column<Act>[] = [
    {
      key: 'what',
      title: sayLog('action'),
      render: ({ action, amount }) => (
        <>
          <strong>{isKnown(action) ? sayAction(action) : action}</strong>{' '}
          {amount !== null && <ExactMoney amount={amount} signed={action === 'account.adjusted'} />}
        </>
      ),
    },
    { key: 'who', title: sayLog('who'), render: ({ actor }) => <Actor of={actor} /> },
    {
      key: 'subject',
      title: say('subject'),
      render: ({ subject, subject_name: name }) => (
        <>
          {name ?? subject}
          {name !== null && <span className="tg-second tg-mono">{subject}</span>}
        </>
      ),
    },
    { key: 'reason', title: sayLog('reason'), render: ({ reason }) => reason !== null && reasonText(reason) },
    { key: 'when', title: sayLog('when'), render: ({ created }) => <Time at={created} /> },
    {
      key: 'more',
      title: sayLog('details'),
      isPlain: true,
      render: ({ facts }) => <ActDetails label={sayLog('details')} lines={Object.entries(facts)} />,
    },
  ];
  return <Rows caption={sayLog('title')} columns={columns} items={acts} idOf={({ id }) => id} />;
}

function Actor({ of: { kind, name } }: { of: Act['actor'] }) {
  const say = useTexts(texts);
  if (kind === 'tollgate') return say('byItself');
  if (kind === 'operator' || name === null) return say('operator');
  return kind === 'key' ? say('byKey', { name }) : name;
}
