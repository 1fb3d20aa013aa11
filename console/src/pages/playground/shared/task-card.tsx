/** A task that was begun here: how it stands, what it made, what it cost; it can be cancelled and put away. */
import { CloseOutlined } from '@ant-design/icons';
import { Alert, Button } from 'antd';
import { type ReactNode, useEffect, useState } from 'react';
import { Link } from 'react-router';
import { toConsoleError } from '../../../api/error.ts';
import type { components } from '../../../api/schema.ts';
import { useErrorText } from '../../../parts/error-text.ts';
import { Loading } from '../../../parts/loading.tsx';
import { ServerText } from '../../../parts/server-text.tsx';
import { StatusTag } from '../../../parts/status-tag.tsx';
import { useAccountId } from '../../../parts/use-account.ts';
import { useTexts } from '../../../texts/define-texts.ts';
import { playgroundTexts } from '../texts.ts';
import { Receipt } from './receipt.tsx';
import type { Run } from './runs.ts';

export type TaskRecord = components['schemas']['ImageTask'] | components['schemas']['VideoTask'];

interface Props {
  run: Run;
  /** The last that was read of it. */
  record: TaskRecord | undefined;
  error: unknown;
  onCancel: () => Promise<unknown>;
  onRemove: () => void;
  /** What a task that succeeded made. */
  children: ReactNode;
}

export function TaskCard({ run, record, error, onCancel, onRemove, children }: Props) {
  const say = useTexts(playgroundTexts);
  const account = useAccountId();
  const status = record?.status;
  return (
    <article className="tg-run" aria-label={run.label}>
      <header>
        {record && <StatusTag status={isCancelled(record) ? 'cancelled' : record.status} />}
        <span className="tg-run-label">{run.label}</span>
        <Link to={`/${account}/tasks/${run.id}`}>{say('taskPage')}</Link>
        <Button
          type="text"
          size="small"
          icon={<CloseOutlined />}
          aria-label={say('remove')}
          title={say('remove')}
          disabled={false}
          onClick={onRemove}
        />
      </header>
      {!record && (error ? <Gone error={error} /> : <Loading rows={2} />)}
      {record?.status === 'processing' && <Running since={record.created} onCancel={onCancel} />}
      {record?.status === 'failed' &&
        (isCancelled(record) ? (
          <p>{say('cancelled')}</p>
        ) : (
          <Alert type="error" showIcon title={<ServerText said={record.error} />} />
        ))}
      {status === 'succeeded' && children}
      <Receipt of={{ task_id: run.id }} isOver={status !== undefined && status !== 'processing'} />
    </article>
  );
}

const isCancelled = (record: TaskRecord): boolean => record.status === 'failed' && record.error.code === 'cancelled';

function Gone({ error }: { error: unknown }) {
  const say = useTexts(playgroundTexts);
  const textOf = useErrorText();
  return <p>{toConsoleError(error).code === 'task_not_found' ? say('gone') : textOf(error)}</p>;
}

const tickMs = 1_000;

/** `since` in Unix seconds. */
export function Running({ since, onCancel }: { since: number; onCancel?: () => Promise<unknown> }) {
  const say = useTexts(playgroundTexts);
  const textOf = useErrorText();
  const [now, setNow] = useState(() => Date.now());
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), tickMs);
    return () => clearInterval(timer);
  }, []);
  const cancel = async () => {
    setBusy(true);
    try {
      await onCancel?.();
    } catch (thrown) {
      // It ended in this moment: the next look shows how.
      if (toConsoleError(thrown).code !== 'task_not_cancellable') setError(thrown);
    } finally {
      setBusy(false);
    }
  };
  const elapsed = say('runningFor', { seconds: Math.max(0, Math.floor(now / 1000 - since)) });
  return (
    <div className="tg-running">
      <div className="tg-running-bar" role="progressbar" aria-label={elapsed} />
      <span className="tg-number">{elapsed}</span>
      {onCancel && (
        <Button size="small" loading={isBusy} onClick={() => void cancel()}>
          {say('cancelTask')}
        </Button>
      )}
      {error !== undefined && <p role="alert">{textOf(error)}</p>}
    </div>
  );
}
