/** The ledger entries of a task: what was held, charged and released. */
import { Link } from 'react-router';
import { ExactMoney } from '../../parts/money.tsx';
import { Time } from '../../parts/time.tsx';
import { useAccountId } from '../../parts/use-account.ts';
import { useTexts } from '../../texts/define-texts.ts';
import type { TaskPage } from './task-page.ts';
import { texts } from './texts.ts';

export function Entries({ task: { id, entries } }: { task: TaskPage }) {
  const say = useTexts(texts);
  const account = useAccountId();
  return (
    <>
      <div className="tg-task-scroll" tabIndex={0} role="region" aria-label={say('ledger')}>
        <table>
          <thead>
            <tr>
              <th scope="col">{say('entry')}</th>
              <th scope="col">{say('time')}</th>
              <th scope="col">{say('amount')}</th>
              <th scope="col">{say('charged')}</th>
              <th scope="col">{say('balance')}</th>
            </tr>
          </thead>
          <tbody>
            {entries.map((entry) => (
              <tr key={entry.id}>
                <th scope="row">{say(entry.type === 'hold' ? 'hold_entry' : entry.type)}</th>
                <td>
                  <Time at={entry.created} />
                </td>
                <td>
                  <ExactMoney amount={entry.amount} signed />
                </td>
                <td>
                  <ExactMoney amount={entry.charged} />
                </td>
                <td>
                  <ExactMoney amount={entry.balance} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p>
        <Link to={`/${account}/ledger?id=${id}`}>{say('toLedger')}</Link>
      </p>
    </>
  );
}
