/** The chart and the table of what was summed. Models and keys come dearest first, days newest first. */
import { Link } from 'react-router';
import { type Bar, BarChart } from '../../parts/charts/bar-chart.tsx';
import { daysBetween, dayText } from '../../parts/days.ts';
import { Money } from '../../parts/money.tsx';
import { Count } from '../../parts/numbers.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Sheet, type SheetColumn } from '../../parts/sheet.tsx';
import { useTexts } from '../../texts/define-texts.ts';
import { localeOf, useLanguage } from '../../texts/language.ts';
import type { UsageRow } from './index.tsx';
import type { Shown } from './range.ts';
import { texts } from './texts.ts';

interface ViewProps {
  rows: readonly UsageRow[];
  shown: Shown;
}

/** As many bars as can be distinguished; the table has the rest. */
const barsMax = 12;
const titles = { day: 'chartByDay', model: 'chartByModel', key: 'chartByKey' } as const;
const counts = {
  calls: 'calls',
  input_tokens: 'input',
  output_tokens: 'output',
  images: 'images',
  seconds: 'seconds',
} as const;
const heads = { day: 'byDay', model: 'byModel', key: 'byKey' } as const;

export function UsageChart({ rows, shown }: ViewProps) {
  const say = useTexts(texts);
  const locale = localeOf(useLanguage());
  const { by } = shown;
  const bars = by === 'day' ? dayBars(rows, shown, locale) : nameBars(dearestFirst(rows));
  return (
    <Panel title={say(titles[by])}>
      <BarChart
        label={say(titles[by])}
        series={[{ key: 'cost', label: say('cost') }]}
        bars={bars}
        of={say(heads[by])}
      />
    </Panel>
  );
}

export function UsageSheet({ rows, shown: { by, first, last } }: ViewProps) {
  const say = useTexts(texts);
  const locale = localeOf(useLanguage());
  const counted = (key: keyof typeof counts): SheetColumn<UsageRow> => ({
    key,
    title: say(counts[key]),
    isNumber: true,
    isWide: key !== 'calls',
    cell: (row) => <Count of={row[key]} />,
  });
  const columns: SheetColumn<UsageRow>[] = [
    {
      key: 'name',
      title: say(heads[by]),
      cell: (row) => <Link to={`../ledger?${ledgerQuery(row, first, last)}`}>{nameOf(row, locale)}</Link>,
    },
    counted('calls'),
    counted('input_tokens'),
    counted('output_tokens'),
    counted('images'),
    counted('seconds'),
    { key: 'cost', title: say('cost'), isNumber: true, cell: ({ cost }) => <Money amount={cost} /> },
  ];
  const sumOf = (key: keyof typeof counts | 'cost') => rows.reduce((sum, row) => sum + row[key], 0);
  return (
    <Panel title={say('numbers')}>
      <Sheet
        label={say(titles[by])}
        columns={columns}
        rows={by === 'day' ? rows : dearestFirst(rows)}
        keyOf={groupOf}
        footer={{
          name: say('total'),
          calls: <Count of={sumOf('calls')} />,
          input_tokens: <Count of={sumOf('input_tokens')} />,
          output_tokens: <Count of={sumOf('output_tokens')} />,
          images: <Count of={sumOf('images')} />,
          seconds: <Count of={sumOf('seconds')} />,
          cost: <Money amount={sumOf('cost')} />,
        }}
      />
    </Panel>
  );
}

const groupOf = ({ day, model, key_id: key }: UsageRow): string => day ?? model ?? key ?? '';
const nameOf = (row: UsageRow, locale: string): string =>
  row.day === undefined ? (row.key_name ?? groupOf(row)) : dayText(row.day, locale);
const dearestFirst = (rows: readonly UsageRow[]): UsageRow[] => [...rows].sort((a, b) => b.cost - a.cost);

/** The charges that make the row, in the ledger. */
function ledgerQuery({ day, model, key_id: key }: UsageRow, first: string, last: string): string {
  return new URLSearchParams({
    type: 'capture',
    from: day ?? first,
    to: day ?? last,
    ...(model !== undefined && { model }),
    ...(key !== undefined && { key }),
  }).toString();
}

function dayBars(rows: readonly UsageRow[], { first, last }: Shown, locale: string): Bar[] {
  const costs = new Map(rows.map(({ day, cost }) => [day, cost]));
  return daysBetween(first, last).map((day) => ({
    key: day,
    label: dayText(day, locale, 'short'),
    title: dayText(day, locale),
    values: { cost: costs.get(day) ?? 0 },
  }));
}

const nameBars = (rows: readonly UsageRow[]): Bar[] =>
  rows.slice(0, barsMax).map((row) => {
    const name = nameOf(row, '');
    return { key: groupOf(row), label: shortened(name), title: name, values: { cost: row.cost } };
  });

const shortened = (name: string): string => (name.length > 18 ? `${name.slice(0, 17)}…` : name);
