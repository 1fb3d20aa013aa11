/** What the key used and cost in the last 30 days: a chart by day and a table by model. */
import { Link } from 'react-router';
import { query } from '../../api/client.ts';
import { rangeOf, today } from '../../parts/days.ts';
import { ErrorState } from '../../parts/error-state.tsx';
import { Loading } from '../../parts/loading.tsx';
import { Measured } from '../../parts/measured.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Sheet, type SheetColumn } from '../../parts/sheet.tsx';
import { figuresOf, numberOf, unitOf, type UsageRow, type UsageTable } from '../../parts/usage/figures.ts';
import { type Heading, headText } from '../../parts/usage/head-text.ts';
import { dimensionTexts, metricTexts, usageTexts } from '../../parts/usage/texts.ts';
import { UsageChart } from '../../parts/usage/usage-chart.tsx';
import { useAccountId } from '../../parts/use-account.ts';
import { useZone } from '../../parts/zone.ts';
import { useTexts } from '../../texts/define-texts.ts';
import { localeOf, useLanguage } from '../../texts/language.ts';
import { texts } from './texts.ts';

/** Each look sums anew, which takes half a second for 100,000 calls. */
const usageRefreshMs = 10_000;
const days = 30;

export function Usage({ of: id }: { of: string }) {
  const say = useTexts(texts);
  const sayUsage = useTexts(usageTexts);
  const locale = localeOf(useLanguage());
  const zone = useZone();
  const [first, last] = [today(zone, days - 1), today(zone)];
  const range = { metric: 'cost', ...rangeOf(zone, { from: first, to: last }), key_id: id } as const;
  const byDay = useTable({ ...range, group: 'day', by: 'model' });
  const byModel = useTable({ ...range, group: 'model' });
  const error = byDay.error ?? byModel.error;
  if (error !== null)
    return (
      <Panel title={say('usage')}>
        <ErrorState error={error} />
      </Panel>
    );
  if (!byDay.data || !byModel.data)
    return (
      <Panel title={say('usage')}>
        <Loading rows={6} />
      </Panel>
    );
  if (byModel.data.rows.length === 0)
    return (
      <Panel title={say('usage')}>
        <p className="tg-quiet">{say('noUsage')}</p>
      </Panel>
    );
  const shown = {
    group: 'day',
    by: 'model',
    metric: 'cost',
    preset: 'days30',
    zone,
    first,
    last,
    isCompared: false,
    isRange: true,
  } as const;
  const textOf = (heading: Heading, dimension: string) => headText(heading, dimension, { say: sayUsage, locale });
  return (
    <>
      <UsageChart table={byDay.data} shown={shown} title={say('usage')} textOf={textOf} />
      <Panel title={say('byModel')}>
        <ByModel table={byModel.data} requests={`key=${id}&from=${first}&to=${last}`} />
      </Panel>
    </>
  );
}

function ByModel({ table, requests }: { table: UsageTable; requests: string }) {
  const say = useTexts(texts);
  const sayUsage = useTexts(usageTexts);
  const sayName = useTexts(dimensionTexts);
  const sayMetric = useTexts(metricTexts);
  const account = useAccountId();
  const locale = localeOf(useLanguage());
  const figures = figuresOf(table.total.sums);
  const name: SheetColumn<UsageRow> = {
    key: 'name',
    title: sayName('model'),
    cell: (row) => {
      const text = headText(row, 'model', { say: sayUsage, locale });
      if (row.others || row.id === '') return text;
      return <Link to={`/${account}/requests?${requests}&model=${encodeURIComponent(row.id)}`}>{text}</Link>;
    },
  };
  return (
    <Sheet
      label={say('byModel')}
      rows={table.rows}
      keyOf={({ id, others }) => `${others} ${id}`}
      columns={[
        name,
        ...figures.map((figure) => ({
          key: figure,
          title: sayMetric(figure),
          isNumber: true,
          isWide: figure !== 'calls' && figure !== 'cost',
          cell: (row: UsageRow) => <Measured unit={unitOf(figure)} of={numberOf(row.sums, figure)} />,
        })),
      ]}
      footer={{
        name: sayUsage('total'),
        ...Object.fromEntries(
          figures.map((figure) => [
            figure,
            <Measured key={figure} unit={unitOf(figure)} of={numberOf(table.total.sums, figure)} />,
          ]),
        ),
      }}
    />
  );
}

interface TableQuery {
  group: 'day' | 'model';
  by?: 'model';
  metric: 'cost';
  from?: string;
  to?: string;
  key_id: string;
}

function useTable(wanted: TableQuery) {
  const account = useAccountId();
  const init = { params: { path: { account }, query: wanted } };
  return query.useQuery('get', '/console/api/accounts/{account}/usage-table', init, {
    refetchInterval: usageRefreshMs,
  });
}
