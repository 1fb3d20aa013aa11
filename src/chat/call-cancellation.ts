/** What may end a call before its answer is there: its caller leaves, or this process may not go on with it. */

/** What a call that ended early is rejected with. */
export class CallCancelled extends Error {
  override readonly name = 'CallCancelled';
  constructor() {
    super('the call was ended before its answer was there');
  }
}

/** `left`: the caller did. `lost`: this process, as the owner of the call's hold, its lease. `drained`: it stops now. */
export type CancellationReason = 'left' | 'lost' | 'drained';

/** One call's; an AbortSignal with its listeners costs ten times as much. */
export class CallCancellation {
  #reason: CancellationReason | undefined;
  #act: (() => void) | undefined;

  /** Why it came, if it did. */
  get reason(): CancellationReason | undefined {
    return this.#reason;
  }

  /** Calls back when it comes; whoever asks last is the only one. */
  onCancel(act: () => void): void {
    this.#act = act;
  }

  cancel(reason: CancellationReason): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#act?.();
  }
}
