/** Durations and sizes. Units of seconds and bytes are symbols, the same in every language; minutes and hours are words in Chinese. */

/** `9 ms`, `0.81 s`, `12.4 s`, `3 min 12 s`, `2 h 5 min` (`3 分 12 秒`, `2 小时 5 分`): no more digits than a reader needs. */
export function durationText(seconds: number, locale: string): string {
  if (seconds > 0 && seconds < 0.1) return `${numberText(seconds * 1_000, locale)} ms`;
  if (seconds < 60) return `${numberText(seconds, locale, seconds < 10 ? 2 : 1)} s`;
  const whole = Math.round(seconds);
  const [hours, minutes] = [Math.floor(whole / 3_600), Math.floor((whole % 3_600) / 60)];
  const isChinese = locale.startsWith('zh');
  if (hours > 0) return isChinese ? `${hours} 小时 ${minutes} 分` : `${hours} h ${minutes} min`;
  return isChinese ? `${minutes} 分 ${whole % 60} 秒` : `${minutes} min ${whole % 60} s`;
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
