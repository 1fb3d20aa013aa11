/**
 * Accepted tasks that no start was acknowledged for, over all processes: few as long as Temporal answers, and bounded
 * while it is away. The database counts them, once a second at the most; what this process has accepted since comes on top.
 */
import { GatewayError } from '../../domain/errors.ts';
import { StartQueue } from '../create/start-queue.ts';

/** A count is good for as long, if it leaves room. */
const countedMs = 1_000;
/** Starts of this process under way. Beyond it, and while older tasks wait, the workers' scan starts them in their order. */
const startsMax = 256;
/** While Temporal is away, how often a start is tried all the same. */
const tryMs = 2_000;

/** A slot among the tasks that wait. */
export interface WaitingSlot {
  /** Its row is there, so that a count sees it from now on. */
  accepted(): void;
  /** It waits no longer, or was refused. */
  leave(): void;
}

export interface WaitingTools {
  /** How many there may be. */
  max: () => number;
  /** How many there are in the database; counting ends at `most`. */
  count: (most: number) => Promise<number>;
  onError: (error: unknown) => void;
}

export class WaitingTasks {
  readonly #tools: WaitingTools;
  #counted = 0;
  #countedAtMs = -Infinity;
  #counting: Promise<void> | undefined;
  /** Those that the last count may not have seen. */
  readonly #recent = new Set<WaitingSlot & { isAccepted: boolean }>();
  #starts = 0;
  readonly #queue = new StartQueue();
  #isAway = false;
  #triedAtMs = -Infinity;

  constructor(tools: WaitingTools) {
    this.#tools = tools;
  }

  /** Starts of this process under way. */
  get starting(): number {
    return this.#starts;
  }

  /** Whether as many wait as may. */
  async isFull(): Promise<boolean> {
    if (performance.now() - this.#countedAtMs > countedMs) this.#counting ??= this.#count();
    if (this.#isOver && this.#counting) await this.#counting;
    return this.#isOver;
  }

  /** Takes a slot for one more task, if one is free. */
  async take(): Promise<WaitingSlot | undefined> {
    if (await this.isFull()) return undefined;
    // Nothing is awaited in between: of many at once exactly as many get a slot as are free.
    if (this.#isOver) return undefined;
    const slot = {
      isAccepted: false,
      accepted: () => {
        slot.isAccepted = true;
      },
      leave: () => {
        this.#recent.delete(slot);
      },
    };
    this.#recent.add(slot);
    return slot;
  }

  /**
   * Starts a task, unless many wait already or Temporal was just seen to be away: then the workers' scan does, the oldest
   * first. One of an account with few tasks doesn't wait for the many of another. Returns whether it was started; rejects
   * as `start` does.
   */
  async start(start: () => Promise<void>, { hasPriority = false } = {}): Promise<boolean> {
    if (!this.#mayStart(hasPriority)) return false;
    const isTry = this.#isAway;
    this.#starts += 1;
    try {
      return await this.#queue.run(hasPriority, async () => {
        if (this.#isAway && !isTry) return false; // it was seen while this one waited in the queue
        await this.#watched(start);
        return true;
      });
    } finally {
      this.#starts -= 1;
    }
  }

  async #watched(start: () => Promise<void>): Promise<void> {
    try {
      await start();
      this.#isAway = false;
    } catch (error) {
      this.#isAway = true;
      this.#triedAtMs = performance.now();
      throw error;
    }
  }

  #mayStart(hasPriority: boolean): boolean {
    if (this.#starts >= startsMax || (!hasPriority && this.#size > startsMax)) return false;
    if (!this.#isAway) return true;
    if (performance.now() - this.#triedAtMs < tryMs) return false;
    this.#triedAtMs = performance.now();
    return true;
  }

  get #size(): number {
    return this.#counted + this.#recent.size;
  }

  get #isOver(): boolean {
    return this.#size >= this.#tools.max();
  }

  /** Never fails: without the database nothing is accepted either. */
  async #count(): Promise<void> {
    this.#countedAtMs = performance.now();
    const seen = [...this.#recent].filter(({ isAccepted }) => isAccepted);
    try {
      this.#counted = await this.#tools.count(this.#tools.max());
      for (const slot of seen) this.#recent.delete(slot);
    } catch (error) {
      this.#tools.onError(error);
    } finally {
      this.#counting = undefined;
    }
  }
}

export const tooManyWaiting = (): GatewayError =>
  new GatewayError('overloaded', 'Too many tasks are waiting to be started. Retry in a few seconds.', {
    retryAfterSeconds: 10,
  });
