/** The webhook event of the task, and the outcome of each attempt. */
import { Tag } from 'antd';
import { api, queryClient } from '../../api/client.ts';
import { BusyButton } from '../../parts/busy-button.tsx';
import { useAttemptText } from '../../parts/attempt-text.ts';
import { durationText } from '../../parts/measures.ts';
import { Time } from '../../parts/time.tsx';
import { ReceiverAnswers } from '../../parts/webhooks/receiver-answers.tsx';
import { useAccountId, useMayChange } from '../../parts/use-account.ts';
import { useTexts } from '../../texts/define-texts.ts';
import { localeOf, useLanguage } from '../../texts/language.ts';
import type { TaskPage } from './task-page.ts';
import { texts } from './texts.ts';

export function Webhook({ task: { id, webhook, status } }: { task: TaskPage }) {
  const say = useTexts(texts);
  const locale = localeOf(useLanguage());
  const mayChange = useMayChange();
  const attemptText = useAttemptText();
  if (webhook === null) {
    return <p className="tg-task-quiet">{say(status === 'processing' ? 'noWebhookYet' : 'noWebhook')}</p>;
  }
  const { type, host, delivered, attempts } = webhook;
  return (
    <>
      <p className="tg-task-title">
        <code>{type}</code> → <code>{host}</code>
        <Tag color={delivered === null ? 'processing' : delivered ? 'success' : 'error'}>
          {say(delivered === null ? 'onItsWay' : delivered ? 'delivered' : 'givenUp')}
        </Tag>
      </p>
      <div className="tg-task-scroll" tabIndex={0} role="region" aria-label={say('attempts')}>
        <table>
          <thead>
            <tr>
              <th scope="col">{say('attempt')}</th>
              <th scope="col">{say('time')}</th>
              <th scope="col">{say('answer')}</th>
              <th scope="col">{say('took')}</th>
            </tr>
          </thead>
          <tbody>
            {attempts.map((attempt) => (
              <tr key={attempt.attempt}>
                <th scope="row">{attempt.attempt}</th>
                <td>
                  <Time at={attempt.at} />
                </td>
                <td>{attemptText(attempt)}</td>
                <td>{durationText(attempt.duration, locale)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <ReceiverAnswers attempts={attempts} />
      {mayChange && delivered !== null && <Replay id={id} />}
    </>
  );
}

function Replay({ id }: { id: string }) {
  const say = useTexts(texts);
  const account = useAccountId();
  const replay = async () => {
    const params = { path: { account, id } };
    await api.POST('/console/api/accounts/{account}/tasks/{id}/webhook/replay', { params });
    await queryClient.invalidateQueries({ queryKey: ['get', '/console/api/accounts/{account}/tasks/{id}'] });
  };
  return <BusyButton act={replay}>{say('replay')}</BusyButton>;
}
