/** Plays an answer that is known already to a listener: after a delay, a piece a turn of the event loop. */
import { ChatUnreachable } from '../domain/chat/unreachable.ts';
import type { ChatExchange, ChatListener } from '../providers/chat-contract.ts';

export type Score = { delayMs: number } & (
  | {
      status: number;
      contentType: string;
      pieces: readonly Buffer[];
      /** What comes after the pieces in the place of an orderly end. */
      breaksAs?: ChatUnreachable;
    }
  | { failure: ChatUnreachable }
);

export class Playback implements ChatExchange {
  #score: Score | undefined;
  readonly #listener: ChatListener;
  /** Calls off what is due: the beginning, or the next piece. */
  #cancel: (() => void) | undefined;
  #at = 0;
  #isPaused = false;
  #isOver = false;

  /** Of an answer that still has to be made, nothing comes before it is. */
  constructor(score: Score | Promise<Score>, listener: ChatListener) {
    this.#listener = listener;
    if (score instanceof Promise) {
      const fail = (cause: unknown) => ({
        delayMs: 0,
        failure: new ChatUnreachable('broken', 'the simulator failed', cause),
      });
      void score.catch(fail).then((made) => this.#isOver || this.#take(made));
    } else this.#take(score);
  }

  #take(score: Score): void {
    this.#score = score;
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
    if (score === undefined) return;
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
    if (this.#isOver || this.#isPaused || !this.#score || 'failure' in this.#score) return;
    const piece = this.#score.pieces[this.#at++];
    if (piece === undefined) {
      this.#isOver = true;
      const { breaksAs } = this.#score;
      if (breaksAs === undefined) this.#listener.onEnd();
      else this.#listener.onFailure(breaksAs);
      return;
    }
    this.#schedule();
    this.#listener.onData(piece);
  }
}
