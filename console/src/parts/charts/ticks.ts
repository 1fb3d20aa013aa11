/** Returns round amounts from 0 to the first one that is not below `most`, at most six, and the decimals that they have. */
export function ticksUpTo(most: number): { ticks: number[]; digits: number } {
  const power = Math.floor(Math.log10(most > 0 ? most / 4 : 1));
  const factor = [1, 2, 2.5, 5, 10].find((candidate) => candidate * 10 ** power * 4 >= most) ?? 10;
  const digits = Math.max(0, -power + (factor === 2.5 ? 1 : factor === 10 ? -1 : 0));
  const step = factor * 10 ** power;
  const count = Math.max(1, Math.ceil(most / step - 1e-9));
  return { ticks: Array.from({ length: count + 1 }, (_, index) => Number((index * step).toFixed(digits))), digits };
}
