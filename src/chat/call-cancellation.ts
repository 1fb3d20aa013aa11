/** What may end a call before its answer is complete: its caller disconnects, or this process may not go on with it. */

/** What a call that was cancelled is rejected with. */
export class CallCancelled extends Error {
  override readonly name = 'CallCancelled';
  constructor() {
    super('the call was ended before its answer was there');
  }
}

/** `lost`: this process, as the owner of the call's hold, lost its lease. `drained`: it stops now. */
export type CancellationReason = 'client_disconnected' | 'lost' | 'drained';

/** One call's; an AbortSignal with its listeners costs ten times as much. */
export class CallCancellation {
  #reason: CancellationReason | undefined;
  #listener: (() => void) | undefined;

  /** Why the call was cancelled, if it was. */
  get reason(): CancellationReason | undefined {
    return this.#reason;
  }

  /** Calls back when the call is cancelled; only the newest listener is called. */
  onCancel(listener: () => void): void {
    this.#listener = listener;
  }

  cancel(reason: CancellationReason): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#listener?.();
  }
}
