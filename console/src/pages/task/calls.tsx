/** The paid calls of a task, for operators: provider, job and outcome. */
import { Reason } from '../../parts/reason.tsx';
import { ServerText } from '../../parts/server-text.tsx';
import { Time } from '../../parts/time.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { useTexts } from '../../texts/define-texts.ts';
import { Fact } from '../../parts/fact.tsx';
import type { TaskPage } from './task-page.ts';
import { texts } from './texts.ts';

type Intents = NonNullable<TaskPage['operator']>['intents'];

export function Calls({ intents }: { intents: Intents }) {
  const say = useTexts(texts);
  if (intents.length === 0) return <p className="tg-task-quiet">{say('noCalls')}</p>;
  return intents.map((intent) => (
    <dl key={intent.route} className="tg-task-facts">
      <Fact name={say('provider')}>
        {intent.provider} ({say('route', { number: intent.route })})
      </Fact>
      <Fact name={say('outcome')}>{say(`outcome_${intent.outcome}`)}</Fact>
      <Fact name={say('sent')}>
        <Time at={intent.sent} />
      </Fact>
      {intent.closed !== null && (
        <Fact name={say('answered')}>
          <Time at={intent.closed} />
        </Fact>
      )}
      {intent.job_id !== null && <Id name={say('jobId')} id={intent.job_id} />}
      {intent.upstream_request_id !== null && <Id name={say('upstreamRequestId')} id={intent.upstream_request_id} />}
      {intent.reason !== null && (
        <Fact name={say('reason')}>
          <Reason of={intent.reason} />
        </Fact>
      )}
      {intent.error !== null && (
        <Fact name={say('error')}>
          <code>{intent.error.code}</code> <ServerText said={intent.error} />
        </Fact>
      )}
    </dl>
  ));
}

const Id = ({ name, id }: { name: string; id: string }) => (
  <Fact name={name}>
    <code>{id}</code> <CopyButton text={id} label={name} />
  </Fact>
);
