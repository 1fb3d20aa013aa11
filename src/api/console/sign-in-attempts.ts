/**
 * How often passwords may be guessed, in one process. What turns out right is given back, so that signing in keeps no one
 * out. The narrow bound is on a person from one network: else any stranger could lock out any person.
 */
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { GatewayError } from '../../domain/errors.ts';
import { networkOf } from '../server/caller-address.ts';

/** A password that is tried: for whom, from where, and in which browser if the person is known to use it. */
export interface Attempt {
  email: string;
  address: string;
  /** An id that only a browser has in which this person signed in: what others try doesn't count for it. */
  browser?: string | undefined;
}

interface Bound {
  /** What it counts by. */
  key: (attempt: Attempt) => string;
  limiter: RateLimiterMemory;
}

export class Attempts {
  readonly #known = [bound(10, 15 * 60, ({ browser, email }) => `${browser ?? ''} ${email}`)];
  readonly #unknown = [
    bound(10, 15 * 60, ({ email, address }) => `${networkOf(address)} ${email}`),
    bound(100, 3600, ({ email }) => email),
    // Behind a proxy that is not trusted all callers have its address.
    bound(1_000, 3600, ({ address }) => networkOf(address)),
  ];

  /** Counts a try before it is checked, or refuses it with `too_many_attempts` and the time to wait. */
  async begin(attempt: Attempt): Promise<void> {
    const bounds = this.#boundsOf(attempt);
    // All bounds are looked at first: a try that one of them refuses takes no room in the others.
    for (const { key, limiter } of bounds) {
      const known = await limiter.get(key(attempt));
      if (known && known.consumedPoints >= limiter.points) throw refusal(known);
    }
    for (const { key, limiter } of bounds) {
      await limiter.consume(key(attempt)).catch((error: unknown) => {
        throw error instanceof RateLimiterRes ? refusal(error) : error;
      });
    }
  }

  /** Gives back a try that was right, and what the same person got wrong before it from there. */
  async succeeded(attempt: Attempt): Promise<void> {
    const [narrow, ...wide] = this.#boundsOf(attempt);
    await narrow?.limiter.delete(narrow.key(attempt));
    for (const { key, limiter } of wide) await limiter.reward(key(attempt));
  }

  #boundsOf({ browser }: Attempt): readonly Bound[] {
    return browser === undefined ? this.#unknown : this.#known;
  }
}

const bound = (points: number, seconds: number, key: Bound['key']): Bound => ({
  key,
  limiter: new RateLimiterMemory({ points, duration: seconds }),
});

function refusal({ msBeforeNext }: RateLimiterRes): GatewayError {
  const retryAfterSeconds = Math.max(1, Math.ceil(msBeforeNext / 1000));
  const minutes = Math.ceil(retryAfterSeconds / 60);
  return new GatewayError(
    'too_many_attempts',
    `Too many wrong passwords. Try again in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`,
    { retryAfterSeconds },
  );
}
