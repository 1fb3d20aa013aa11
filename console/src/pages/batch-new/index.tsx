/** New batch: a file is uploaded, and becomes a batch. Its page then shows what is wrong with its lines, or how it runs. */
import { ArrowLeftOutlined } from '@ant-design/icons';
import { useEffect, useRef, useState } from 'react';
import { Link, useNavigate } from 'react-router';
import type { Progress } from '../../api/upload.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { useAccountId, useOwns } from '../../parts/use-account.ts';
import { useTexts } from '../../texts/define-texts.ts';
import { BatchForm } from './batch-form.tsx';
import { makeBatch, type Order, type Run, type Sent } from './make-batch.ts';
import '../../parts/batches/batches.css';
import { texts } from './texts.ts';

export function Component() {
  const say = useTexts(texts);
  const account = useAccountId();
  const isOwner = useOwns();
  const navigate = useNavigate();
  const [run, setRun] = useState<Run>();
  const [error, setError] = useState<unknown>();
  const abort = useRef<AbortController>(undefined);
  const sent = useRef<Sent>({});
  useEffect(() => () => abort.current?.abort(), []);

  const start = async (order: Order) => {
    const controller = new AbortController();
    abort.current = controller;
    setError(undefined);
    setRun({ progress: undefined });
    try {
      const report = (progress: Progress | undefined) => setRun({ progress });
      const id = await makeBatch(account, order, sent.current, { signal: controller.signal, report });
      await navigate(`/${account}/batches/${id}`);
    } catch (thrown) {
      if (!controller.signal.aborted) setError(thrown);
    }
    setRun(undefined);
  };
  return (
    <>
      <Link to={`/${account}/batches`} className="tg-batch-back">
        <ArrowLeftOutlined aria-hidden /> {say('toBatches')}
      </Link>
      <PageHead title={say('title')} description={say('description')} />
      {isOwner ? (
        <BatchForm
          error={error}
          run={run}
          onSubmit={(order) => void start(order)}
          onStop={() => abort.current?.abort()}
        />
      ) : (
        <EmptyState text={say('ownersOnly')} />
      )}
    </>
  );
}
