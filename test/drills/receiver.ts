/** Receives the webhooks of a drill: it takes a moment for each, and counts them by task. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';

const answerMsMax = 300;

export interface Receiver {
  url: string;
  /** How many webhooks of each task arrived. */
  received: Map<string, number>;
  close(): Promise<void>;
}

export async function openReceiver(random: () => number): Promise<Receiver> {
  const received = new Map<string, number>();
  const server = createServer((request, response) => {
    void text(request)
      .then(async (body) => {
        await pause(random() * answerMsMax);
        const [task] = /(?:img|vid|avt)_[0-9a-f]{32}/.exec(body) ?? [];
        if (task !== undefined) received.set(task, (received.get(task) ?? 0) + 1);
        response.writeHead(204).end();
      })
      .catch(() => response.destroy()); // the sender was killed while it sent
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    url: `http://127.0.0.1:${address.port}/webhooks`,
    received,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
