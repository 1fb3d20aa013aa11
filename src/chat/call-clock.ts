/**
 * The upstream's share of a call's time, so that the rest is known: what the gateway adds. One a call; taking
 * the time costs some forty nanoseconds.
 */
import type { ModelCells } from '../observability/metrics/meters.ts';
import type { ApiContext } from '../api/context.ts';
import { TimedResponse } from '../api/server/timed-response.ts';

export class CallClock {
  /** Of the attempt under way, by `performance.now()`; 0 while there was none. */
  #sentAtMs = 0;
  #firstAtMs = 0;
  #lastAtMs = 0;
  /** What routes took that failed. */
  #lostMs = 0;

  /** When the first piece of the answer came, by `performance.now()`; 0 while there is none. */
  get firstAtMs(): number {
    return this.#firstAtMs;
  }

  /** The call goes out to a route. */
  sent(): void {
    this.#sentAtMs = performance.now();
    this.#firstAtMs = 0;
    this.#lastAtMs = 0;
  }

  /** A piece of its answer's body came. */
  came(): void {
    if (this.#firstAtMs === 0) this.#firstAtMs = performance.now();
  }

  /** Its answer is whole. */
  ended(): void {
    if (this.#lastAtMs === 0) this.#lastAtMs = performance.now();
  }

  /** The route failed; the next one is tried. Returns how long it took. */
  failed(): number {
    const ms = performance.now() - this.#sentAtMs;
    this.#lostMs += ms;
    return ms;
  }

  /**
   * Counts a call whose answer has begun. The upstream's time ends with the first piece of a stream's body, or with the
   * last of an answer that is read whole. Added is what else passed from the request's head to the answer's, but for
   * waiting for the caller's body and for routes that failed. Nothing is counted for a call that an upstream never
   * answered.
   */
  count(ctx: ApiContext, { json, stream }: ModelCells, isStream: boolean): void {
    const { res } = ctx;
    const endMs = isStream ? this.#firstAtMs : this.#lastAtMs;
    if (!(res instanceof TimedResponse) || res.headAtMs === 0 || endMs === 0) return;
    const upstreamMs = endMs - this.#sentAtMs;
    const outsideMs = upstreamMs + this.#lostMs + (ctx.state.bodyMs ?? 0);
    const { added, upstream } = isStream ? stream : json;
    upstream.observe(upstreamMs / 1000);
    added.observe(Math.max(0, res.headAtMs - res.arrivedAtMs - outsideMs) / 1000);
  }
}
