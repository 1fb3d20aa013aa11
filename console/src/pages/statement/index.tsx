/** The statement of a month, to look at, print or save. The address has the month. */
import { DownloadOutlined, PrinterOutlined } from '@ant-design/icons';
import { keepPreviousData } from '@tanstack/react-query';
import { Button, Select } from 'antd';
import { useSearchParams } from 'react-router';
import { query } from '../../api/client.ts';
import { toConsoleError } from '../../api/error.ts';
import type { paths } from '../../api/schema.ts';
import { monthAfter, monthText, today } from '../../parts/days.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { Loading } from '../../parts/loading.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { useAccountId } from '../../parts/use-account.ts';
import { useZone, useZoneText } from '../../parts/zone.ts';
import { useTexts } from '../../texts/define-texts.ts';
import { localeOf, useLanguage } from '../../texts/language.ts';
import { StatementPaper } from './paper.tsx';
import { texts } from './texts.ts';
import '../../parts/filters/filters.css';

export type Statement =
  paths['/console/api/accounts/{account}/statement']['get']['responses'][200]['content']['application/json'];

const refreshMs = 10_000;

export function Component() {
  const say = useTexts(texts);
  const account = useAccountId();
  const [search, setSearch] = useSearchParams();
  const thisMonth = today(useZone()).slice(0, 7);
  const zoneText = useZoneText();
  const month = search.get('month') ?? thisMonth;
  const choose = (chosen: string) => setSearch({ month: chosen }, { replace: true });
  const statement = query.useQuery(
    'get',
    '/console/api/accounts/{account}/statement',
    { params: { path: { account }, query: { month } } },
    { placeholderData: keepPreviousData, refetchInterval: month === thisMonth ? refreshMs : false },
  );
  const file = `/console/api/accounts/${account}/statement.csv?${new URLSearchParams({ month }).toString()}`;
  const isWrongMonth = statement.isError && toConsoleError(statement.error).param === 'month';
  return (
    <>
      <PageHead
        title={say('title')}
        description={`${say('description')} ${zoneText}`}
        actions={
          <>
            <Button icon={<DownloadOutlined />} href={file} download disabled={isWrongMonth}>
              {say('csv')}
            </Button>
            <Button icon={<PrinterOutlined />} disabled={!statement.data} onClick={() => window.print()}>
              {say('print')}
            </Button>
          </>
        }
      />
      <MonthChoice month={month} first={statement.data?.first_month ?? month} last={thisMonth} onChoose={choose} />
      {isWrongMonth ? (
        <EmptyState
          text={say('wrongMonth')}
          action={<Button onClick={() => choose(thisMonth)}>{say('thisMonth')}</Button>}
        />
      ) : statement.data ? (
        <StatementPaper statement={statement.data} />
      ) : statement.isPending ? (
        <Loading rows={8} />
      ) : (
        <ErrorState error={statement.error} onRetry={() => void statement.refetch()} />
      )}
    </>
  );
}

interface MonthChoiceProps {
  month: string;
  first: string;
  last: string;
  onChoose: (month: string) => void;
}

function MonthChoice({ month, first, last, onChoose }: MonthChoiceProps) {
  const say = useTexts(texts);
  const locale = localeOf(useLanguage());
  const months: string[] = [];
  for (let each = last; each >= first && /^2\d{3}-\d{2}$/.test(each); each = monthAfter(each, -1)) months.push(each);
  return (
    <div className="tg-filters">
      <label>
        {say('month')}
        <Select
          aria-label={say('month')}
          style={{ width: 200 }}
          value={months.includes(month) ? month : null}
          options={months.map((each) => ({ value: each, label: monthText(each, locale) }))}
          onChange={(chosen: string | null) => chosen !== null && onChoose(chosen)}
        />
      </label>
    </div>
  );
}
