/**
 * A load balancer as they are found in front of gateways: it keeps connections, asks each gateway whether it is ready, and
 * sends a request again only if it was surely not taken.
 */
import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';

const askEveryMs = 250;
/** One may be late with its answer for other reasons than that it leaves. */
const missesMax = 2;
const triesMax = 3;
/** Each connects to its side: what is not to be handed on. */
const hopByHop = new Set(['connection', 'keep-alive', 'transfer-encoding']);

export interface Balancer {
  url: string;
  /** Times that a request was sent to another gateway, since the first one had closed the connection. */
  readonly resent: { refused: number; closedIdle: number };
  /** Requests, by method and path, that may have been taken by a gateway that then broke the connection. */
  readonly lost: string[];
  /** A gateway that requests go to while it is ready; resolves when it was asked. */
  add(url: string): Promise<void>;
  remove(url: string): void;
  close(): Promise<void>;
}

interface Backend {
  url: string;
  agent: Agent;
  /** Times in a row that it said it was not ready, or nothing. */
  misses: number;
}

export async function openBalancer(): Promise<Balancer> {
  const backends: Backend[] = [];
  const [resent, lost] = [{ refused: 0, closedIdle: 0 }, [] as string[]];
  let turn = 0;
  const ask = async (backend: Backend) => {
    const answer = await fetch(`${backend.url}/readyz`).catch(() => undefined);
    await answer?.text();
    backend.misses = answer?.status === 200 ? 0 : backend.misses + 1;
  };
  const asking = setInterval(() => {
    for (const backend of backends) void ask(backend);
  }, askEveryMs);

  const server = createServer((incoming, response) => {
    serve(incoming, response).catch(() => response.destroy());
  });
  server.keepAliveTimeout = 600_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    resent,
    lost,
    add: (url) => {
      const backend = { url, agent: new Agent({ keepAlive: true }), misses: missesMax };
      backends.push(backend);
      return ask(backend);
    },
    remove: (url) => {
      for (const [at, backend] of backends.entries()) if (backend.url === url) backends.splice(at, 1);
    },
    async close() {
      clearInterval(asking);
      for (const { agent } of backends) agent.destroy();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(incoming);
    const tried = new Set<Backend>();
    for (;;) {
      const untried = backends.filter((backend) => !tried.has(backend));
      const healthy = untried.filter(({ misses }) => misses < missesMax);
      // If all seem unhealthy, as when their disk stalls, any is better than none.
      const ready = healthy.length > 0 ? healthy : untried;
      const backend = ready[turn++ % Math.max(1, ready.length)];
      if (!backend || tried.size === triesMax) {
        response.writeHead(502).end('no gateway takes it');
        return;
      }
      tried.add(backend);
      const answer = await passedOn(backend, incoming, body);
      if (answer === 'again') continue;
      if (answer === 'lost') {
        response.destroy();
        return;
      }
      response.writeHead(answer.statusCode ?? 502, keptOf(answer.headers));
      await pipeline(answer, response).catch((error: unknown) => {
        lost.push(`${incoming.method} ${incoming.url}, in the middle of its answer: ${String(error)}`);
      });
      return;
    }
  }

  function passedOn({ url: base, agent }: Backend, incoming: IncomingMessage, body: Buffer) {
    const { method = 'GET', url: path = '/', headers } = incoming;
    return new Promise<IncomingMessage | 'again' | 'lost'>((resolve) => {
      const call = request(`${base}${path}`, {
        method,
        agent,
        headers: { ...keptOf(headers), 'content-length': body.length },
      });
      call.once('response', resolve);
      call.once('error', (error: NodeJS.ErrnoException) => {
        if (error.code === 'ECONNREFUSED') {
          resent.refused += 1;
          resolve('again');
        } else if (call.reusedSocket && method === 'GET') {
          resent.closedIdle += 1;
          resolve('again');
        } else {
          lost.push(`${method} ${path} on a ${call.reusedSocket ? 'kept' : 'new'} connection: ${String(error)}`);
          resolve('lost');
        }
      });
      call.end(body);
    });
  }
}

const keptOf = (headers: IncomingMessage['headers']) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !hopByHop.has(name)));
