/** The HTTP server round the application: its limits. Its orderly end is in `server-end.ts`. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type Koa from 'koa';
import { expectsContinue } from '../body/continue.ts';
import { isRestBounded } from '../body/request-stream.ts';
import type { RequestState } from '../context.ts';
import { readProxyHeaders } from './proxy-protocol.ts';
import { type EndOfServing, ServerEnd } from './server-end.ts';
import { TimedResponse } from './timed-response.ts';
import { isReadable, refuseConnect, refuseUnreadable } from './unreadable-request.ts';

const headerBytesMax = 16 * 1024;
const headersMsMax = 30_000;
/** How often Node looks for connections that are past these times; every 30 s by itself. */
const looksMs = 5_000;
/** An upload may take an hour in all; its pauses are bounded where it is read. */
const requestMsMax = 3_660_000;
/** Longer than load balancers keep idle connections (60 s), so that they close them and not we. */
const keepAliveMs = 65_000;
const connectionsMax = 20_000;
/** What is left of a body when its request was answered is thrown away for this long. */
const restMsMax = 60_000;
/** And no more of it: three times the largest JSON body, as most callers read no answer before they have sent everything. */
const restBytesMax = 64 * 1024 * 1024;
const restLookMs = 20;

/** Of one answer: ours, and the seven that sending a stream takes. Node warns of leaks from the eleventh on. */
const listenersMax = 20;

export interface RunningServer extends EndOfServing {
  port: number;
  /** How many connections are open. */
  connections(): Promise<number>;
}

export interface ServeOptions {
  host: string;
  port: number;
  /** How long the headers of a request may take. */
  headersMs?: number;
  /** How long a caller that was answered may go on sending its body. */
  restMs?: number;
  /** Whose connections may begin with a PROXY protocol header; none without. */
  isBalancer?: ((address: string) => boolean) | undefined;
}

/** Serves the application; resolves once the port is open and rejects with a clear message when it is taken. */
export async function serve(
  app: Koa<RequestState>,
  { host, port, headersMs = headersMsMax, restMs = restMsMax, isBalancer }: ServeOptions,
): Promise<RunningServer> {
  const server = createServer({
    maxHeaderSize: headerBytesMax,
    requestTimeout: requestMsMax,
    headersTimeout: headersMs,
    connectionsCheckingInterval: Math.min(looksMs, headersMs),
    insecureHTTPParser: false, // whatever the command line says
    ServerResponse: TimedResponse,
    requireHostHeader: false, // refused in our own form
  });
  server.keepAliveTimeout = keepAliveMs;
  server.maxConnections = connectionsMax;
  // Of several processes on one port a full one would hand the connection on, and all full ones for ever (Node 22.12).
  Object.assign(server, { dropMaxConnection: true });
  const handle = app.callback();
  const end = new ServerEnd(server);
  const respond = (request: IncomingMessage, response: ServerResponse) => {
    response.setMaxListeners(listenersMax);
    // By `on` here and elsewhere: it comes once anyway, and `once` keeps another 200 bytes in every waiting caller.
    response.on('close', () => {
      if (!request.complete) endRest(request, restMs);
    });
    end.during(request, response, async () => {
      if (isReadable(request, response)) await handle(request, response);
    });
  };
  server.on('request', respond);
  server.on('checkExpectation', respond); // what we don't know we need not meet (RFC 9110, section 10.1.1)
  server.on('connect', refuseConnect);
  server.on('clientError', refuseUnreadable);
  // The body is asked for only where it is read, after the key and the headers were checked.
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    expectsContinue(request, response);
    respond(request, response);
  });
  if (isBalancer) readProxyHeaders(server, isBalancer);
  await listen(server, host, port);
  return {
    port: portOf(server),
    connections: () =>
      new Promise((resolve, reject) => {
        server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
      }),
    announce: (forMs) => end.announce(forMs),
    close: (graceMs, timeIsUp) => end.close(graceMs, timeIsUp),
  };
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const taken = error.code === 'EADDRINUSE';
      reject(
        taken
          ? new Error(`Port ${port} on ${host} is already in use. Set PORT to another port.`, { cause: error })
          : error,
      );
    });
    server.listen(port, host, () => resolve());
  });
}

/** Ends the connection of a caller that was answered and goes on sending: for too long, or too much. */
function endRest(request: IncomingMessage, restMs: number): void {
  const { socket } = request;
  const answeredAt = socket.bytesRead;
  const end = () => {
    if (!request.complete) socket.destroy();
  };
  const timer = setTimeout(end, restMs).unref();
  const looks = setInterval(() => {
    if (!isRestBounded(request) && socket.bytesRead - answeredAt > restBytesMax) end();
  }, restLookMs).unref();
  request.once('close', () => {
    clearTimeout(timer);
    clearInterval(looks);
  });
}

function portOf(server: Server): number {
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('the server listens on no port');
  return address.port;
}
