/**
 * The gate between the queue of a provider with limits and the submits of one worker. Accounts take turns in the queue
 * only, so a worker takes no more tasks than can soon be sent: without it 20 tasks of one account, each waiting for its
 * slot, went before another account's one, and those that had found a full provider filled the server with retries.
 */
import { EventEmitter, once } from 'node:events';
import type { ActivitySlotInfo, CustomSlotSupplier, SlotPermit, SlotReserveContext } from '@temporalio/worker';
import type { ProviderLimits, SubmitLimiter } from '../activities/dependencies.ts';

/** Where only unfinished jobs are bounded; looking at them takes some ten milliseconds. */
const aheadOfUnpaced = 4;
/**
 * As many as have slots in the next fifth of a second, since each of them goes before the first task of an account that
 * comes then; two, so that one is there while the other's successor comes.
 */
const aheadSeconds = 0.2;
const aheadMin = 2;

export class SubmitSlots implements CustomSlotSupplier<ActivitySlotInfo>, SubmitLimiter {
  readonly type = 'custom';
  readonly #limits: () => ProviderLimits;
  readonly #slots: number;
  readonly #changes = new EventEmitter().setMaxListeners(0);
  /** Slots given out: to polls, and to the submits that these brought. */
  #taken = 0;
  /** Of these, submits that no longer wait for the provider's limits. */
  #through = 0;
  #closures = 0;

  /** At most `slots` at a time, those that are being sent included. */
  constructor(slots: number, limits: () => ProviderLimits) {
    this.#slots = slots;
    this.#limits = limits;
  }

  acquire(): () => void {
    this.#through += 1;
    this.#changes.emit('change');
    return () => {
      this.#through -= 1; // its slot is released right after
    };
  }

  closeFor(ms: number): void {
    this.#closures += 1;
    setTimeout(() => {
      this.#closures -= 1;
      this.#changes.emit('change');
    }, ms).unref();
  }

  async reserveSlot(_context: SlotReserveContext, signal: AbortSignal): Promise<SlotPermit> {
    while (!this.#hasRoom()) {
      await once(this.#changes, 'change', { signal }).catch((error: unknown) => {
        signal.throwIfAborted();
        throw error;
      });
    }
    signal.throwIfAborted();
    this.#taken += 1;
    // Who asked may be gone before the answer is there; it would never release the slot.
    signal.addEventListener('abort', () => this.releaseSlot(), { once: true });
    return {};
  }

  /** For steps that a workflow starts at once on its own queue, which submits never are. */
  tryReserveSlot(): null {
    return null;
  }

  markSlotUsed(): void {
    // Slots count from the poll on.
  }

  releaseSlot(): void {
    this.#taken -= 1;
    this.#changes.emit('change');
  }

  #hasRoom(): boolean {
    const { maxPerSecond } = this.#limits();
    const ahead =
      maxPerSecond === undefined ? aheadOfUnpaced : Math.max(aheadMin, Math.ceil(maxPerSecond * aheadSeconds));
    return this.#closures === 0 && this.#taken < this.#slots && this.#taken - this.#through < ahead;
  }
}
