/** The sums of what is shown: the whole as figures, then a chart and a table whose rows lead to their requests. */
import { Alert } from 'antd';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { useTexts } from '../../texts/define-texts.ts';
import { localeOf, useLanguage } from '../../texts/language.ts';
import { dayText, daysBetween } from '../days.ts';
import { Figure as FigureTile, Figures } from '../figure.tsx';
import { Measured } from '../measured.tsx';
import { Panel } from '../panel.tsx';
import { Sheet, type SheetColumn } from '../sheet.tsx';
import { Change } from './change.tsx';
import { Compared } from './compared.tsx';
import { daysBefore, isUnfinished, type NumberBefore } from './comparison.ts';
import { type Figure, figureOf, figuresOf, numberOf, unitOf, type UsageRow, type UsageTable } from './figures.ts';
import { headText, type Heading } from './head-text.ts';
import { requestsOf } from './requests-of.ts';
import { isTime, type Shown } from './usage-query.ts';
import { dimensionTexts, metricTexts, usageTexts } from './texts.ts';
import { UsageChart } from './usage-chart.tsx';

interface UsageViewProps {
  table: UsageTable;
  shown: Shown<keyof typeof dimensionTexts.en, keyof typeof metricTexts.en>;
  /** Finds the numbers of the period before, where they are compared. */
  before: NumberBefore<Figure> | undefined;
  /** The page of requests. */
  requests: string;
}

export function UsageView({ table, shown, before, requests }: UsageViewProps) {
  const say = useTexts(usageTexts);
  const sayName = useTexts(dimensionTexts);
  const sayMetric = useTexts(metricTexts);
  const locale = localeOf(useLanguage());
  const { group, by, metric } = shown;
  const { sums } = table.total;
  const figure = figureOf(metric);
  const title =
    by === undefined
      ? say('chart', { metric: sayMetric(metric), group: sayName(group) })
      : say('chartTwo', { metric: sayMetric(metric), group: sayName(group), by: sayName(by) });
  const textOf = (heading: Heading, dimension: string) => headText(heading, dimension, { say, locale });
  const link = (row: UsageRow, column: Heading | undefined, children: ReactNode) => {
    const query = requestsOf(shown, row, column);
    return query === undefined ? children : <Link to={`${requests}?${query}`}>{children}</Link>;
  };
  const head: SheetColumn<UsageRow> = {
    key: 'name',
    title: sayName(group),
    cell: (row) => link(row, undefined, textOf(row, group)),
  };
  const value = (key: string, name: ReactNode, cell: SheetColumn<UsageRow>['cell'], isWide = false) => ({
    ...{ key, title: name, isNumber: true, isWide, cell },
  });
  const figures = figuresOf(sums).map((each) =>
    value(
      each,
      sayMetric(each),
      (row) => <Compared of={numberOf(row.sums, each)} figure={each} heading={row} before={before} />,
      each !== figure && each !== 'calls' && each !== 'requests',
    ),
  );
  const columns = table.columns.map((column, at) =>
    value(
      `${column.others} ${column.id}`,
      by === undefined ? '' : textOf(column, by),
      (row) => {
        const cell = <Measured unit={unitOf(metric)} of={row.values[at] ?? null} />;
        return row.values[at] === null ? cell : link(row, column, cell);
      },
      at > 1,
    ),
  );
  const total = value('total', say('total'), (row) => (
    <Compared of={numberOf(row.sums, figure)} figure={figure} heading={row} before={before} />
  ));
  const footer = {
    name: say('total'),
    total: <Compared of={numberOf(sums, figure)} figure={figure} before={before} />,
    ...Object.fromEntries(
      by === undefined
        ? figures.map(({ key }, at) => {
            const each = figuresOf(sums)[at] ?? figure;
            return [key, <Compared key={key} of={numberOf(sums, each)} figure={each} before={before} />];
          })
        : columns.map(({ key }, at) => [
            key,
            <Measured key={key} unit={unitOf(metric)} of={table.total.values[at] ?? null} />,
          ]),
    ),
  };
  const whole = numberOf(sums, figure);
  const days = daysBetween(shown.first, shown.last).length;
  return (
    <>
      <Figures>
        {[...new Set([figure, ...figuresOf(sums)])].slice(0, tilesMax).map((each) => (
          <FigureTile
            key={each}
            label={sayMetric(each)}
            {...(before && {
              hint: <Change now={numberOf(sums, each)} before={before(undefined, each)} unit={unitOf(each)} />,
            })}
          >
            <Measured unit={unitOf(each)} of={numberOf(sums, each)} />
          </FigureTile>
        ))}
        {unitOf(figure) !== 'milliseconds' && whole !== null && (
          <FigureTile label={say('perDay')}>
            <Measured unit={unitOf(figure)} of={whole / days} />
          </FigureTile>
        )}
      </Figures>
      {'calls_without_cost' in sums && sums.calls_without_cost > 0 && (
        <Alert
          className="tg-form-alert"
          type="info"
          showIcon
          title={say('unknownCost', { count: sums.calls_without_cost.toLocaleString(locale) })}
        />
      )}
      {before && <ComparedWith shown={shown} />}
      <UsageChart table={table} shown={shown} before={before} title={title} textOf={textOf} />
      <Panel title={say('numbers')}>
        <Sheet
          label={title}
          columns={by === undefined ? [head, ...figures] : [head, ...columns, total]}
          rows={isTime(group) ? table.rows.toReversed() : table.rows}
          keyOf={({ id, others }) => `${others} ${id}`}
          footer={footer}
        />
      </Panel>
    </>
  );
}

function ComparedWith({ shown }: { shown: Shown }) {
  const say = useTexts(usageTexts);
  const locale = localeOf(useLanguage());
  const { first, last } = daysBefore(shown);
  const days = [...new Set([first, last])].map((day) => dayText(day, locale)).join(' – ');
  return (
    <p className="tg-quiet tg-compared">{say(isUnfinished(shown) ? 'comparedUntilNow' : 'comparedWith', { days })}</p>
  );
}

const tilesMax = 3;
