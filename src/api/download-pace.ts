/**
 * How fast callers must read what is sent to them at their own pace: who takes nothing, or next to nothing, keeps a file
 * open, a slot among the downloads, and of a result that is fetched once the claim on it.
 */
import type { Socket } from 'node:net';
import { fetchClaimMsMax } from '../domain/limits.ts';
import { unacknowledgedBytes } from '../net/unacknowledged.ts';
import type { ApiContext } from './context.ts';
import { acquireUntilClosed, type ConcurrencyLimits } from './concurrency-limits.ts';

export interface DownloadPace {
  /** A connection that takes nothing for so long is ended, */
  stallMs: number;
  /** and one that takes less than so much over this time. */
  bytesPerSecondMin: number;
  paceMs: number;
  /** How long a result that is fetched once may be claimed in all. */
  claimMs: number;
  /** How long its caller may take to close when all was sent: so long, and the time that what was sent takes at this rate. */
  closeMs: number;
  closeBytesPerSecond: number;
}

export const downloadPaceDefault: DownloadPace = {
  stallMs: 60_000,
  bytesPerSecondMin: 1_000,
  paceMs: 300_000,
  claimMs: fetchClaimMsMax,
  closeMs: 30_000,
  closeBytesPerSecond: 8_000,
};

/** Takes a slot among the downloads for an answer, which its caller must read at this pace. Refuses with `overloaded`. */
export function enterDownload(
  {
    concurrencyLimits,
    downloadPace,
  }: { concurrencyLimits: Pick<ConcurrencyLimits, 'files'>; downloadPace: DownloadPace },
  { req, res }: Pick<ApiContext, 'req' | 'res'>,
): void {
  acquireUntilClosed(concurrencyLimits.files, res);
  if (!res.closed) res.once('close', keepPace(req.socket, downloadPace));
}

/** Looks for each time that a connection may stall. */
const looks = 6;

/** Ends a connection that doesn't keep the pace. Returns how to stop watching it. */
export function keepPace(socket: Socket, pace: DownloadPace): () => void {
  const watch = new Watch(socket, pace);
  const timer = setInterval(() => void watch.look(), pace.stallMs / looks).unref();
  const stop = () => clearInterval(timer);
  socket.once('close', stop);
  return () => {
    stop();
    socket.off('close', stop);
  };
}

class Watch {
  readonly #socket: Socket;
  readonly #pace: DownloadPace;
  #handed: number;
  #taken = -1;
  #takenAt = performance.now();
  /** Where the time began over which a slow one is measured. */
  #slow: { at: number; taken: number } | undefined;

  constructor(socket: Socket, pace: DownloadPace) {
    this.#socket = socket;
    this.#pace = pace;
    this.#handed = handedOf(socket);
  }

  async look(): Promise<void> {
    const { stallMs, bytesPerSecondMin, paceMs } = this.#pace;
    const handed = handedOf(this.#socket);
    const isFast = handed - this.#handed >= (bytesPerSecondMin * stallMs) / looks / 1_000;
    this.#handed = handed;
    // The kernel takes bytes in large steps, so a slow connection is judged by what its peer has acknowledged.
    const unacknowledged = isFast ? 0 : await unacknowledgedBytes(this.#socket, false);
    const now = performance.now();
    if (isFast || this.#socket.writableLength + (unacknowledged ?? 0) === 0) {
      [this.#taken, this.#takenAt, this.#slow] = [-1, now, undefined];
      return;
    }
    const taken = handed - (unacknowledged ?? 0);
    if (taken !== this.#taken) [this.#taken, this.#takenAt] = [taken, now];
    this.#slow ??= { at: now, taken };
    const slowMs = now - this.#slow.at;
    const isSlow = slowMs >= paceMs && taken - this.#slow.taken < (bytesPerSecondMin * slowMs) / 1_000;
    if (now - this.#takenAt >= stallMs || isSlow) this.#socket.destroy();
    if (slowMs >= paceMs) this.#slow = { at: now, taken };
  }
}

/** What the kernel has taken whole; a piece on its way there still counts as waiting. */
const handedOf = (socket: Socket): number => socket.bytesWritten - socket.writableLength;
