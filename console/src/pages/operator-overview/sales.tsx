/** Revenue, cost and margin: of three periods, by day, and of the accounts that paid the most. */
import { Link } from 'react-router';
import type { Answer } from '../../api/client.ts';
import { BarChart } from '../../parts/charts/bar-chart.tsx';
import { daysBetween, dayText } from '../../parts/days.ts';
import { Figure, Figures } from '../../parts/figure.tsx';
import { Money, useMoneyText } from '../../parts/money.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Sheet } from '../../parts/sheet.tsx';
import { useTexts } from '../../texts/define-texts.ts';
import { localeOf, useLanguage } from '../../texts/language.ts';
import { texts } from './texts.ts';

type SalesData = Answer<'getSales'>;
type Period = SalesData['periods'][number];

const marginPath = (by: 'day' | 'account', { from, to }: Pick<Period, 'from' | 'to'>) =>
  `/operator/margin?${new URLSearchParams({ by, from, to }).toString()}`;

export function Sales({ sales }: { sales: SalesData }) {
  const say = useTexts(texts);
  const longest = sales.periods.at(-1);
  return (
    <>
      <Figures>
        {sales.periods.map((period) => (
          <Figure
            key={period.days}
            label={period.days === 1 ? say('today') : say('days', { days: period.days })}
            hint={<Rest period={period} />}
          >
            <Link to={marginPath('day', period)}>
              <Money amount={period.revenue} />
            </Link>
          </Figure>
        ))}
      </Figures>
      {longest && (
        <>
          <ByDay sales={sales} period={longest} />
          <TopAccounts accounts={sales.accounts} period={longest} />
        </>
      )}
    </>
  );
}

/** What the revenue cost, and what is left: of that whose cost is known. */
function Rest({ period }: { period: Period }) {
  const say = useTexts(texts);
  const moneyText = useMoneyText();
  const locale = localeOf(useLanguage());
  const { calls, calls_without_cost: unknown, cost, margin, margin_percent: percent } = period;
  if (unknown >= calls) return say(calls === 0 ? 'noSales' : 'costUnknown');
  const share = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 }).format(
    (percent ?? 0) / 100,
  );
  return (
    <>
      {say('costAndMargin', { cost: moneyText(cost), margin: moneyText(margin), percent: share })}
      {unknown > 0 && ` ${say('costUnknownOf', { count: unknown })}`}
    </>
  );
}

function ByDay({ sales, period }: { sales: SalesData; period: Period }) {
  const say = useTexts(texts);
  const locale = localeOf(useLanguage());
  const byDay = new Map(sales.days.map((row) => [row.day, row]));
  const bars = daysBetween(period.from, period.to).map((day) => {
    const row = byDay.get(day);
    return {
      key: day,
      label: dayText(day, locale, 'short'),
      title: dayText(day, locale),
      values: row ? { revenue: row.revenue, margin: row.margin } : {},
    };
  });
  return (
    <Panel title={say('chart')} aside={<Link to={marginPath('day', period)}>{say('toMargin')}</Link>}>
      {sales.days.length === 0 ? (
        <p className="tg-quiet">{say('noSales')}</p>
      ) : (
        <BarChart
          label={say('chart')}
          isStacked={false}
          series={[
            { key: 'revenue', label: say('revenue') },
            { key: 'margin', label: say('margin') },
          ]}
          bars={bars}
          of={say('day')}
        />
      )}
    </Panel>
  );
}

function TopAccounts({ accounts, period }: { accounts: SalesData['accounts']; period: Period }) {
  const say = useTexts(texts);
  return (
    <Panel title={say('topAccounts')} aside={<Link to={marginPath('account', period)}>{say('allAccounts')}</Link>}>
      {accounts.length === 0 ? (
        <p className="tg-quiet">{say('noSales')}</p>
      ) : (
        <Sheet
          label={say('topAccounts')}
          rows={accounts}
          keyOf={({ account_id: id }) => id ?? ''}
          columns={[
            {
              key: 'account',
              title: say('account'),
              cell: ({ account_id: id, account_name: name }) => <Link to={`/${id ?? ''}/usage`}>{name ?? id}</Link>,
            },
            {
              key: 'revenue',
              title: say('revenue'),
              isNumber: true,
              cell: ({ revenue }) => <Money amount={revenue} />,
            },
            {
              key: 'margin',
              title: say('margin'),
              isNumber: true,
              cell: ({ calls, calls_without_cost: unknown, margin }) =>
                unknown >= calls ? '–' : <Money amount={margin} />,
            },
          ]}
        />
      )}
    </Panel>
  );
}
