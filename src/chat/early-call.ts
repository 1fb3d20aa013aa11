/**
 * A call that is sent while its hold is still being committed, where a refusal is practically impossible. Nothing of its
 * answer passes before it is handed over, which is after the commit.
 */
import type { ChatCall, ChatExchange, ChatHead, ChatListener, ChatProvider } from '../providers/chat-contract.ts';
import type { ChatUnreachable } from '../domain/chat/unreachable.ts';
import type { CallClock } from './call-clock.ts';

export class EarlyCall implements ChatListener, ChatExchange {
  readonly #exchange: ChatExchange;
  readonly #clock: CallClock;
  /** What was told before there was anybody to hear it; no more than the head and two pieces, as it is paused then. */
  #told: ((listener: ChatListener) => void)[] = [];
  #listener: ChatListener | undefined;
  #isTaken = false;
  #isPaused = false;
  #isAborted = false;

  constructor(provider: ChatProvider, call: ChatCall, clock: CallClock) {
    this.#clock = clock;
    clock.sent();
    this.#exchange = provider.start(call, this);
  }

  /** Hands the call over: the listener hears what came already, and the rest as it comes. */
  handOver(listener: ChatListener): ChatExchange {
    this.#isTaken = true;
    // Not at once: a listener is never told anything before it has its exchange.
    process.nextTick(() => {
      this.#listener = listener;
      for (const tell of this.#told) if (!this.#isAborted) tell(listener);
      this.#told = [];
      if (!this.#isAborted && !this.#isPaused) this.#exchange.resume();
    });
    return this;
  }

  /** Ends a call that was not handed over: it was refused after all, or its caller has left. */
  discard(): void {
    if (!this.#isTaken) this.abort();
  }

  onHead(head: ChatHead): void {
    this.#tell((listener) => listener.onHead(head));
  }

  onData(chunk: Buffer): void {
    this.#clock.came();
    if (!this.#listener) this.#exchange.pause();
    this.#tell((listener) => listener.onData(chunk));
  }

  onEnd(): void {
    this.#clock.ended();
    this.#tell((listener) => listener.onEnd());
  }

  onFailure(failure: ChatUnreachable): void {
    this.#tell((listener) => listener.onFailure(failure));
  }

  pause(): void {
    this.#isPaused = true;
    this.#exchange.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#exchange.resume();
  }

  abort(): void {
    this.#isAborted = true;
    this.#exchange.abort();
  }

  #tell(tell: (listener: ChatListener) => void): void {
    if (this.#isAborted) return;
    if (this.#listener) tell(this.#listener);
    else this.#told.push(tell);
  }
}
