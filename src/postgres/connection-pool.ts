/** A pool of connections with a bounded queue before it. */
import pg from 'pg';

/**
 * Statements of requests take about a millisecond on ten connections, so these are some hundred milliseconds of work; each
 * waits for five seconds at the most. With a database that hangs, more would only fill the memory.
 */
export const waitingMax = 4_096;

/** As many wait for a connection as may. */
export class PoolFull extends Error {
  override readonly name = 'PoolFull';
  constructor() {
    super('too many wait for a connection to the database');
  }
}

type Connected = Parameters<pg.Pool['connect']>[0];

/** Refuses with `PoolFull`, at once, every statement that comes when the queue is full. */
export class BoundedPool extends pg.Pool {
  override connect(): Promise<pg.PoolClient>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<pg.PoolClient> | undefined {
    if (this.waitingCount >= waitingMax) {
      if (callback === undefined) return Promise.reject(new PoolFull());
      process.nextTick(() => callback(new PoolFull(), undefined, () => undefined));
      return undefined;
    }
    if (callback === undefined) return super.connect();
    super.connect(callback);
    return undefined;
  }
}
