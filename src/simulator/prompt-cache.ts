/** Prompt caches as Anthropic bills them: prefixes of a prompt up to a mark are written once, and read while they last. */
import { createHash } from 'node:crypto';

/** How long a prefix lasts after it was written or read. */
export type CacheLife = '5m' | '1h';

export interface PromptBlock {
  /** What the block is, without its mark. */
  form: string;
  tokens: number;
  /** The prefix up to here is to be cached. */
  cached: CacheLife | undefined;
}

/** Disjoint counts of tokens, whose sum is that of the prompt. */
export interface CacheUse {
  fresh: number;
  read: number;
  written5m: number;
  written1h: number;
}

/** Prefixes that a simulator remembers; the one that was used longest ago goes first. */
const prefixesMax = 1000;
const lifeMs = { '5m': 300_000, '1h': 3_600_000 } as const;

export class PromptCache {
  /** By their hashes; that used last is the last one. */
  readonly #prefixes = new Map<string, { life: CacheLife; untilMs: number }>();
  readonly #now: () => number;

  /** `now` is Unix ms. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * Returns what a prompt reads and writes, and remembers its marked prefixes. It reads the longest prefix that is
   * known, whose mark may have moved since, and writes from there to its last mark.
   */
  use(model: string, blocks: readonly PromptBlock[]): CacheUse {
    const hash = createHash('sha256').update(model);
    const use = { fresh: 0, read: 0, written5m: 0, written1h: 0 };
    const used: { prefix: string; life: CacheLife }[] = [];
    const lastMark = blocks.findLastIndex(({ cached }) => cached !== undefined);
    // Written since the last mark, of whose life it is not known yet.
    let unmarked = 0;
    for (const [at, { form, tokens, cached }] of blocks.entries()) {
      if (at > lastMark) {
        use.fresh += tokens;
        continue;
      }
      hash.update(`${form.length}:${form}`);
      const prefix = hash.copy().digest('base64');
      unmarked += tokens;
      const known = this.#lifeOf(prefix);
      if (known !== undefined) {
        use.read += use.written5m + use.written1h + unmarked;
        [use.written5m, use.written1h, unmarked] = [0, 0, 0];
      } else if (cached !== undefined) {
        use[cached === '1h' ? 'written1h' : 'written5m'] += unmarked;
        unmarked = 0;
      }
      const life = cached ?? known;
      if (life !== undefined) used.push({ prefix, life });
    }
    for (const { prefix, life } of used) this.#remember(prefix, life);
    return use;
  }

  #lifeOf(prefix: string): CacheLife | undefined {
    const known = this.#prefixes.get(prefix);
    return known !== undefined && known.untilMs > this.#now() ? known.life : undefined;
  }

  #remember(prefix: string, life: CacheLife): void {
    this.#prefixes.delete(prefix);
    this.#prefixes.set(prefix, { life, untilMs: this.#now() + lifeMs[life] });
    const [oldest] = this.#prefixes.keys();
    if (oldest !== undefined && this.#prefixes.size > prefixesMax) this.#prefixes.delete(oldest);
  }
}
