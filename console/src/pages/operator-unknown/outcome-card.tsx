/** One paid call: the facts, advice, and its resolution with a note. */
import { CheckOutlined, QuestionCircleOutlined } from '@ant-design/icons';
import { Tag } from 'antd';
import { Link } from 'react-router';
import { CopyButton } from '../../parts/copy-button.tsx';
import { ActorName } from '../../parts/operator/actor.tsx';
import { Reason } from '../../parts/reason.tsx';
import { Time } from '../../parts/time.tsx';
import { useTexts } from '../../texts/define-texts.ts';
import { Advice } from './advice.tsx';
import type { Outcome } from './outcomes.ts';
import { ReopenButton, ReviewButton } from './review.tsx';
import { texts } from './texts.ts';

export function OutcomeCard({ outcome }: { outcome: Outcome }) {
  const say = useTexts(texts);
  const { task_id: task, account_id: account, account_name: name, review } = outcome;
  const id = `outcome-${task}-${outcome.route}`;
  return (
    <li className="tg-outcome" aria-labelledby={id}>
      <header>
        <h2 id={id}>
          <Link to={`/${account}/tasks/${task}`}>{say('callOf', { model: outcome.model })}</Link>
        </h2>
        {review ? (
          <Tag color="success" icon={<CheckOutlined />}>
            {say('reviewed')}
          </Tag>
        ) : (
          <Tag color="warning" icon={<QuestionCircleOutlined />}>
            {say(`case_${outcome.case}`)}
          </Tag>
        )}
      </header>
      <dl>
        <Fact name={say('account')}>
          <Link to={`/operator/accounts?account=${account}`}>{name ?? account}</Link>
        </Fact>
        <Fact name={say('provider')}>{outcome.provider}</Fact>
        <Fact name={say('sent')}>
          <Time at={outcome.sent} />
        </Fact>
        <Fact name={say('task')} id={task} />
        {outcome.job_id !== null && <Fact name={say('job')} id={outcome.job_id} />}
        {outcome.upstream_request_id !== null && <Fact name={say('request')} id={outcome.upstream_request_id} />}
        <Fact name={say('reference')} id={outcome.reference} />
        {outcome.reason !== null && (
          <Fact name={say('why')}>
            <Reason of={outcome.reason} />
          </Fact>
        )}
      </dl>
      <Advice outcome={outcome} />
      {review ? (
        <footer>
          <blockquote>{review.note}</blockquote>
          <p>
            <ActorName of={review.by} />, <Time at={review.created} relative />
          </p>
          <ReopenButton outcome={outcome} />
        </footer>
      ) : (
        <footer>
          <ReviewButton outcome={outcome} />
        </footer>
      )}
    </li>
  );
}

/** An id can be copied, for asking the provider. */
function Fact({ name, id, children }: { name: string; id?: string; children?: React.ReactNode }) {
  const say = useTexts(texts);
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {id === undefined ? (
          children
        ) : (
          <>
            <code>{id}</code> <CopyButton text={id} label={say('copyOf', { name })} />
          </>
        )}
      </dd>
    </div>
  );
}
