/**
 * The orderly end of the HTTP server. First everything is served as before, only that each answer asks its caller to leave
 * the connection; then nothing new is taken, and what runs goes on to its end, for a while.
 *
 * A caller may send its next request just as we close its idle connection; it finds it closed without a byte of an answer,
 * and HTTP clients and proxies send it again elsewhere (RFC 9110, section 9.2.2). That it hardly happens is what the
 * announcement is for: a connection in use is closed with `Connection: close` on an answer, where both sides agree, and
 * only those that were idle all the while are just closed.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as NetServer, Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { LiveSet } from '../../domain/live-set.ts';
import { within } from '../../domain/within.ts';
import { isHeldOpen } from '../../tasks/fetch-once/held-open.ts';
import { cameLate } from './draining.ts';

/** Even in a hurry connections in use get this long to be left in agreement. */
const announcementMsMin = 200;
const idleLookMs = 100;
/** After the grace, for streams to write that they broke off. */
const lastWordsMs = 2_000;
/** For what was broken off to end and be booked. */
const endingMsMax = 10_000;

export interface EndOfServing {
  /** Has every answer close its connection from now on, and resolves after `forMs`, in which everything is served. */
  announce(forMs: number): Promise<void>;
  /**
   * Takes no more connections. Running requests go on to their end, for `graceMs`; then `timeIsUp` is called, and soon
   * afterwards what is left is broken off. Resolves when nothing runs any more, with how many answers were broken off.
   */
  close(graceMs: number, timeIsUp: () => void): Promise<{ brokenOff: number }>;
}

export class ServerEnd implements EndOfServing {
  readonly #server: Server;
  /** Each with the answers that it owes. */
  readonly #connections = new Map<Socket, LiveSet<ServerResponse>>();
  /** Requests whose answer is there or has broken off may still have something to book. */
  #handled = 0;
  #isAnnounced = false;
  #isClosing = false;
  #onAllHandled: (() => void) | undefined;

  constructor(server: Server) {
    this.#server = server;
    server.on('connection', (socket) => {
      const owed = new LiveSet<ServerResponse>();
      this.#connections.set(socket, owed);
      socket.once('close', () => {
        this.#connections.delete(socket);
        for (const response of owed.members()) closeQueued(response);
      });
    });
  }

  /** To be called for every request, with what answers it. */
  during(request: IncomingMessage, response: ServerResponse, handle: () => Promise<void>): void {
    if (this.#isAnnounced) response.setHeader('Connection', 'close');
    if (this.#isClosing) cameLate(request);
    const owed = this.#connections.get(request.socket);
    const place = owed?.add(response);
    if (place) response.on('close', () => owed?.remove(place));
    this.#handled += 1;
    const done = () => {
      this.#handled -= 1;
      if (this.#handled === 0) this.#onAllHandled?.();
    };
    handle().then(done, done);
  }

  async announce(forMs: number): Promise<void> {
    this.#isAnnounced = true;
    for (const owed of this.#connections.values())
      for (const response of owed.members()) if (!response.headersSent) response.setHeader('Connection', 'close');
    const ms = this.#connections.size > 0 ? Math.max(forMs, announcementMsMin) : forMs;
    if (ms > 0) await pause(ms);
  }

  async close(graceMs: number, timeIsUp: () => void): Promise<{ brokenOff: number }> {
    this.#isClosing = true;
    // Not the HTTP server's own `close`: it would at once cut off answers whose end waits to be written.
    const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(this.#server, () => resolve()));
    const ended = closed.then(() => this.#allHandled());
    const looks = setInterval(() => this.#closeIdle(), idleLookMs);
    this.#closeIdle();
    let brokenOff = 0;
    if (!(await isWithin(graceMs, ended))) {
      timeIsUp();
      if (!(await isWithin(lastWordsMs, ended))) {
        brokenOff = this.#breakOff();
        await isWithin(endingMsMax, ended);
      }
    }
    clearInterval(looks);
    this.#server.close(); // ends Node's own timer
    return { brokenOff };
  }

  #allHandled(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#handled === 0) resolve();
      else this.#onAllHandled = resolve;
    });
  }

  /** A connection whose caller is waited for, to tell whether it has got a result, is left alone until that is known. */
  #closeIdle(): void {
    for (const [socket, owed] of this.#connections) if (owed.size === 0 && !isHeldOpen(socket)) socket.destroy();
  }

  #breakOff(): number {
    const left = [...this.#connections].filter(([, owed]) => owed.size > 0);
    for (const [socket] of left) socket.destroy();
    for (const socket of this.#connections.keys()) if (isHeldOpen(socket)) socket.destroy();
    return left.reduce((sum, [, owed]) => sum + owed.size, 0);
  }
}

/**
 * Has an answer that waited for those before it on a connection close, as Node does only for the one whose turn it was. Who
 * counts it, or holds something until its caller has it or leaves, would otherwise wait for ever.
 */
function closeQueued(response: ServerResponse): void {
  if (response.socket !== null || response.writableFinished) return;
  const gone = new Socket().destroy(); // its `close` comes in the next tick, and is the answer's
  response.assignSocket(gone);
  gone.once('close', () => response.detachSocket(gone));
}

/** Returns whether something ends in this time. */
const isWithin = (ms: number, end: Promise<void>): Promise<boolean> =>
  within(
    ms,
    end.then(() => true),
    () => false,
  );
