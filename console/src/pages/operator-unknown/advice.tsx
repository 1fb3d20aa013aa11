/** What happened to a paid call, what it means for the caller's money, and what can be done. */
import { useExactMoneyText } from '../../parts/money.tsx';
import { useTexts } from '../../texts/define-texts.ts';
import type { Outcome } from './outcomes.ts';
import { texts } from './texts.ts';

export function Advice({ outcome }: { outcome: Outcome }) {
  const say = useTexts(texts);
  const moneyText = useExactMoneyText();
  const { provider, cost, hold, finished, reference } = outcome;
  const money =
    cost !== null
      ? say('wasCharged', { cost: moneyText(cost) })
      : finished === null
        ? say('isHeld', { hold: moneyText(hold) })
        : say('notCharged');
  // By the best name that the provider knows the call by.
  const ask =
    outcome.job_id !== null
      ? say('askByJob', { provider, id: outcome.job_id })
      : outcome.upstream_request_id !== null
        ? say('askByRequest', { provider, id: outcome.upstream_request_id })
        : say('askByReference', { provider, id: reference });
  return (
    <div className="tg-advice">
      <p>
        {say(`about_${outcome.case}`)} {money}
      </p>
      <h3>{say('whatToDo')}</h3>
      <ol>
        {outcome.case === 'searching' && <li>{say('wait')}</li>}
        <li>{ask}</li>
        <li>{say(outcome.case === 'left' ? 'stopThere' : 'lookAtBill', { provider })}</li>
        {cost === null && finished !== null && <li>{say('bearOrAdjust')}</li>}
        <li>{say('thenResolve')}</li>
      </ol>
    </div>
  );
}
