/** One call to an upstream: what undici reports, passed on in the terms of `chat-contract.ts`. */
import type { IncomingHttpHeaders } from 'node:http';
import { errors, type Dispatcher } from 'undici';
import { ChatUnreachable } from '../../domain/chat/unreachable.ts';
import type { ChatExchange, ChatListener } from '../chat-contract.ts';
import { openDecoder, type BodyDecoder } from './decoded.ts';
import { PackedTooTight } from '../http/decompressor.ts';
import { firstOf } from '../http/retry-after.ts';
import { retryAfterSeconds } from './headers.ts';

const requestIdCharactersMax = 200;

/**
 * Handed to undici's `dispatch`. `onOver` is called once, however the call ends: with false when its connection must be
 * closed, because the rest of its answer is not wanted.
 */
export class UpstreamCall implements Dispatcher.DispatchHandler, ChatExchange {
  readonly #listener: ChatListener;
  readonly #onOver: (isWhole: boolean) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #decoder: BodyDecoder | undefined;
  #hasHead = false;
  #isOver = false;

  constructor(listener: ChatListener, onOver: (isWhole: boolean) => void) {
    this.#listener = listener;
    this.#onOver = onOver;
  }

  pause(): void {
    if (this.#isOver) return; // the connection may carry another call by now
    if (this.#decoder === undefined) this.#controller?.pause();
    else this.#decoder.pause();
  }

  resume(): void {
    if (this.#isOver) return;
    if (this.#decoder === undefined) this.#controller?.resume();
    else this.#decoder.resume();
  }

  abort(): void {
    if (this.#over(false)) this.#decoder?.destroy();
  }

  /** The connection is there and the request is about to be written. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (this.#isOver || status < 200) return;
    const encoding = firstOf(headers['content-encoding'])?.trim().toLowerCase() ?? '';
    if (encoding !== '' && encoding !== 'identity') {
      this.#decoder = openDecoder(encoding, {
        onData: (chunk) => this.#isOver || this.#listener.onData(chunk),
        onEnd: () => this.#end(),
        onError: (error) => this.#fail(broken(error)),
        onFull: () => this.#controller?.pause(),
        onDrain: () => this.#controller?.resume(),
      });
      if (this.#decoder === undefined) {
        this.#fail(new ChatUnreachable('broken', 'the upstream compressed its answer in a way that is not known'));
        return;
      }
    }
    this.#hasHead = true;
    this.#listener.onHead({
      status,
      contentType: firstOf(headers['content-type']) ?? '',
      retryAfterSeconds: retryAfterSeconds(headers, Date.now()),
      upstreamRequestId: (firstOf(headers['x-request-id']) ?? firstOf(headers['request-id']))?.slice(
        0,
        requestIdCharactersMax,
      ),
    });
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isOver) return;
    if (this.#decoder === undefined) this.#listener.onData(chunk);
    else this.#decoder.write(chunk);
  }

  onResponseEnd(): void {
    if (this.#decoder === undefined) this.#end();
    else this.#decoder.end();
  }

  onResponseError(_: Dispatcher.DispatchController | undefined, error: Error): void {
    // Without a connection this may be called before `start` has returned to the listener.
    if (this.#controller === undefined) queueMicrotask(() => this.#failWith(error));
    else this.#failWith(error);
  }

  #end(): void {
    if (this.#over(true)) this.#listener.onEnd();
  }

  #failWith(error: Error): void {
    if (!this.#over(true)) return; // the connection is closed already
    this.#decoder?.destroy();
    this.#listener.onFailure(this.#failureOf(error));
  }

  #fail(failure: ChatUnreachable): void {
    if (!this.#over(false)) return;
    this.#decoder?.destroy();
    this.#listener.onFailure(failure);
  }

  /** Whether it was not over before. */
  #over(isWhole: boolean): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    this.#onOver(isWhole);
    return true;
  }

  #failureOf(error: Error): ChatUnreachable {
    if (this.#controller === undefined) {
      return new ChatUnreachable('connect', 'the upstream could not be reached', error);
    }
    if (error instanceof errors.HeadersTimeoutError) {
      return new ChatUnreachable('timeout', 'the upstream did not answer in time', error);
    }
    if (error instanceof errors.BodyTimeoutError) {
      return new ChatUnreachable('timeout', 'the upstream stopped in the middle of its answer', error);
    }
    return broken(error, this.#hasHead);
  }
}

function broken(error: Error, hasHead = true): ChatUnreachable {
  if (error instanceof PackedTooTight) return new ChatUnreachable('broken', error.message, error);
  const when = hasHead ? 'in the middle of its answer' : 'before it answered';
  return new ChatUnreachable('broken', `the upstream's connection broke ${when}`, error);
}
