/** Where a run stands: its upload, its work, its video. */
import { DownloadOutlined } from '@ant-design/icons';
import { Alert, Button, Progress } from 'antd';
import { Link } from 'react-router';
import { EmptyState } from '../../../parts/empty-state.tsx';
import { ServerText } from '../../../parts/server-text.tsx';
import { StatusTag } from '../../../parts/status-tag.tsx';
import { bytesText } from '../../../parts/measures.ts';
import { useAccountId } from '../../../parts/use-account.ts';
import { useTexts } from '../../../texts/define-texts.ts';
import { localeOf, useLanguage } from '../../../texts/language.ts';
import { Receipt } from '../shared/receipt.tsx';
import { Running } from '../shared/task-card.tsx';
import { playgroundTexts } from '../texts.ts';
import { cancel, clear, type RunKey, type Run } from './run.ts';
import { texts } from './texts.ts';
import type { Progress as Sent } from '../../../api/upload.ts';

export function Result({ run, runKey }: { run: Run; runKey: RunKey }) {
  const say = useTexts(texts);
  const sayShared = useTexts(playgroundTexts);
  const account = useAccountId();
  if (run.step === 'none' || run.step === 'refused') return <EmptyState text={say('resultHere')} />;
  if (run.step === 'uploading')
    return (
      <article className="tg-run">
        <Uploading progress={run.progress} />
        <Button onClick={() => void cancel(runKey)}>{say('cancelUpload')}</Button>
      </article>
    );
  const isOver = run.step === 'done' || run.step === 'failed';
  return (
    <article className="tg-run">
      <header>
        <StatusTag status={statusOf(run)} />
        <span className="tg-run-label" />
        <Link to={`/${account}/tasks/${run.id}`}>{sayShared('taskPage')}</Link>
      </header>
      {run.step === 'processing' && <Running since={run.since} onCancel={() => cancel(runKey)} />}
      {run.step === 'fetching' && <p role="status">{say('fetching')}</p>}
      {run.step === 'failed' && <Failed run={run} />}
      {run.step === 'done' && <Video run={run} />}
      <Receipt of={{ task_id: run.id }} isOver={isOver} />
      {isOver && <Button onClick={() => clear(runKey)}>{say('again')}</Button>}
    </article>
  );
}

function statusOf(run: Extract<Run, { id: string }>) {
  if (run.step === 'done') return 'completed';
  if (run.step !== 'failed') return 'processing';
  if (run.error.code === 'task_not_found') return 'removed';
  return run.error.code === 'cancelled' ? 'cancelled' : 'error';
}

function Uploading({ progress }: { progress: Sent | undefined }) {
  const say = useTexts(texts);
  const locale = localeOf(useLanguage());
  const { sentBytes = 0, totalBytes = 0, bytesPerSecond = 0 } = progress ?? {};
  const percent = totalBytes === 0 ? 0 : Math.floor((sentBytes / totalBytes) * 100);
  return (
    <>
      <Progress percent={percent} showInfo={false} aria-label={say('uploading')} />
      <p className="tg-number">
        {say('uploading')}{' '}
        {say('uploaded', {
          percent,
          total: bytesText(totalBytes, locale),
          pace: bytesText(bytesPerSecond, locale),
        })}
      </p>
    </>
  );
}

function Failed({ run: { error } }: { run: Extract<Run, { step: 'failed' }> }) {
  const say = useTexts(texts);
  const sayShared = useTexts(playgroundTexts);
  if (error.code === 'cancelled') return <p>{sayShared('cancelled')}</p>;
  const isGone = error.code === 'task_not_found';
  return (
    <Alert type={isGone ? 'info' : 'error'} showIcon title={isGone ? say('goneTitle') : <ServerText said={error} />} />
  );
}

function Video({ run: { id, address, seconds, tokens } }: { run: Extract<Run, { step: 'done' }> }) {
  const say = useTexts(texts);
  const sayShared = useTexts(playgroundTexts);
  const number = new Intl.NumberFormat(localeOf(useLanguage()), { maximumFractionDigits: 3 });
  return (
    <>
      <figure className="tg-video">
        <video src={address} controls aria-label={say('result')} />
        <figcaption>
          <span className="tg-number">
            {say('lasts', { seconds: number.format(seconds), tokens: number.format(tokens) })}
          </span>
          <Button href={address} download={`${id}.mp4`} icon={<DownloadOutlined />}>
            {sayShared('save')}
          </Button>
        </figcaption>
      </figure>
      <Alert type="info" showIcon title={say('once')} />
    </>
  );
}
