/** The statement itself, as it is printed. */
import { Link } from 'react-router';
import { dayAfter, monthAfter, monthText } from '../../parts/days.ts';
import { ExactMoney, useExactMoneyText } from '../../parts/money.tsx';
import { Count, SignedMoney } from '../../parts/numbers.tsx';
import { Sheet } from '../../parts/sheet.tsx';
import { useTexts } from '../../texts/define-texts.ts';
import { localeOf, useLanguage } from '../../texts/language.ts';
import type { Statement } from './index.tsx';
import './statement.css';
import { texts } from './texts.ts';

export function StatementPaper({ statement }: { statement: Statement }) {
  const say = useTexts(texts);
  const locale = localeOf(useLanguage());
  const moneyText = useExactMoneyText();
  const { account, currency, month, write_offs: writeOffs } = statement;
  const last = dayAfter(`${monthAfter(month)}-01`, -1);
  return (
    <article className="tg-panel tg-statement">
      <h2>{say('heading', { month: monthText(month, locale) })}</h2>
      <p className="tg-quiet">
        {say('account', { name: account.name })} <span className="tg-mono">{account.id}</span>
      </p>
      <p className="tg-quiet">
        {say('currency', { name: currencyName(currency, locale), code: currency })} {say('balanceMeans')}{' '}
        {say('zone', { zone: statement.time_zone })}
      </p>
      {!statement.is_complete && <p className="tg-quiet">{say('running')}</p>}
      <h3>{say('summary')}</h3>
      <Sums statement={statement} />
      <h3>{say('byModel')}</h3>
      {statement.charges.length === 0 ? (
        <p className="tg-quiet">{say('noCharges')}</p>
      ) : (
        <Charges statement={statement} />
      )}
      {writeOffs.count > 0 && <p className="tg-quiet">{say('writeOffs', { amount: moneyText(writeOffs.amount) })}</p>}
      <p className="tg-no-print">
        <Link to={`../ledger?from=${month}-01&to=${last}`}>{say('ledger')}</Link>
      </p>
    </article>
  );
}

/** The name of a currency, such as `US Dollar`, in the reader's language. */
const currencyName = (code: string, locale: string): string =>
  new Intl.DisplayNames(locale, { type: 'currency' }).of(code) ?? code;

function Sums({ statement }: { statement: Statement }) {
  const say = useTexts(texts);
  const { opening, top_ups: topUps, adjustments, charges, charged, closing } = statement;
  const calls = charges.reduce((sum, charge) => sum + charge.calls, 0);
  const lines = [
    { name: say('opening'), amount: <ExactMoney amount={opening.total} />, isBalance: true },
    {
      name: say('topUps'),
      count: say('count', { count: topUps.count }),
      amount: <SignedMoney amount={topUps.amount} isExact />,
    },
    {
      name: say('adjustments'),
      count: say('count', { count: adjustments.count }),
      amount: <SignedMoney amount={adjustments.amount} isExact />,
    },
    {
      name: say('charges'),
      count: say('callCount', { count: calls }),
      amount: <SignedMoney amount={-charged} isExact />,
    },
    { name: say('closing'), amount: <ExactMoney amount={closing.total} />, isBalance: true },
    { name: say('ofWhichFree'), amount: <ExactMoney amount={closing.balance} /> },
    { name: say('ofWhichHeld'), amount: <ExactMoney amount={closing.held} /> },
  ];
  return (
    <Sheet<(typeof lines)[number]>
      label={say('summary')}
      rows={lines}
      keyOf={({ name }) => name}
      columns={[
        {
          key: 'line',
          title: say('line'),
          cell: ({ name, isBalance = false }) => (isBalance ? <strong>{name}</strong> : name),
        },
        {
          key: 'count',
          title: '',
          isNumber: true,
          isWide: true,
          cell: ({ count }) => count,
        },
        {
          key: 'amount',
          title: say('amount'),
          isNumber: true,
          cell: ({ amount, isBalance = false }) => (isBalance ? <strong>{amount}</strong> : amount),
        },
      ]}
    />
  );
}

type Charge = Statement['charges'][number];

function Charges({ statement: { charges, charged } }: { statement: Statement }) {
  const say = useTexts(texts);
  return (
    <Sheet<Charge>
      label={say('byModel')}
      rows={[...charges].sort((a, b) => b.cost - a.cost)}
      keyOf={({ model }) => model}
      columns={[
        { key: 'model', title: say('model'), cell: ({ model }) => model },
        { key: 'calls', title: say('calls'), isNumber: true, cell: ({ calls }) => <Count of={calls} /> },
        { key: 'units', title: say('units'), isWide: true, cell: (charge) => <Units charge={charge} /> },
        { key: 'amount', title: say('amount'), isNumber: true, cell: ({ cost }) => <ExactMoney amount={cost} /> },
      ]}
      footer={{
        model: say('total'),
        calls: <Count of={charges.reduce((sum, { calls }) => sum + calls, 0)} />,
        amount: <ExactMoney amount={charged} />,
      }}
    />
  );
}

function Units({ charge }: { charge: Charge }) {
  const say = useTexts(texts);
  const format = new Intl.NumberFormat(localeOf(useLanguage()), { maximumFractionDigits: 3 });
  const parts = [
    ['inputTokens', charge.input_tokens],
    ['outputTokens', charge.output_tokens],
    ['images', charge.images],
    ['seconds', charge.seconds],
  ] as const;
  return <>{parts.flatMap(([name, of]) => (of === 0 ? [] : [say(name, { count: format.format(of) })])).join(', ')}</>;
}
