/** Bytes in the reader's form. */

const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;

/** In thousands, as browsers and file managers tell it. */
export function bytesText(bytes: number, locale: string): string {
  const step = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  return new Intl.NumberFormat(locale, {
    style: 'unit',
    unit: units[step] ?? 'byte',
    unitDisplay: 'short',
    maximumFractionDigits: 1,
  }).format(bytes / 1000 ** step);
}
