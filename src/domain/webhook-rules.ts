/** Delivering an event to a webhook: what is sent, what an answer means, and when the next attempt comes. */

/** One attempt, ready to be signed and sent. */
export interface WebhookRequest {
  url: string;
  /** The event's id, the same in every attempt: receivers know repetitions by it. */
  id: string;
  /**
   * Type, moment and facts are the same in every attempt. The links of a task's record are not: they are made for this one, so
   * that each is good for a day from when it arrives, and attempts of different hours differ in their bytes. Standard Webhooks
   * has each attempt signed by itself, and repetitions known by their id.
   */
  body: string;
  /** All that are valid now, as `whsec_…`; each makes a signature. */
  secrets: readonly string[];
}

/** What became of an attempt. */
export interface WebhookOutcome {
  verdict: 'delivered' | 'again' | 'never';
  /** The HTTP status of the answer, if there was one. */
  status: number | null;
  /** Why it was not delivered, in words that hold no address. */
  fault: string | null;
  /** The beginning of what was answered; of this no log and no history hears. */
  answer?: string;
}

/** The body of an event: its members in this order, as Standard Webhooks has them. */
export const webhookBody = (event: { type: string; createdAt: Date; data: unknown }): string =>
  JSON.stringify({ type: event.type, timestamp: event.createdAt.toISOString(), data: event.data });

/** 2xx is delivered; 410 says that the receiver wants it no more; everything else is retried. */
export function judgedStatus(status: number): WebhookOutcome {
  if (status >= 200 && status < 300) return { verdict: 'delivered', status, fault: null };
  if (status === 410)
    return { verdict: 'never', status, fault: 'the receiver returned 410 Gone and wants no more events' };
  const isRedirect = status >= 300 && status < 400;
  const fault = isRedirect
    ? `the receiver returned a redirect (${status}); redirects are not followed`
    : `the receiver returned ${status}`;
  return { verdict: 'again', status, fault };
}

/** How long attempts go on, and how they thin out. */
export interface DeliveryPace {
  /** The shortest pause. */
  firstMs: number;
  /** A pause is so many times as long as the attempts have gone on. */
  factor: number;
  /** The longest pause. */
  mostMs: number;
  /** The last attempt is made when so much time has passed. */
  forMs: number;
}

/** About 5 s, 15 s, 1 min, 4 min, 16 min, 1 h, then every 3 h; 24 h in all. */
export const standardPace: DeliveryPace = { firstMs: 5_000, factor: 3, mostMs: 10_800_000, forMs: 86_400_000 };

/**
 * How long to wait after an attempt that failed `elapsedMs` after the delivery began; undefined when it was the last one.
 * The pause grows with the time that has passed, so that it needs no count. `chance`, from 0 to 1, moves it by up to a
 * tenth, so that many events for one receiver that was away don't come back at once.
 */
export function nextAttemptInMs(elapsedMs: number, pace: DeliveryPace, chance: number): number | undefined {
  const elapsed = Math.max(0, elapsedMs);
  if (elapsed >= pace.forMs) return undefined;
  const pause = Math.min(Math.max(pace.firstMs, elapsed * pace.factor), pace.mostMs) * (0.9 + 0.2 * chance);
  return Math.round(Math.min(pause, Math.max(pace.firstMs, pace.forMs - elapsed)));
}
