/** What a run would hold, and what there is. */
import { useErrorText } from '../../../parts/error-text.ts';
import { ExactMoney, useExactMoneyText } from '../../../parts/money.tsx';
import { localeOf, useLanguage } from '../../../texts/language.ts';
import { useTexts } from '../../../texts/define-texts.ts';
import { playgroundTexts } from '../texts.ts';
import { useBalance } from './facts.ts';
import type { Quote, useQuote } from './quote.ts';

type Asked = ReturnType<typeof useQuote>;

/** `other`: of the second one, where two are run at once. */
export function CostBefore({ quote, other }: { quote: Asked; other?: Asked }) {
  const say = useTexts(playgroundTexts);
  const { data: account } = useBalance();
  const isOld = quote.isOld || other?.isOld === true;
  return (
    <dl className="tg-cost" aria-busy={isOld} aria-label={say('costBefore')}>
      <Hold quote={quote} isNamed={other !== undefined} />
      {other && <Hold quote={other} isNamed />}
      <div>
        <dt>{say('balance')}</dt>
        <dd>{account ? <ExactMoney amount={account.balance} /> : '–'}</dd>
      </div>
    </dl>
  );
}

function Hold({ quote: { data, error }, isNamed }: { quote: Asked; isNamed: boolean }) {
  const say = useTexts(playgroundTexts);
  const textOf = useErrorText();
  return (
    <div>
      <dt>
        {say('holds')}
        {isNamed && data ? ` (${data.model})` : ''}
      </dt>
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
