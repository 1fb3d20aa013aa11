/** An amount of yuan in the reader's form, with all digits that it has and at least two. */
import { localeOf, useLanguage } from '../texts/language.ts';

const formats = new Map<string, Intl.NumberFormat>();

/** `signed` shows a plus too, for entries that may go either way. */
export function Money({ yuan, signed = false }: { yuan: number; signed?: boolean }) {
  const language = useLanguage();
  return <span className="tg-number">{moneyText(yuan, localeOf(language), signed)}</span>;
}

/** The same as text, for labels and charts. */
export function moneyText(yuan: number, locale: string, signed = false): string {
  const key = `${locale} ${signed}`;
  let format = formats.get(key);
  if (!format) {
    format = new Intl.NumberFormat(locale, {
      style: 'currency',
      currency: 'CNY',
      currencyDisplay: 'narrowSymbol',
      minimumFractionDigits: 2,
      maximumFractionDigits: 6,
      signDisplay: signed ? 'exceptZero' : 'auto',
    });
    formats.set(key, format);
  }
  return format.format(yuan);
}
