/**
 * The connections to one upstream: a call has one to itself, and hands it back. undici's own Pool would do, but opens
 * a new connection after every aborted call (a thousand callers that disconnect, a thousand TLS
 * handshakes), and looks through all its clients for a free one.
 */
import { Client } from 'undici';

export interface Connections {
  /** A connection that is free, the last used first; undefined when `max` are in use. */
  take(): Client | undefined;
  /** After a call that is over. A connection that broke is made anew by the next call. */
  giveBack(client: Client): void;
  /** After a call that isn't over: closes the connection at once. */
  discard(client: Client): void;
  close(): Promise<void>;
}

/** Connections of at most `max` calls at once. They are opened by the calls and closed when idle. */
export function openConnections(origin: string, max: number, options: Client.Options): Connections {
  const all = new Set<Client>();
  const free: Client[] = [];
  return {
    take: () => {
      const waiting = free.pop();
      if (waiting !== undefined || all.size >= max) return waiting;
      const client = new Client(origin, options);
      all.add(client);
      return client;
    },
    giveBack: (client) => {
      if (all.has(client)) free.push(client);
    },
    discard,
    close: async () => {
      free.length = 0;
      await Promise.all([...all].map((client) => client.destroy()));
      all.clear();
    },
  };

  function discard(client: Client): void {
    all.delete(client);
    // Fails only if it is destroyed already.
    client.destroy().catch(() => undefined);
  }
}
