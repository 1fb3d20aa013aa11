/** What a run would hold, and what there is. */
import { useErrorText } from '../../../parts/error-text.ts';
import { ExactMoney, useExactMoneyText } from '../../../parts/money.tsx';
import { localeOf, useLanguage } from '../../../texts/language.ts';
import { useTexts } from '../../../texts/define-texts.ts';
import { playgroundTexts } from '../texts.ts';
import { useBalance } from './facts.ts';
import type { Quote, useQuote } from './quote.ts';

export function CostBefore({ quote }: { quote: ReturnType<typeof useQuote> }) {
  const say = useTexts(playgroundTexts);
  const { data: account } = useBalance();
  const textOf = useErrorText();
  const { data, error, isOld } = quote;
  return (
    <dl className="tg-cost" aria-busy={isOld} aria-label={say('costBefore')}>
      <div>
        <dt>{say('holds')}</dt>
        <dd>
          {error === null && data ? (
            <>
              <strong>
                <ExactMoney amount={data.hold} />
              </strong>{' '}
              <Reckoning quote={data} />
            </>
          ) : (
            <span>{error === null ? '–' : textOf(error)}</span>
          )}
        </dd>
      </div>
      <div>
        <dt>{say('balance')}</dt>
        <dd>{account ? <ExactMoney amount={account.balance} /> : '–'}</dd>
      </div>
    </dl>
  );
}

function Reckoning({ quote: { unit, units, unit_price: ofTask, lines } }: { quote: Quote }) {
  const say = useTexts(playgroundTexts);
  const locale = localeOf(useLanguage());
  const moneyText = useExactMoneyText();
  // A call's price is in its lines.
  const price = ofTask ?? lines?.find((line) => line.unit === unit)?.unit_price ?? null;
  const count = new Intl.NumberFormat(locale).format(units);
  if (unit === 'token' || price === null) return <small>{say('upToTokens', { count })}</small>;
  const each = moneyText(price);
  if (unit === 'character') return <small>{say('perCharacter', { count, price: each })}</small>;
  return (
    <small>
      {unit === 'image' ? say('perImage', { count, price: each }) : say('perSecond', { count, price: each })}
    </small>
  );
}
