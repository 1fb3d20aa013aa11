/** Amounts as text, in the reader's form. */

export interface MoneyForm {
  locale: string;
  /** An ISO 4217 code. */
  currency: string;
  /** Shows a plus too, for amounts that may go either way. */
  signed?: boolean;
}

/**
 * As amounts are compared at a glance: with the currency's own decimals, and with two more below one unit. An amount that
 * these would show as nothing keeps all that it has.
 */
export function moneyText(amount: number, form: MoneyForm): string {
  const size = Math.abs(amount);
  if (size >= 1 || size === 0) return formatOf(form).format(amount);
  const decimals = ownDecimalsOf(form) + moreBelowOne;
  if (size < 0.5 * 10 ** -decimals) return exactMoneyText(amount, form);
  return formatOf(form, { least: decimals, most: decimals }).format(amount);
}

/** With all the decimals that it has, and at least the currency's own. */
export const exactMoneyText = (amount: number, form: MoneyForm): string =>
  formatOf(form, { least: ownDecimalsOf(form), most: Math.max(decimalsMax, ownDecimalsOf(form)) }).format(amount);

/** The currency's sign. */
export const symbolOf = (form: MoneyForm): string =>
  formatOf(form)
    .formatToParts(0)
    .find(({ type }) => type === 'currency')?.value ?? form.currency;

/** Of the ledger. */
const decimalsMax = 6;
const moreBelowOne = 2;
const formats = new Map<string, Intl.NumberFormat>();

const ownDecimalsOf = (form: MoneyForm): number => formatOf(form).resolvedOptions().minimumFractionDigits ?? 2;

function formatOf(
  { locale, currency, signed = false }: MoneyForm,
  decimals?: { least: number; most: number },
): Intl.NumberFormat {
  const key = `${locale} ${currency} ${signed} ${decimals?.least} ${decimals?.most}`;
  let format = formats.get(key);
  if (!format) {
    format = new Intl.NumberFormat(locale, {
      style: 'currency',
      currency,
      currencyDisplay: 'narrowSymbol',
      signDisplay: signed ? 'exceptZero' : 'negative',
      ...(decimals && { minimumFractionDigits: decimals.least, maximumFractionDigits: decimals.most }),
    });
    formats.set(key, format);
  }
  return format;
}
