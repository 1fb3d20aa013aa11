/** Amounts of the gateway's currency: to be read at a glance with the exact value at hand, or exact at once. */
import { useSession } from '../api/session.ts';
import { localeOf, useLanguage } from '../texts/language.ts';
import { exactMoneyText, moneyText, symbolOf } from './money-text.ts';

interface MoneyProps {
  amount: number;
  /** Shows a plus too, for entries that may go either way. */
  signed?: boolean;
}

/** Rounded; what it leaves out shows when it is pointed at. */
export function Money({ amount, signed = false }: MoneyProps) {
  const [text, exact] = [useMoneyText()(amount, signed), useExactMoneyText()(amount, signed)];
  return (
    <span className="tg-number" title={text === exact ? undefined : exact}>
      {text}
    </span>
  );
}

/** To the last digit: for prices, and where amounts have to add up. */
export function ExactMoney({ amount, signed = false }: MoneyProps) {
  return <span className="tg-number">{useExactMoneyText()(amount, signed)}</span>;
}

/** Returns what writes an amount as `Money` does, for labels and charts. */
export function useMoneyText(): (amount: number, signed?: boolean) => string {
  const form = useForm();
  return (amount, signed = false) => moneyText(amount, { ...form, signed });
}

/** Returns what writes an amount to the last digit, for sentences. */
export function useExactMoneyText(): (amount: number, signed?: boolean) => string {
  const form = useForm();
  return (amount, signed = false) => exactMoneyText(amount, { ...form, signed });
}

/** The ISO 4217 code of the gateway's currency. */
export const useCurrency = (): string => useSession().currency;

/** The currency's sign, for fields that take an amount. */
export function CurrencySymbol() {
  return <>{symbolOf(useForm())}</>;
}

const useForm = () => ({ currency: useCurrency(), locale: localeOf(useLanguage()) });
