/** Durations and sizes. Their units are symbols, the same in every language. */

/** `9 ms`, `0.81 s`, `12.4 s`, `3 min 12 s`, `2 h 5 min`: no more digits than a reader needs. */
export function durationText(seconds: number, locale: string): string {
  if (seconds > 0 && seconds < 0.1) return `${numberText(seconds * 1_000, locale)} ms`;
  if (seconds < 60) return `${numberText(seconds, locale, seconds < 10 ? 2 : 1)} s`;
  const whole = Math.round(seconds);
  const [hours, minutes] = [Math.floor(whole / 3_600), Math.floor((whole % 3_600) / 60)];
  if (hours > 0) return `${hours} h ${minutes} min`;
  return `${minutes} min ${whole % 60} s`;
}

const sizes = ['B', 'kB', 'MB', 'GB'] as const;

/** In thousands, as browsers and file managers show sizes. */
export function bytesText(bytes: number, locale: string): string {
  const step = Math.min(sizes.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  return `${numberText(bytes / 1000 ** step, locale, 1)} ${sizes[step] ?? 'B'}`;
}

function numberText(value: number, locale: string, maximumFractionDigits = 0): string {
  return new Intl.NumberFormat(locale, { maximumFractionDigits }).format(value);
}
