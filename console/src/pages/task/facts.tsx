/** The facts of a task in a list: who asked, with which model, what it cost. */
import { Link } from 'react-router';
import { CopyButton } from '../../parts/copy-button.tsx';
import { ExactMoney } from '../../parts/money.tsx';
import { Elapsed } from '../../parts/tasks/elapsed.tsx';
import { durationText } from '../../parts/measures.ts';
import { Time } from '../../parts/time.tsx';
import { useAccountId } from '../../parts/use-account.ts';
import { useTexts } from '../../texts/define-texts.ts';
import { localeOf, useLanguage } from '../../texts/language.ts';
import type { TaskPage } from './task-page.ts';
import { texts } from './texts.ts';
import { Fact } from '../../parts/fact.tsx';

export function Facts({ task }: { task: TaskPage }) {
  const say = useTexts(texts);
  const account = useAccountId();
  const locale = localeOf(useLanguage());
  const { model, key, hold, cost, created, took, duration, balance, request_id: requestId, status } = task;
  return (
    <section className="tg-task-card" aria-label={say('facts')}>
      <h2>{say('facts')}</h2>
      <dl className="tg-task-facts">
        <Fact name={say('model')}>{model}</Fact>
        <Fact name={say('key')}>
          <Link to={`/${account}/tasks?key=${key.id}`}>{key.name}</Link>
        </Fact>
        <Fact name={say('created')}>
          <Time at={created} />
        </Fact>
        <Fact name={say('took')}>
          <Elapsed created={created} took={took} />
        </Fact>
        {duration !== null && <Fact name={say('duration')}>{durationText(duration, locale)}</Fact>}
        <Fact name={say('hold')}>
          <ExactMoney amount={hold} />
        </Fact>
        <Fact name={say('cost')}>{status === 'processing' ? '–' : <ExactMoney amount={cost ?? 0} />}</Fact>
        {balance !== null && (
          <Fact name={say('balance')}>
            <ExactMoney amount={balance} />
          </Fact>
        )}
        <Fact name={say('requestId')}>
          <code>{requestId}</code> <CopyButton text={requestId} label={say('copyRequestId')} />
        </Fact>
      </dl>
    </section>
  );
}
