/** Between a store and its S3 server, what goes wrong there: answers that get lost, break off, or are errors. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { S3StoreSettings } from '../../src/blobs/s3/s3-connection.ts';

export type Fault =
  /** The server does what it is asked, and its answer is lost. */
  | 'lost'
  /** Half of the body comes. */
  | 'broken'
  /** An answer without asking the server: an error by its name, or without a body. */
  | { status: number; code?: string };

export interface S3Proxy {
  /** Of a store that goes through here. */
  settings: S3StoreSettings;
  /** Method, path and query of each request that came. */
  readonly seen: string[];
  /** What happens to requests from now on, by method, path and query. */
  fault: (asked: string) => Fault | undefined;
  close(): Promise<void>;
}

export async function openS3Proxy(settings: S3StoreSettings): Promise<S3Proxy> {
  const { hostname, port } = new URL(settings.endpoint ?? '');
  const server = createServer((req, res) => void handle(req, res).catch(() => res.destroy()));
  async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const asked = `${req.method ?? ''} ${req.url ?? ''}`;
    proxy.seen.push(asked);
    const fault = proxy.fault(asked);
    const body = await buffer(req);
    if (typeof fault === 'object') {
      res.writeHead(fault.status, { 'Content-Type': 'application/xml' });
      const hasBody = fault.code !== undefined && req.method !== 'HEAD';
      res.end(hasBody ? `<Error><Code>${fault.code}</Code><Message>no</Message></Error>` : '');
      return;
    }
    const call = request({ hostname, port, method: req.method, path: req.url, headers: req.headers });
    call.end(body);
    const [answer] = (await once(call, 'response')) as [IncomingMessage];
    const content = await buffer(answer);
    if (fault === 'lost') {
      res.destroy();
      return;
    }
    res.writeHead(answer.statusCode ?? 500, answer.rawHeaders);
    if (fault === 'broken') res.write(content.subarray(0, content.length / 2), () => res.destroy());
    else res.end(content);
  }
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy: S3Proxy = {
    settings: { ...settings, endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
    seen: [],
    fault: () => undefined,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return proxy;
}

/** A fault that happens to the first so many requests that match, and to no others. */
export function first(times: number, pattern: RegExp, fault: Fault): S3Proxy['fault'] {
  let left = times;
  return (asked) => (pattern.test(asked) && left-- > 0 ? fault : undefined);
}
