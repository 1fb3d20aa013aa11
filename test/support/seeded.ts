/** Chance that can be repeated: its seed is printed, and taken from `TEST_SEED` where that is set. */

export interface Chance {
  /** From 0 to below 1. */
  next(): number;
  /** A whole number from 0 to below `count`. */
  below(count: number): number;
  of<T>(list: readonly T[]): T;
}

/** Chance for one test, whose output tells the seed. */
export function chanceOf(tells: { diagnostic(message: string): void }): Chance {
  const seed = Number(process.env['TEST_SEED'] ?? Math.floor(Math.random() * 2 ** 32));
  tells.diagnostic(`TEST_SEED=${seed}`);
  return seeded(seed);
}

/** Mulberry32: 32 bits of state, good enough to choose by. */
export function seeded(seed: number): Chance {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
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
