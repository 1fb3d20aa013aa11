/**
 * Whether a caller has got all of an answer. Bytes that the kernel has taken prove nothing: bodies of up to 3 MB sat in its
 * buffers when a client broke off. The caller's orderly end after the last byte proves it; nothing else does.
 */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { unacknowledgedBytes } from '../../net/unacknowledged.ts';
import type { DownloadPace } from '../../api/download-pace.ts';
import { callerBehind } from '../../api/server/proxy-protocol.ts';
import { type HeldConnection, holdOpen } from './held-open.ts';

/**
 * A caller that counts the bytes closes by itself. Only one that waits for our end needs to be shown it, so long after
 * all was written: of a connection that both have ended no reset is heard any more. Nor is it shown early to one that has
 * all and takes its time to read it: undici ends its whole process by an assertion when it meets that end while it pauses.
 */
const ownEndShare = 1 / 3; // of the time to close: 10 s of 30
const ownEndAgainMs = 1_000;
/** Who closes with bytes still on their way to it ends cleanly first, and resets when they arrive. */
const resetMs = 500;

/**
 * A balancer acknowledges by itself, while megabytes may still wait in its kernel. Of its caller it passes on what comes
 * first, an end or a reset; what follows an end it learns only by its next write, and what follows ours it never reports. So
 * our end is not shown through one, and after the caller's we write it something, one byte at a time. Who closed with bytes
 * on their way to it has reset the connection by then: the balancer resets ours at the first byte. Who closed with all of
 * them resets it for the first byte: the balancer resets ours at a later one. Who still reads resets nothing.
 *
 * So long after each byte we look; the first pause has to be longer than a busy balancer takes. All of them are less than
 * who asks again waits for a verdict.
 */
const askingPausesMs = [1_000, 250, 500, 1_000, 1_000] as const;
const askingByte = '\n';
const resets: ReadonlySet<string | undefined> = new Set(['EPIPE', 'ECONNRESET']);

/**
 * Resolves whether the caller got everything, once that is known; listens from before the first byte. No: the
 * connection broke, was ended before its last byte was acknowledged, or was not ended in time.
 */
export function deliveryOf(res: ServerResponse, bytes: number, pace: DownloadPace): Promise<boolean> {
  const { socket } = res;
  if (!socket) return Promise.resolve(false);
  return new Promise((resolve) => new Delivery(res, socket, resolve).follow(bytes, pace));
}

class Delivery {
  readonly #res: ServerResponse;
  readonly #socket: Socket;
  readonly #connection: HeldConnection;
  readonly #resolve: (isFetched: boolean) => void;
  readonly #isThroughBalancer: boolean;
  readonly #timers = new Set<NodeJS.Timeout>();
  #state: 'writing' | 'written' | 'ended by us' | 'ended by its caller' | 'decided' = 'writing';

  constructor(res: ServerResponse, socket: Socket, resolve: (isFetched: boolean) => void) {
    this.#res = res;
    this.#socket = socket;
    this.#connection = holdOpen(socket);
    this.#isThroughBalancer = callerBehind(socket) !== undefined;
    this.#resolve = resolve;
  }

  follow(bytes: number, { closeMs, closeBytesPerSecond }: DownloadPace): void {
    this.#socket.once('error', this.#broken).once('close', this.#broken).once('end', this.#ended);
    this.#res.once('finish', () => {
      if (this.#state !== 'writing') return;
      this.#state = 'written';
      this.#after(closeMs + (bytes / closeBytesPerSecond) * 1_000, this.#broken);
      if (!this.#isThroughBalancer) this.#after(closeMs * ownEndShare, () => void this.#endOurSide());
    });
  }

  /** Closed without a word is what this process does to it when it stops: nothing is known then, and nothing is lost. */
  readonly #broken = () => this.#decide(false);

  async #endOurSide(): Promise<void> {
    const missing = await unacknowledgedBytes(this.#socket, true);
    if (this.#state !== 'written') return;
    if (missing) {
      this.#after(ownEndAgainMs, () => void this.#endOurSide());
      return;
    }
    this.#state = 'ended by us';
    this.#connection.endOurSide();
  }

  readonly #ended = () => {
    if (this.#state === 'written') void this.#confirm();
    else this.#decide(this.#state === 'ended by us');
  };

  async #confirm(): Promise<void> {
    this.#state = 'ended by its caller';
    this.#clearTimers(); // it was in time
    if (await unacknowledgedBytes(this.#socket, true)) this.#decide(false);
    // What was ended is no longer read, so only a write finds a reset; one of no bytes is enough.
    else if (this.#isThroughBalancer) this.#after(resetMs, () => this.#ask(0));
    else this.#after(resetMs, () => this.#look((error) => this.#decide(!error)));
  }

  #look(then: (error: NodeJS.ErrnoException | null | undefined) => void): void {
    this.#socket.write('', then);
  }

  /** `asked`: how many bytes the balancer took without resetting the connection for those before. */
  #ask(asked: number): void {
    this.#look((error) => {
      const pause = askingPausesMs[asked];
      if (error) this.#decide(asked > 1 && resets.has(error.code));
      else if (pause === undefined) this.#decide(false);
      else {
        this.#socket.write(askingByte);
        this.#after(pause, () => this.#ask(asked + 1));
      }
    });
  }

  #after(ms: number, act: () => void): void {
    if (this.#state === 'decided') return;
    this.#timers.add(setTimeout(act, ms));
  }

  #clearTimers(): void {
    for (const timer of this.#timers) clearTimeout(timer);
  }

  #decide(isFetched: boolean): void {
    if (this.#state === 'decided') return;
    this.#state = 'decided';
    this.#clearTimers();
    this.#socket.off('error', this.#broken).off('close', this.#broken).off('end', this.#ended);
    this.#connection.release();
    if (!isFetched) this.#socket.destroy();
    this.#resolve(isFetched);
  }
}
