/** Whether everything that is stored agrees: the last audit, a run on demand, and the history. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { PlayCircleOutlined, SyncOutlined } from '@ant-design/icons';
import { Alert, Button } from 'antd';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useErrorText } from '../../parts/error-text.ts';
import { Listed } from '../../parts/operator/listed.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Time } from '../../parts/time.tsx';
import { useListing } from '../../parts/use-listing.ts';
import { useTexts } from '../../texts/define-texts.ts';
import { AuditResult } from './audit-result.tsx';
import { AuditRows } from './audit-rows.tsx';
import { texts } from './texts.ts';
import './audit.css';

const auditsKey = 'operator-audits';
const runKey = 'operator-audit-run';
const refresh_ms = 2_000;
const pageRows = 20;

export function Component() {
  const say = useTexts(texts);
  const textOf = useErrorText();
  const queries = useQueryClient();
  const listing = useListing({
    key: [auditsKey],
    refreshMs: refresh_ms,
    read: async (cursor, signal) => {
      const query = { limit: pageRows, ...(cursor !== undefined && { cursor }) };
      const { data } = await api.GET('/console/api/operator/audits', { params: { query }, signal });
      return data ?? { data: [], has_more: false };
    },
  });
  const run = useQuery({
    queryKey: [runKey],
    queryFn: async ({ signal }) => (await api.GET('/console/api/operator/audit-run', { signal })).data ?? null,
    refetchInterval: refresh_ms,
  });
  const start = useMutation({
    mutationFn: () => api.POST('/console/api/operator/audit-run'),
    onSuccess: () => queries.invalidateQueries({ queryKey: [runKey] }),
  });
  const [chosen, setChosen] = useState<string>();
  const newest = listing.isFirstPage ? listing.items[0] : undefined;
  const shown = chosen ?? newest?.id;
  const isRunning = run.data?.state === 'running';
  const button = (
    <Button
      type="primary"
      icon={isRunning ? <SyncOutlined spin /> : <PlayCircleOutlined />}
      loading={start.isPending}
      disabled={isRunning}
      onClick={() => {
        setChosen(undefined);
        start.mutate();
      }}
    >
      {isRunning ? say('running') : say('run')}
    </Button>
  );
  return (
    <div className="tg-audit">
      <PageHead title={say('title')} description={say('description')} actions={button} />
      <p className="tg-audit-state" role="status">
        {run.data && say(`state_${run.data.state}`)}{' '}
        {typeof run.data?.next === 'number' && (
          <>
            {say('next')} <Time at={run.data.next} />
          </>
        )}
      </p>
      {start.isError && (
        <Alert className="tg-form-alert" type="error" showIcon role="alert" title={textOf(start.error)} />
      )}
      {shown !== undefined && <AuditResult id={shown} isNewest={shown === newest?.id} />}
      <section aria-labelledby="tg-audits">
        <h2 id="tg-audits">{say('history')}</h2>
        <Listed listing={listing} empty={say('none')}>
          {(items) => <AuditRows audits={items} shown={shown} onShow={setChosen} />}
        </Listed>
      </section>
    </div>
  );
}
