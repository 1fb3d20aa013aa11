/** The page of usage, of an account or of all: its head, what is shown, and the chart and table of that. */
import { DownloadOutlined } from '@ant-design/icons';
import { Alert, Button } from 'antd';
import type { ComponentProps, ReactNode } from 'react';
import { useTexts } from '../../texts/define-texts.ts';
import { EmptyState } from '../empty-state.tsx';
import { ErrorState } from '../error-state.tsx';
import { Loading } from '../loading.tsx';
import { PageHead } from '../page-head.tsx';
import { Choices } from './choices.tsx';
import { numbersBefore } from './comparison.ts';
import { isSum, numberOf } from './figures.ts';
import { type Shown, usageQueryOf } from './usage-query.ts';
import { usageTexts } from './texts.ts';
import { UsageView } from './usage-view.tsx';
import { ViewsButton } from './views-button.tsx';

interface UsagePageProps {
  title: string;
  description: string;
  offer: ComponentProps<typeof Choices>['offer'];
  shown: ComponentProps<typeof UsageView>['shown'];
  onChange: (wanted: Partial<Shown>) => void;
  /** The answer for what is shown; of an earlier choice while `isPlaceholderData`. */
  table: {
    data: ComponentProps<typeof UsageView>['table'] | undefined;
    isPlaceholderData: boolean;
    error: unknown;
    refetch: () => unknown;
  };
  /** The same of the period before, where it is compared. */
  tableBefore: { data: ComponentProps<typeof UsageView>['table'] | undefined; error: unknown };
  /** The address of the table as CSV, without its query. */
  file: string;
  /** Where the requests behind a row are. */
  requests: string;
  /** What to do where there is no usage. */
  action?: ReactNode;
}

export function UsagePage(props: UsagePageProps) {
  const { title, description, offer, shown, onChange, table, tableBefore, file, requests, action } = props;
  const { data, isPlaceholderData, error, refetch } = table;
  const say = useTexts(usageTexts);
  const before =
    shown.isCompared && tableBefore.data ? numbersBefore(tableBefore.data, shown, { numberOf, isSum }) : undefined;
  const isShown = shown.isRange && data !== undefined && !isPlaceholderData;
  return (
    <>
      <PageHead
        title={title}
        description={description}
        actions={
          <>
            <ViewsButton />
            <Button
              icon={<DownloadOutlined />}
              href={`${file}?${new URLSearchParams(usageQueryOf(shown)).toString()}`}
              download
              disabled={!shown.isRange}
            >
              {say('csv')}
            </Button>
          </>
        }
      />
      <Choices offer={offer} shown={shown} onChange={onChange} />
      {!shown.isRange && <Alert type="warning" showIcon role="alert" title={say('toBeforeFrom')} />}
      {shown.isRange && !isShown && error === null && <Loading rows={8} />}
      {shown.isRange && error !== null && <ErrorState error={error} onRetry={() => void refetch()} />}
      {isShown && data.rows.length === 0 && <EmptyState text={say('nothing')} action={action} />}
      {shown.isCompared && tableBefore.error !== null && <ErrorState error={tableBefore.error} />}
      {isShown && data.rows.length > 0 && <UsageView {...{ table: data, shown, before, requests }} />}
    </>
  );
}
