/** A call that was admitted, as the relays take it, and how it went. */
import type { CallHold } from '../ledger/call-ledger.ts';
import type { Call } from './call.ts';
import type { CallClock } from './call-clock.ts';
import type { CallCancellation } from './call-cancellation.ts';

/** Everything that the relays need of a call that was admitted. */
export interface AdmittedCall {
  call: Call;
  hold: CallHold;
  /** Comes when nobody waits for the answer any more, or this process may not go on with it. */
  cancellation: CallCancellation;
  clock: CallClock;
}

/** How a call went that its caller got an answer to. */
export interface Outcome {
  /** Nothing was missing of the answer, as far as the upstream is concerned. */
  isGood: boolean;
  /** The time to the head of the answer. */
  latencyMs: number;
}
