/** The head of the page: which batch it is, how it stands, and what can be done with it. */
import { ArrowLeftOutlined, ExportOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { Link } from 'react-router';
import { canCancel } from '../../parts/batches/batch.ts';
import { BatchStatus } from '../../parts/batches/batch-status.tsx';
import { CancelBatch } from '../../parts/batches/cancel-batch.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { useAccountId, useMayChange } from '../../parts/use-account.ts';
import { useTexts } from '../../texts/define-texts.ts';
import type { BatchPage } from './batch-page.ts';
import { texts } from './texts.ts';

export function BatchHead({ batch, onChange }: { batch: BatchPage; onChange: () => void }) {
  const say = useTexts(texts);
  const account = useAccountId();
  const mayChange = useMayChange();
  const { id, operator } = batch;
  return (
    <>
      <Link to={`/${account}/batches`} className="tg-batch-back">
        <ArrowLeftOutlined aria-hidden /> {say('toBatches')}
      </Link>
      <PageHead
        title={say('title')}
        description={
          <span className="tg-batch-title">
            <BatchStatus batch={batch} />
            <code>{id}</code>
            <CopyButton text={id} label={say('copyId')} />
          </span>
        }
        actions={
          <>
            {operator !== null && operator.workflow_url !== null && (
              <Button href={operator.workflow_url} target="_blank" rel="noreferrer" icon={<ExportOutlined />}>
                {say('openInTemporal')}
              </Button>
            )}
            {mayChange && canCancel(batch) && <CancelBatch account={account} id={id} onChange={onChange} />}
          </>
        }
      />
    </>
  );
}
