/** The HTTP server round the application: its limits, and its orderly end. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type Koa from 'koa';
import { expectsContinue } from './body/continue.ts';
import type { RequestState } from './context.ts';
import { requestArrived } from './fetch-once/next-request.ts';

const header_bytes_max = 16 * 1024;
const headers_ms_max = 30_000;
/** An upload may take an hour in all; its pauses are bounded where it is read. */
const request_ms_max = 3_660_000;
/** Longer than load balancers keep idle connections (60 s), so that they close them and not we. */
const keep_alive_ms = 65_000;
const connections_max = 20_000;

export interface RunningServer {
  port: number;
  /** Takes no new connections, lets running requests finish for `graceMs`, then closes what is left. */
  stop(graceMs: number): Promise<void>;
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
  const running = new Set<ServerResponse>();
  const respond = (request: IncomingMessage, response: ServerResponse) => {
    requestArrived(request.socket);
    running.add(response);
    response.once('close', () => running.delete(response));
    void handle(request, response);
  };
  server.on('request', respond);
  server.on('checkExpectation', respond); // what we don't know we need not meet (RFC 9110, section 10.1.1)
  // The body is asked for only where it is read, after the key and the headers were checked.
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    expectsContinue(request, response);
    respond(request, response);
  });
  await listen(server, host, port);
  return { port: portOf(server), stop: (graceMs) => stop(server, running, graceMs) };
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

async function stop(server: Server, running: ReadonlySet<ServerResponse>, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // Or the connections of callers that wait now would be kept, and waited for, after their answers.
  for (const response of running) if (!response.headersSent) response.setHeader('Connection', 'close');
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearTimeout(timer);
}

function portOf(server: Server): number {
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('the server listens on no port');
  return address.port;
}
