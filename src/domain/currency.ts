/** The one currency of a gateway: all its prices, balances and entries are amounts of it. */

/** Of a gateway whose settings name none. */
export const currencyDefault = 'CNY';

/** Returns whether the text is a code of ISO 4217, in upper case. */
export const isCurrency = (code: string): boolean => Intl.supportedValuesOf('currency').includes(code);
