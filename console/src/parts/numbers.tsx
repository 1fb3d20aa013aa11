/** Counts and amounts that are no balance: calls, tokens, seconds, and what an entry adds or takes. */
import { localeOf, useLanguage } from '../texts/language.ts';
import { ExactMoney, Money } from './money.tsx';
import './figures.css';

/** Up to three decimals: seconds are exact to the millisecond. */
export function Count({ of }: { of: number }) {
  const locale = localeOf(useLanguage());
  return <span className="tg-number">{new Intl.NumberFormat(locale, { maximumFractionDigits: 3 }).format(of)}</span>;
}

/** With its sign, and a colour that says the same. */
export function SignedMoney({ amount, isExact = false }: { amount: number; isExact?: boolean }) {
  const Amount = isExact ? ExactMoney : Money;
  return (
    <span className={amount > 0 ? 'tg-plus' : amount < 0 ? 'tg-minus' : 'tg-even'}>
      <Amount amount={amount} signed />
    </span>
  );
}
