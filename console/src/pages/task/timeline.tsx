/** What happened to the task, step by step, with the time between. */
import {
  CheckCircleOutlined,
  CloseCircleOutlined,
  DeleteOutlined,
  DownloadOutlined,
  HourglassOutlined,
  FileDoneOutlined,
  NotificationOutlined,
  PlayCircleOutlined,
  QuestionCircleOutlined,
  SendOutlined,
  StopOutlined,
  SyncOutlined,
} from '@ant-design/icons';
import type { ReactNode } from 'react';
import { useAttemptText } from '../../parts/attempt-text.ts';
import { Reason } from '../../parts/reason.tsx';
import { durationText } from '../../parts/measures.ts';
import { Time } from '../../parts/time.tsx';
import { useTexts } from '../../texts/define-texts.ts';
import { localeOf, useLanguage } from '../../texts/language.ts';
import type { TimelineStep, TaskPage } from './task-page.ts';
import { texts } from './texts.ts';

// LoginOutlined brings a style of its own, which the Content-Security-Policy forbids.
const icons: Record<TimelineStep['step'], ReactNode> = {
  admitted: <FileDoneOutlined />,
  dequeued: <HourglassOutlined />,
  submitted: <SendOutlined />,
  running: <PlayCircleOutlined />,
  answered: <PlayCircleOutlined />,
  refused: <CloseCircleOutlined />,
  unknown: <QuestionCircleOutlined />,
  succeeded: <CheckCircleOutlined />,
  failed: <CloseCircleOutlined />,
  cancelled: <StopOutlined />,
  webhook: <NotificationOutlined />,
  fetched: <DownloadOutlined />,
  removed: <DeleteOutlined />,
};

export function Timeline({ task }: { task: TaskPage }) {
  const say = useTexts(texts);
  const { course, status, queued } = task;
  return (
    <section className="tg-task-card" aria-label={say('timeline')}>
      <h2>{say('timeline')}</h2>
      <ol className="tg-task-timeline">
        {course.map((step, index) => (
          <Step key={`${step.step} ${step.at} ${step.number ?? ''}`} step={step} before={course[index - 1]} />
        ))}
        {status === 'processing' && (
          <li className="tg-now">
            <span aria-hidden>
              <SyncOutlined spin />
            </span>
            <div>{queued ? say('inQueue', { position: queued.position }) : say('goesOn')}</div>
          </li>
        )}
      </ol>
    </section>
  );
}

function Step({
  step: { step, at, number, provider, reason, status, fault },
  before,
}: {
  step: TimelineStep;
  before: TimelineStep | undefined;
}) {
  const say = useTexts(texts);
  const locale = localeOf(useLanguage());
  const attemptText = useAttemptText();
  const isTried = status !== null || fault !== null;
  const attempt = step === 'webhook' && isTried ? attemptText({ status, fault }) : null;
  const why = step !== 'webhook' && reason !== null ? <Reason of={reason} /> : null;
  return (
    <li className={`tg-step-${step}`}>
      <span aria-hidden>{icons[step]}</span>
      <div>
        <strong>{step === 'webhook' ? say('step_webhook', { number: number ?? 1 }) : say(`step_${step}`)}</strong>
        {provider !== null && step === 'submitted' && <> {say('toProvider', { provider, number: number ?? 1 })}</>}
        {(attempt ?? why) !== null && <div className="tg-task-quiet">{attempt ?? why}</div>}
        <div className="tg-task-quiet">
          <Time at={at} />
          {before !== undefined && (
            <span className="tg-number">
              {' '}
              · +{durationText((Date.parse(at) - Date.parse(before.at)) / 1000, locale)}
            </span>
          )}
        </div>
      </div>
    </li>
  );
}
