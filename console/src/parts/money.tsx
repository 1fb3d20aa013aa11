/** Amounts of the gateway's currency in the reader's form, with all digits that they have and at least the currency's own. */
import { useSession } from '../api/session.ts';
import { localeOf, useLanguage } from '../texts/language.ts';

const decimalsMax = 6;
const formats = new Map<string, Intl.NumberFormat>();

/** `signed` shows a plus too, for entries that may go either way. */
export function Money({ amount, signed = false }: { amount: number; signed?: boolean }) {
  const moneyText = useMoneyText();
  return <span className="tg-number">{moneyText(amount, signed)}</span>;
}

/** Returns what writes an amount as text, for labels and charts. */
export function useMoneyText(): (amount: number, signed?: boolean) => string {
  const currency = useCurrency();
  const locale = localeOf(useLanguage());
  return (amount, signed = false) => formatOf(locale, currency, signed).format(amount);
}

/** The ISO 4217 code of the gateway's currency. */
export const useCurrency = (): string => useSession().currency;

/** The currency's sign, for fields that take an amount. */
export function CurrencySymbol() {
  const currency = useCurrency();
  const parts = formatOf(localeOf(useLanguage()), currency, false).formatToParts(0);
  return <>{parts.find(({ type }) => type === 'currency')?.value ?? currency}</>;
}

function formatOf(locale: string, currency: string, signed: boolean): Intl.NumberFormat {
  const key = `${locale} ${currency} ${signed}`;
  let format = formats.get(key);
  if (!format) {
    format = new Intl.NumberFormat(locale, {
      style: 'currency',
      currency,
      currencyDisplay: 'narrowSymbol',
      maximumFractionDigits: decimalsMax,
      signDisplay: signed ? 'exceptZero' : 'auto',
    });
    formats.set(key, format);
  }
  return format;
}
