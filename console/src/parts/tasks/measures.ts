/** Durations and sizes in the reader's form. */

/** `0.8 s`, `12.4 s`, `3 min 12 s`, `2 h 5 min`: as exact as anybody wants to read it. */
export function durationText(seconds: number, locale: string): string {
  if (seconds < 60) return unitText(seconds, 'second', locale, seconds < 10 ? 2 : 1);
  const whole = Math.round(seconds);
  const [hours, minutes] = [Math.floor(whole / 3_600), Math.floor((whole % 3_600) / 60)];
  if (hours > 0) return `${unitText(hours, 'hour', locale)} ${unitText(minutes, 'minute', locale)}`;
  return `${unitText(minutes, 'minute', locale)} ${unitText(whole % 60, 'second', locale)}`;
}

const sizes = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;

/** In thousands, as browsers and file managers tell it. */
export function bytesText(bytes: number, locale: string): string {
  const step = Math.min(sizes.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  return unitText(bytes / 1000 ** step, sizes[step] ?? 'byte', locale, 1);
}

function unitText(value: number, unit: string, locale: string, maximumFractionDigits = 0): string {
  return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'short', maximumFractionDigits }).format(
    value,
  );
}
