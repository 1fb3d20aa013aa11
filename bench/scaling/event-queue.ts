/** Simulated time: what is to happen, in the order of its time; and chance that a seed repeats. */

interface Planned {
  atMs: number;
  /** Of two at one time the first planned comes first, so that a run can be repeated. */
  order: number;
  act: () => void;
}

export class EventQueue {
  #nowMs = 0;
  #order = 0;
  /** A heap: each comes before the two at twice its place and one more. */
  readonly #planned: Planned[] = [];

  get nowMs(): number {
    return this.#nowMs;
  }

  /** Plans something for so many milliseconds from now. */
  in(ms: number, act: () => void): void {
    const planned = { atMs: this.#nowMs + ms, order: this.#order++, act };
    let place = this.#planned.push(planned) - 1;
    while (place > 0) {
      const above = (place - 1) >> 1;
      const other = this.#planned[above];
      if (!other || isBefore(other, planned)) break;
      this.#planned[place] = other;
      place = above;
    }
    this.#planned[place] = planned;
  }

  /** Lets everything happen that is planned up to that time, and what follows from it. */
  runUntil(endMs: number): void {
    for (let next = this.#planned[0]; next && next.atMs <= endMs; next = this.#planned[0]) {
      this.#removeFirst();
      this.#nowMs = next.atMs;
      next.act();
    }
    this.#nowMs = endMs;
  }

  #removeFirst(): void {
    const last = this.#planned.pop();
    if (!last || this.#planned.length === 0) return;
    let place = 0;
    for (;;) {
      let below = 2 * place + 1;
      const [left, right] = [this.#planned[below], this.#planned[below + 1]];
      if (!left) break;
      if (right && isBefore(right, left)) below++;
      const next = this.#planned[below];
      if (!next || isBefore(last, next)) break;
      this.#planned[place] = next;
      place = below;
    }
    this.#planned[place] = last;
  }
}

const isBefore = (one: Planned, other: Planned): boolean =>
  one.atMs < other.atMs || (one.atMs === other.atMs && one.order < other.order);

/** Numbers from 0 to below 1 that look like chance and are the same for a seed (mulberry32). */
export function chanceOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A time until the next of things that come independently of each other. */
export const waitOf = (chance: () => number, meanMs: number): number => -Math.log(1 - chance()) * meanMs;
