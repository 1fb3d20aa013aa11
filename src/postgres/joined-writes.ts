/** Statements that go out together are handed to the socket together. */
import pg from 'pg';

/**
 * Runs `send`, which asks for several statements on a pipelined connection, and writes what it asked for in one piece. Each
 * write to a socket costs as much of this process's time as the rest of a small statement, and wakes the server once.
 */
export function inOneWrite<T>(client: pg.PoolClient, send: () => T): T {
  const stream = client instanceof pg.Client ? client.connection.stream : undefined;
  stream?.cork();
  try {
    return send();
  } finally {
    stream?.uncork();
  }
}
