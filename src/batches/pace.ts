/**
 * The slots of providers for lines of batches, in this process: bounded by the provider's pace, and given out in turns to
 * accounts, and of an account to its batches.
 */
import {
  afterAnswer,
  afterBusy,
  afterSend,
  closedMs,
  concurrentNow,
  firstPace,
  type PaceLimits,
  paceLimitsDefault,
} from '../domain/batches/pace.ts';

export interface PaceTools {
  /** As configured at the moment of asking. */
  limitsOf: (provider: string) => PaceLimits | undefined;
  /** Whether interactive calls are under way in this process. */
  isInteractiveBusy: () => boolean;
}

/** Who waits for a slot. */
export interface Waiter {
  account: string;
  batchId: string;
}

export class BatchPaces {
  readonly #tools: PaceTools;
  readonly #providers = new Map<string, ProviderPace>();

  constructor(tools: PaceTools) {
    this.#tools = tools;
  }

  of(provider: string): ProviderPace {
    let pace = this.#providers.get(provider);
    if (!pace) this.#providers.set(provider, (pace = new ProviderPace(provider, this.#tools)));
    return pace;
  }
}

/** How a slot that was waited for is given up. */
type Grant = (isGranted: boolean) => void;

export class ProviderPace {
  readonly #provider: string;
  readonly #tools: PaceTools;
  #state = firstPace(paceLimitsDefault);
  #taken = 0;
  #sharedUntilMs = -Infinity;
  /** By account, then by batch; who comes first in both is next. */
  readonly #waiting = new Map<string, Map<string, Set<Grant>>>();
  #timer: NodeJS.Timeout | undefined;

  constructor(provider: string, tools: PaceTools) {
    this.#provider = provider;
    this.#tools = tools;
    this.#state = firstPace(this.#limits);
  }

  /** Lines under way. */
  get taken(): number {
    return this.#taken;
  }

  /** Waits for a slot; returns false, with none taken, once the signal aborts. */
  acquire({ account, batchId }: Waiter, signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const onAbort = () => {
        this.#remove(account, batchId, grant);
        resolve(false);
      };
      const grant: Grant = () => {
        signal.removeEventListener('abort', onAbort);
        resolve(true);
      };
      signal.addEventListener('abort', onAbort, { once: true });
      this.#add(account, batchId, grant);
      this.#grant();
    });
  }

  release(): void {
    this.#taken -= 1;
    this.#grant();
  }

  /** The provider answered. */
  answered(): void {
    this.#state = afterAnswer(this.#state, this.#limits);
    this.#grant();
  }

  /** The provider said that it is busy, and perhaps for how long. */
  busy(retryAfterMs: number | undefined): void {
    this.#state = afterBusy(this.#state, performance.now(), retryAfterMs);
  }

  /** For how long nothing is sent. */
  get closedMs(): number {
    return closedMs(this.#state, performance.now());
  }

  /** Whether lines keep to their share just now. */
  get isShared(): boolean {
    return this.#isShared(performance.now());
  }

  #grant(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    while (this.#waiting.size > 0) {
      const nowMs = performance.now();
      const isShared = this.#isShared(nowMs);
      if (this.#taken >= concurrentNow(this.#state, this.#limits, isShared)) {
        // Interactive calls end without a word to us: with a share only, it is looked again.
        if (isShared) this.#timer = setTimeout(() => this.#grant(), lookAgainMs).unref();
        return;
      }
      const waitMs = closedMs(this.#state, nowMs);
      if (waitMs > 0) {
        this.#timer = setTimeout(() => this.#grant(), Math.ceil(waitMs)).unref();
        return;
      }
      this.#taken += 1;
      this.#state = afterSend(this.#state, this.#limits, { nowMs, isShared });
      this.#next()?.(true);
    }
  }

  /** Short calls leave gaps between them: a provider is shared for a while after the last one that was seen. */
  #isShared(nowMs: number): boolean {
    if (this.#tools.isInteractiveBusy()) this.#sharedUntilMs = nowMs + sharedAfterMs;
    return nowMs < this.#sharedUntilMs;
  }

  get #limits(): PaceLimits {
    return this.#tools.limitsOf(this.#provider) ?? paceLimitsDefault;
  }

  #add(account: string, batchId: string, grant: Grant): void {
    const batches = this.#waiting.get(account) ?? new Map<string, Set<Grant>>();
    this.#waiting.set(account, batches);
    const grants = batches.get(batchId) ?? new Set<Grant>();
    batches.set(batchId, grants.add(grant));
  }

  #remove(account: string, batchId: string, grant: Grant): void {
    const batches = this.#waiting.get(account);
    const grants = batches?.get(batchId);
    grants?.delete(grant);
    if (grants?.size === 0) batches?.delete(batchId);
    if (batches?.size === 0) this.#waiting.delete(account);
  }

  /** Whose turn it is; the account, and the batch in it, come last from now on. */
  #next(): Grant | undefined {
    for (const [account, batches] of this.#waiting) {
      for (const [batchId, grants] of batches) {
        for (const grant of grants) {
          this.#waiting.delete(account);
          batches.delete(batchId);
          grants.delete(grant);
          if (grants.size > 0) batches.set(batchId, grants);
          if (batches.size > 0) this.#waiting.set(account, batches);
          return grant;
        }
      }
    }
    return undefined;
  }
}

const lookAgainMs = 100;
const sharedAfterMs = 1_000;
