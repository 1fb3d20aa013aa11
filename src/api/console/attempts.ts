/**
 * How often passwords may be guessed, in one process. What turns out right is given back, so that nobody is kept out by
 * signing in. The narrow bound is on a person from one address: else anybody could lock out anybody.
 */
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { GatewayError } from '../../domain/errors.ts';

interface Bound {
  /** What it counts by. */
  key: (email: string, address: string) => string;
  limiter: RateLimiterMemory;
}

export class Attempts {
  readonly #bounds: readonly Bound[] = [
    bound(10, 15 * 60, (email, address) => `${address} ${email}`),
    bound(100, 3600, (email) => email),
    // Behind a proxy that is not trusted everybody has its address.
    bound(1_000, 3600, (_, address) => address),
  ];

  /** Counts a try before it is checked, or refuses it with `too_many_attempts` and the time to wait. */
  async begin(email: string, address: string): Promise<void> {
    // All bounds are looked at first: a try that one of them refuses takes no room in the others.
    for (const { key, limiter } of this.#bounds) {
      const known = await limiter.get(key(email, address));
      if (known && known.consumedPoints >= limiter.points) throw refusal(known);
    }
    for (const { key, limiter } of this.#bounds) {
      await limiter.consume(key(email, address)).catch((error: unknown) => {
        throw error instanceof RateLimiterRes ? refusal(error) : error;
      });
    }
  }

  /** Gives back a try that was right, and what the same person got wrong before it from there. */
  async succeeded(email: string, address: string): Promise<void> {
    const [narrow, ...wide] = this.#bounds;
    await narrow?.limiter.delete(narrow.key(email, address));
    for (const { key, limiter } of wide) await limiter.reward(key(email, address));
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
