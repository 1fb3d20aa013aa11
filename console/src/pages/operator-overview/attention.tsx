/** What needs a look: unknown outcomes, the last audit of the ledger, and accounts that are low. */
import { Alert, Tag } from 'antd';
import { Link } from 'react-router';
import type { Answer } from '../../api/client.ts';
import { Figure, Figures } from '../../parts/figure.tsx';
import { Money } from '../../parts/money.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Sheet } from '../../parts/sheet.tsx';
import { Time } from '../../parts/time.tsx';
import { useTexts } from '../../texts/define-texts.ts';
import { texts } from './texts.ts';

type Overview = Answer<'getOperatorOverview'>;

export function Attention({ overview }: { overview: Overview }) {
  const say = useTexts(texts);
  const { unknown_outcomes: unknown, audit, low_accounts: low } = overview;
  return (
    <>
      {audit && !audit.agrees && (
        <Alert className="tg-form-alert" type="error" showIcon title={say('auditDisagrees')} />
      )}
      <Figures>
        <Figure label={say('unknown')} hint={say(unknown.count === 0 ? 'unknownNone' : 'unknownHint')}>
          <Link to="/operator/unknown">
            {unknown.count}
            {unknown.has_more && '+'}
          </Link>
        </Figure>
        <Figure label={say('audit')} hint={audit ? <Time at={audit.finished} relative /> : say('auditNone')}>
          <Link to="/operator/audit">
            {audit ? (audit.agrees ? say('agrees') : say('findings', { count: audit.finding_count })) : '–'}
          </Link>
        </Figure>
        <Figure label={say('low')} hint={say(low.count === 0 ? 'lowNone' : 'lowHint')}>
          <Link to="/operator/accounts">{low.count}</Link>
        </Figure>
      </Figures>
    </>
  );
}

export function LowAccounts({ low: { poorest } }: { low: Overview['low_accounts'] }) {
  const say = useTexts(texts);
  if (poorest.length === 0) return null;
  return (
    <Panel title={say('low')} aside={<Link to="/operator/accounts">{say('allAccounts')}</Link>}>
      <Sheet
        label={say('low')}
        rows={poorest}
        keyOf={({ id }) => id}
        columns={[
          {
            key: 'account',
            title: say('account'),
            cell: ({ id, name, in_arrears: isInArrears }) => (
              <>
                <Link to={`/${id}/ledger`}>{name}</Link> {isInArrears && <Tag color="error">{say('inArrears')}</Tag>}
              </>
            ),
          },
          { key: 'balance', title: say('balance'), isNumber: true, cell: ({ balance }) => <Money amount={balance} /> },
          {
            key: 'held',
            title: say('held'),
            isNumber: true,
            isWide: true,
            cell: ({ held }) => <Money amount={held} />,
          },
          {
            key: 'threshold',
            title: say('threshold'),
            isNumber: true,
            cell: ({ low_balance: least }) => (least === null ? '–' : <Money amount={least} />),
          },
        ]}
      />
    </Panel>
  );
}
