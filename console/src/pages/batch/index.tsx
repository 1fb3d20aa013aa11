/** Batch: how far it has come, what it cost, what went wrong, and its files. */
import { useParams } from 'react-router';
import { query } from '../../api/client.ts';
import { toConsoleError } from '../../api/error.ts';
import { isRunning } from '../../parts/batches/batch.ts';
import { CodeBlock } from '../../parts/code-block.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { NotRead, NotThere } from '../../parts/one-page.tsx';
import { Panel } from '../../parts/panel.tsx';
import { useAccountId } from '../../parts/use-account.ts';
import { useTexts } from '../../texts/define-texts.ts';
import { BatchHead } from './batch-head.tsx';
import { Facts } from './facts.tsx';
import { Files } from './files.tsx';
import { Notices } from './notices.tsx';
import { LineErrors, Mistakes } from './problems.tsx';
import { Standing } from './standing.tsx';
import { texts } from './texts.ts';

const liveMs = 2_000;
const calmMs = 15_000;

export function Component() {
  const say = useTexts(texts);
  const account = useAccountId();
  const { batch: id = '' } = useParams();
  const { data, error, refetch } = query.useQuery(
    'get',
    '/console/api/accounts/{account}/batches/{id}',
    { params: { path: { account, id } } },
    { refetchInterval: ({ state }) => (!state.data || isRunning(state.data) ? liveMs : calmMs), retry: retries },
  );
  const again = () => void refetch();
  if (error !== null && toConsoleError(error).status === 404) return <NoSuchBatch />;
  if (!data) return <NotRead title={say('title')} error={error} onRetry={again} />;
  return (
    <>
      <BatchHead batch={data} onChange={again} />
      {error !== null && <ErrorState error={error} onRetry={again} />}
      <Notices batch={data} />
      <Standing batch={data} />
      <Mistakes batch={data} />
      <LineErrors batch={data} />
      <Files batch={data} />
      <Facts batch={data} />
      <Panel title={say('record')}>
        <CodeBlock code={JSON.stringify(data.record, null, 2)} label={say('record')} />
      </Panel>
    </>
  );
}

const retries = (failures: number, error: unknown): boolean => {
  const { status } = toConsoleError(error);
  return failures < 2 && (status === 0 || status >= 500);
};

function NoSuchBatch() {
  const say = useTexts(texts);
  const account = useAccountId();
  return (
    <NotThere
      title={say('noSuchBatchTitle')}
      text={say('noSuchBatch')}
      to={`/${account}/batches`}
      toList={say('toBatches')}
    />
  );
}
