/** The HTTP server round the application: its limits. Its orderly end is in `server-end.ts`. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type Koa from 'koa';
import { expectsContinue } from './body/continue.ts';
import type { RequestState } from './context.ts';
import { requestArrived } from './fetch-once/next-request.ts';
import { type EndOfServing, ServerEnd } from './server-end.ts';

const header_bytes_max = 16 * 1024;
const headers_ms_max = 30_000;
/** An upload may take an hour in all; its pauses are bounded where it is read. */
const request_ms_max = 3_660_000;
/** Longer than load balancers keep idle connections (60 s), so that they close them and not we. */
const keep_alive_ms = 65_000;
const connections_max = 20_000;

export interface RunningServer extends EndOfServing {
  port: number;
}

/** Serves the application; resolves once the port is open and rejects with a clear message when it is taken. */
export async function serve(
  app: Koa<RequestState>,
  { host, port }: { host: string; port: number },
): Promise<RunningServer> {
  const server = createServer({
    maxHeaderSize: header_bytes_max,
    requestTimeout: request_ms_max,
    headersTimeout: headers_ms_max,
  });
  server.keepAliveTimeout = keep_alive_ms;
  server.maxConnections = connections_max;
  const handle = app.callback();
  const end = new ServerEnd(server);
  const respond = (request: IncomingMessage, response: ServerResponse) => {
    requestArrived(request.socket);
    end.during(request, response, () => handle(request, response));
  };
  server.on('request', respond);
  server.on('checkExpectation', respond); // what we don't know we need not meet (RFC 9110, section 10.1.1)
  // The body is asked for only where it is read, after the key and the headers were checked.
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    expectsContinue(request, response);
    respond(request, response);
  });
  await listen(server, host, port);
  return {
    port: portOf(server),
    announce: (forMs) => end.announce(forMs),
    close: (graceMs, timeIsUp) => end.close(graceMs, timeIsUp),
  };
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const taken = error.code === 'EADDRINUSE';
      reject(taken ? new Error(`Port ${port} on ${host} is taken. Set PORT to another one.`, { cause: error }) : error);
    });
    server.listen(port, host, () => resolve());
  });
}

function portOf(server: Server): number {
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('the server listens on no port');
  return address.port;
}
