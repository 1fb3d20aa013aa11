/** Chance that can be repeated: its seed is printed, and taken from `TEST_SEED` where that is set. */
import { generator } from './random.ts';

export interface Chance {
  /** From 0 to below 1. */
  next(): number;
  /** A whole number from 0 to below `count`. */
  below(count: number): number;
  of<T>(list: readonly T[]): T;
}

/** Chance for one test, whose output names the seed. */
export function chanceOf(output: { diagnostic(message: string): void }): Chance {
  const seed = Number(process.env['TEST_SEED'] ?? Math.floor(Math.random() * 2 ** 32));
  output.diagnostic(`TEST_SEED=${seed}`);
  return seeded(seed);
}

export function seeded(seed: number): Chance {
  const next = generator(seed);
  const below = (count: number) => Math.floor(next() * count);
  return {
    next,
    below,
    of(list) {
      const found = list[below(list.length)];
      if (found === undefined) throw new RangeError('an empty list to choose from');
      return found;
    },
  };
}
