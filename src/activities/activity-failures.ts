/**
 * The border to Temporal: what an activity throws becomes a failure that a history may show. Business outcomes are
 * results, never exceptions, so whatever is thrown is worth another try, unless it is a fault in our code.
 */
import { cancellationDetails, CancelledFailure } from '@temporalio/activity';
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import type { Logger } from 'pino';
import { ZodError } from 'zod';
import { GatewayError } from '../domain/errors.ts';

/** Thrown by an activity that found no room at its provider: nothing was sent, and it is tried again after the delay. */
export class ComeBackLater extends Error {
  override readonly name = 'ComeBackLater';
  readonly delayMs: number;

  constructor(delayMs: number, message: string) {
    super(message);
    this.delayMs = Math.round(delayMs);
  }
}

/** The types of failures that are none: another attempt goes on at once, or after the delay. */
export const handedBack = 'handed_back';
export const comeBackLater = 'come_back_later';

/** Runs an activity: logs what it threw, with everything, and hands Temporal what histories may keep. */
export async function runGuarded<T>(log: Logger, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    // Benign, here and below: the SDK, too, logs it for debugging only and counts no failure.
    if (cancellationDetails()?.workerShutdown === true) {
      throw ApplicationFailure.create({
        type: handedBack,
        message: 'The worker stops; another goes on.',
        nextRetryDelay: '1ms',
        category: ApplicationFailureCategory.BENIGN,
      });
    }
    if (error instanceof CancelledFailure) throw error;
    if (error instanceof ComeBackLater) {
      const { message, delayMs } = error;
      log.debug({ delayMs }, message);
      const category = ApplicationFailureCategory.BENIGN;
      throw ApplicationFailure.create({ type: comeBackLater, message, nextRetryDelay: delayMs, category });
    }
    log.error({ err: error }, 'activity failed');
    throw toFailure(error);
  }
}

/** Errors show their kind only: a message may hold an address or a value of the request. */
export function toFailure(error: unknown): ApplicationFailure {
  const type = error instanceof GatewayError ? error.code : error instanceof Error ? error.name : 'unknown';
  const ours = error instanceof TypeError || error instanceof RangeError || error instanceof ZodError;
  return ApplicationFailure.create({ type, message: 'See the worker log.', nonRetryable: ours });
}
