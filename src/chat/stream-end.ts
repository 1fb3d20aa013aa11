/** How a streamed answer ended, and how its caller learns of it. */
import type { MeteredStream, StreamMeter } from '../domain/chat/metered-stream.ts';
import { ResponsesStreamMeter } from '../domain/chat/responses-meter.ts';
import { ChatUnreachable } from '../domain/chat/unreachable.ts';
import { errorBody, GatewayError } from '../domain/errors.ts';
import type { CallEndpoint } from '../domain/call-endpoints.ts';
import { messagesError, messagesStatusOf } from '../domain/messages-errors.ts';
import type { ApiDependencies } from '../api/dependencies.ts';
import { cleanedError } from './upstream-error-answer.ts';

/** `disconnected`: the caller is gone, or this process had to let go. */
export type StreamEnd = 'complete' | 'disconnected' | BrokenEnd;

export interface BrokenEnd {
  broke: GatewayError;
  /** The upstream is not to blame. */
  byUs?: boolean;
  /** The type that the upstream's error has, in its own words. */
  type?: string | null;
}

/** Returns how a stream ended that has nothing more to say. */
export function endOf({ state, meter }: MeteredStream, settings: ApiDependencies['configuration']): StreamEnd {
  if (state === 'failed') {
    const { message, code: type } = cleanedError(meter.errorData ?? Buffer.alloc(0), 'application/json', settings);
    return { broke: new GatewayError('upstream_error', message), type };
  }
  return meter.isComplete
    ? 'complete'
    : { broke: new GatewayError('upstream_error', "The model's response was interrupted.") };
}

/** Returns how a stream ended whose upstream failed after the first byte. */
export function brokenBy(error: Error): StreamEnd {
  const broke =
    error instanceof ChatUnreachable && error.kind === 'timeout'
      ? new GatewayError('upstream_timeout', 'The model stopped sending in the middle of its response.', {
          cause: error,
        })
      : new GatewayError('upstream_error', "The model's response was interrupted.", { cause: error });
  return { broke };
}

/** Returns the end of a stream whose process drains. What was produced is charged: the caller has it. */
export function drainedEnd(): StreamEnd {
  const text = 'This gateway shut down before the response was complete.';
  return { broke: new GatewayError('not_ready', text), byUs: true };
}

/** The event of a stream that broke, in its caller's form: no `[DONE]` on chat, a numbered `error` event on responses. */
export function errorEvent(
  { endpoint, requestId }: { endpoint: CallEndpoint; requestId: string },
  meter: StreamMeter,
  { broke, type }: BrokenEnd,
): Buffer {
  const { code, message, param } = broke;
  if (endpoint === 'messages') {
    const event = messagesError({ status: messagesStatusOf(code), message, type }, requestId);
    return Buffer.from(`event: error\ndata: ${JSON.stringify(event)}\n\n`);
  }
  if (!(meter instanceof ResponsesStreamMeter))
    return Buffer.from(`data: ${JSON.stringify({ error: errorBody(broke) })}\n\n`);
  const event = { type: 'error', code, message, param, sequence_number: meter.lastSequenceNumber() + 1 };
  return Buffer.from(`event: error\ndata: ${JSON.stringify(event)}\n\n`);
}
