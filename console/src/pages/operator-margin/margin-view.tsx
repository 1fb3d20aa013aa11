/** The sums as figures and as a table: days newest first, all else by revenue. */
import { Alert } from 'antd';
import type { ReactNode } from 'react';
import type { Answer } from '../../api/client.ts';
import { dayText } from '../../parts/days.ts';
import { Figure, Figures } from '../../parts/figure.tsx';
import { Money, useMoneyText } from '../../parts/money.tsx';
import { Count } from '../../parts/numbers.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Sheet, type SheetColumn } from '../../parts/sheet.tsx';
import { useTexts } from '../../texts/define-texts.ts';
import { localeOf, useLanguage } from '../../texts/language.ts';
import type { Group } from './choices.tsx';
import { texts } from './texts.ts';

type Row = Answer<'listMargin'>['data'][number];
type Sums = Pick<
  Row,
  'calls' | 'calls_without_cost' | 'revenue' | 'revenue_without_cost' | 'written_off' | 'cost' | 'margin'
>;

export function MarginView({ rows, hasMore, by }: { rows: readonly Row[]; hasMore: boolean; by: Group }) {
  const say = useTexts(texts);
  const locale = localeOf(useLanguage());
  const moneyText = useMoneyText();
  const total = totalOf(rows);
  const number = (value: number) => new Intl.NumberFormat(locale).format(value);
  const partOf = (sums: Sums) => ({ part: number(sums.calls_without_cost), all: number(sums.calls) });
  const ofKnown = (sums: Sums, cell: ReactNode) => (sums.calls_without_cost < sums.calls ? cell : '–');
  const cells = (sums: Sums) => ({
    calls: <Count of={sums.calls} />,
    revenue: <Money amount={sums.revenue} />,
    written_off: <Money amount={sums.written_off} />,
    cost: ofKnown(sums, <Money amount={sums.cost} />),
    margin: ofKnown(sums, <Money amount={sums.margin} />),
    percent: percentText(sums, locale),
    without_cost: sums.calls_without_cost === 0 ? '–' : say('partOf', partOf(sums)),
  });
  const column = (key: keyof ReturnType<typeof cells>, title: string, isWide = false): SheetColumn<Row> => ({
    ...{ key, title, isWide, isNumber: true },
    cell: (row) => cells(row)[key],
  });
  return (
    <>
      <Figures>
        <Figure label={say('revenue')}>
          <Money amount={total.revenue} />
        </Figure>
        <Figure label={say('cost')}>{ofKnown(total, <Money amount={total.cost} />)}</Figure>
        <Figure label={say('margin')}>{ofKnown(total, <Money amount={total.margin} />)}</Figure>
        <Figure label={say('percent')}>{percentText(total, locale)}</Figure>
      </Figures>
      {total.calls_without_cost > 0 && (
        <Alert
          className="tg-form-alert"
          type="info"
          showIcon
          title={say('incomplete', { ...partOf(total), paid: moneyText(total.revenue_without_cost) })}
        />
      )}
      {hasMore && <Alert className="tg-form-alert" type="info" showIcon title={say('more')} />}
      <Panel title={say('breakdown')}>
        <Sheet
          label={say('breakdown')}
          columns={[
            { key: 'name', title: say(by), cell: (row) => nameOf(row, by, locale) ?? say('unknown') },
            column('calls', say('calls'), true),
            column('revenue', say('revenue')),
            column('written_off', say('writtenOff'), true),
            column('cost', say('cost')),
            column('margin', say('margin')),
            column('percent', say('percent'), true),
            column('without_cost', say('withoutCost'), true),
          ]}
          rows={by === 'day' ? rows : [...rows].sort((a, b) => b.revenue - a.revenue)}
          keyOf={(row) => groupOf(row, by) ?? ''}
          footer={{ name: say('total'), ...cells(total) }}
        />
      </Panel>
    </>
  );
}

const groupOf = (row: Row, by: Group) => (by === 'account' ? row.account_id : row[by]);

function nameOf(row: Row, by: Group, locale: string): string | null | undefined {
  if (by === 'day') return row.day && dayText(row.day, locale);
  return by === 'account' ? (row.account_name ?? row.account_id) : row[by];
}

function totalOf(rows: readonly Row[]): Sums {
  const sum = (key: keyof Sums) => rows.reduce((total, row) => total + row[key], 0);
  return {
    calls: sum('calls'),
    calls_without_cost: sum('calls_without_cost'),
    revenue: sum('revenue'),
    revenue_without_cost: sum('revenue_without_cost'),
    written_off: sum('written_off'),
    cost: sum('cost'),
    margin: sum('margin'),
  };
}

/** Of what was paid where the cost is known. */
function percentText({ margin, revenue, revenue_without_cost: apart }: Sums, locale: string): string {
  const paid = revenue - apart;
  if (paid <= 0) return '–';
  return new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 }).format(margin / paid);
}
