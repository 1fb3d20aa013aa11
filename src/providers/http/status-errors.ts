/** What an HTTP status of an upstream means for a task, where its body says no more. */
import type { Refusal } from './wire.ts';

/**
 * Whether a create with this status may have been taken all the same: the answer came from something in between, or
 * from a server that failed half-way.
 */
export const isAmbiguous = (status: number): boolean => status === 408 || status >= 500;

/** Worth asking again later, of a call that may be repeated. */
export const isPassing = (status: number): boolean =>
  status === 408 || status === 425 || status === 429 || status >= 500;

/**
 * Returns what a status means. The caller's mistake is reported to the caller; a failure between the operator and the
 * provider (key, money, an unknown model) is not, and may fall over.
 */
export function refusalOfStatus(status: number): Refusal {
  switch (status) {
    case 400:
    case 413:
    case 415:
    case 422:
      return { code: 'invalid_parameter', fallOver: false };
    case 429:
      return { code: 'upstream_rate_limited', message: 'The provider is busy. Try again later.', fallOver: true };
    case 408:
    case 504:
      return { code: 'upstream_timeout', message: 'The provider did not respond in time.', fallOver: true };
    default:
      return { code: 'upstream_error', message: 'The provider could not accept the task.', fallOver: true };
  }
}
