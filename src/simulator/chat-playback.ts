/** Plays an answer that is known already to a listener: after a delay, a piece a turn of the event loop. */
import type { ChatUnreachable } from '../domain/chat/unreachable.ts';
import type { ChatExchange, ChatListener } from '../providers/chat-contract.ts';

export type Score = { delayMs: number } & (
  { status: number; contentType: string; pieces: readonly Buffer[] } | { failure: ChatUnreachable }
);

export class Playback implements ChatExchange {
  readonly #score: Score;
  readonly #listener: ChatListener;
  /** Calls off what is due: the beginning, or the next piece. */
  #cancel: (() => void) | undefined;
  #at = 0;
  #isPaused = false;
  #isOver = false;

  constructor(score: Score, listener: ChatListener) {
    this.#score = score;
    this.#listener = listener;
    if (score.delayMs > 0) {
      const timer = setTimeout(() => this.#begin(), score.delayMs);
      this.#cancel = () => clearTimeout(timer);
    } else {
      const immediate = setImmediate(() => this.#begin());
      this.#cancel = () => clearImmediate(immediate);
    }
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    // Whatever is due sees for itself that it may go on.
    if (this.#cancel === undefined && !this.#isOver) this.#schedule();
  }

  abort(): void {
    this.#isOver = true;
    this.#cancel?.();
  }

  #begin(): void {
    this.#cancel = undefined;
    const score = this.#score;
    if ('failure' in score) {
      this.#isOver = true;
      this.#listener.onFailure(score.failure);
      return;
    }
    const { status, contentType } = score;
    this.#schedule();
    this.#listener.onHead({ status, contentType, retryAfterSeconds: undefined, upstreamRequestId: undefined });
  }

  #schedule(): void {
    const immediate = setImmediate(() => this.#turn());
    this.#cancel = () => clearImmediate(immediate);
  }

  #turn(): void {
    this.#cancel = undefined;
    if (this.#isOver || this.#isPaused || 'failure' in this.#score) return;
    const piece = this.#score.pieces[this.#at++];
    if (piece === undefined) {
      this.#isOver = true;
      this.#listener.onEnd();
      return;
    }
    this.#schedule();
    this.#listener.onData(piece);
  }
}
