/**
 * The contract of providers of calls, of which chat was the first: bytes go in, bytes come out as they come. What is asked
 * and answered is in the wire format of the endpoint (such as OpenAI's chat completions or Anthropic's messages); the
 * gateway meters it on the way and changes nothing. A call is reported to a listener as it happens: the busiest path has no stream and no signal between the upstream's socket and the
 * caller's (a Readable between them cost 23 of 47 µs a call; measured with undici 7.30).
 */
import type { Readable } from 'node:stream';
import type { ProviderEndpoint } from '../domain/call-endpoints.ts';
import type { ChatUnreachable } from '../domain/chat/unreachable.ts';
import type { ProbeAnswer } from '../domain/probes.ts';
import type { BatchProvider } from './batch-contract.ts';

export interface ChatProvider {
  /** Which endpoints the upstream has. */
  readonly endpoints: readonly ProviderEndpoint[];
  /** Sends one call, never repeated. The listener is never called before this returns. */
  start(call: ChatCall, listener: ChatListener): ChatExchange;
  /** The provider's own batches, where it has them. */
  readonly batches?: BatchProvider;
  /** As of task providers. */
  probe?(signal: AbortSignal): Promise<ProbeAnswer>;
  close?(): Promise<void>;
}

export interface ChatCall {
  method: 'POST' | 'GET' | 'DELETE';
  /** Below the base URL, such as `chat/completions` or `responses/resp_1/cancel`. */
  path: string;
  /** The body in pieces that are sent one after the other. */
  body: readonly Buffer[];
  /** In the place of a body: fields and a file, for the provider to write. */
  form?: ChatForm;
  /** Whether the caller asked for a stream. */
  stream: boolean;
  /** Handed to the upstream as a header, to find the call in its logs. */
  requestId: string;
  /** More headers, names and values in turn. */
  headers?: readonly string[];
}

/** A form with one file, named `file`. */
export interface ChatForm {
  fields: readonly { name: string; value: string }[];
  file: {
    name: string;
    mediaType: string;
    bytes: number;
    /** Its bytes, anew each time. */
    open: () => Promise<Readable>;
  };
}

/** What a call reports, in this order: the head once, data, and at last one of `onEnd` and `onFailure`. */
export interface ChatListener {
  /** Whatever its status. */
  onHead(head: ChatHead): void;
  /** A piece of the body as it came, decoded if the upstream compressed it. Once paused, one more may come. */
  onData(chunk: Buffer): void;
  onEnd(): void;
  /** Before the head: there is no answer. After it: the rest won't come, for it broke off or stalled. */
  onFailure(failure: ChatUnreachable): void;
}

export interface ChatHead {
  status: number;
  contentType: string;
  /** Seconds, from `Retry-After` (seconds or a date) or `retry-after-ms`. */
  retryAfterSeconds: number | undefined;
  /** The upstream's own id of the request, for the operator. */
  upstreamRequestId: string | undefined;
}

/** A call that is under way. */
export interface ChatExchange {
  pause(): void;
  resume(): void;
  /** Ends the call at once, with its connection. The listener hears nothing more. Harmless when it is over. */
  abort(): void;
}
