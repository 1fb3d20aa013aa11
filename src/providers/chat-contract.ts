/**
 * The contract of chat-like providers: bytes go in, bytes come out as they come. What is asked and answered is the
 * OpenAI wire format (chat completions and responses); the gateway meters it on the way and changes nothing.
 */
import type { Readable } from 'node:stream';

export interface ChatProvider {
  /** Which endpoints the upstream has. */
  readonly endpoints: readonly ChatEndpoint[];
  /**
   * Sends one call and resolves when the head of the answer is there, whatever its status. Rejects with
   * `ChatUnreachable` when there is none: no connection, a broken one, or nothing within the provider's timeout. The
   * signal ends the call at any point, its body included. Never repeats a call.
   */
  send(call: ChatCall, signal: AbortSignal): Promise<ChatAnswer>;
  /** Resolves when the upstream answers a call that costs nothing. */
  probe?(signal: AbortSignal): Promise<void>;
  close?(): Promise<void>;
}

export type ChatEndpoint = 'chat/completions' | 'responses';

export interface ChatCall {
  method: 'POST' | 'GET' | 'DELETE';
  /** Below the base URL, such as `chat/completions` or `responses/resp_1/cancel`. */
  path: string;
  /** The body in pieces that are sent one after the other, never joined. */
  body: readonly Buffer[];
  /** Whether the caller asked for a stream. */
  stream: boolean;
  /** Handed to the upstream as a header, to find the call in its logs. */
  requestId: string;
}

export interface ChatAnswer {
  status: number;
  contentType: string;
  /** Seconds, from `Retry-After` (seconds or a date) or `retry-after-ms`. */
  retryAfterSeconds: number | undefined;
  /** Decoded if the upstream compressed it. Errors with `ChatUnreachable` when it breaks off or stalls. */
  body: Readable;
  /** The upstream's own id of the request, for the operator. */
  upstreamRequestId: string | undefined;
}
