/** What a worker answers over HTTP: `/metrics`, `/healthz` and `/readyz`, for those who watch it. It takes no work there. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { NativeConnection } from '@temporalio/worker';
import { errorBody, errorTable, GatewayError } from '../domain/errors.ts';
import { Readiness } from '../api/health/readiness.ts';
import type { Core } from './parts.ts';
import { showReadiness } from './scraped-gauges.ts';

const connectionsMax = 64;
const requestMsMax = 10_000;

export interface WorkerEndpoint {
  port: number;
  /** The workers run: `/readyz` may say so. */
  becomeReady(): void;
  /** `/readyz` says from now on that the worker stops; the rest goes on. */
  leave(): void;
  close(): Promise<void>;
}

/** Listens on a port of `HOST`; 0 takes a free one. Rejects with a clear message when the port is taken. */
export async function openWorkerEndpoint(
  { environment, database, blobs, meters, log }: Core,
  connection: NativeConnection,
  port: number,
): Promise<WorkerEndpoint> {
  let isPrepared = false;
  const leaving = new AbortController();
  const readiness = new Readiness({
    database,
    blobs,
    checkTemporal: async () => {
      await connection.workflowService.getSystemInfo({});
    },
    needsTemporal: true,
    leaving: leaving.signal,
    isPrepared: () => isPrepared,
  });
  showReadiness(meters.metrics, readiness);
  const server = createServer({ requestTimeout: requestMsMax }, (request, response) => {
    answer(request, response).catch((error: unknown) => {
      log.error({ err: error }, 'the endpoint of the worker could not answer');
      response.destroy();
    });
  });
  server.maxConnections = connectionsMax;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const text = `Port ${port} on ${environment.host} is already in use. Set TOLLGATE_WORKER_PORT to another port.`;
      reject(cause.code === 'EADDRINUSE' ? new Error(text, { cause }) : cause);
    });
    server.listen(port, environment.host, () => resolve());
  });
  return {
    port: portOf(server.address()),
    becomeReady: () => (isPrepared = true),
    leave: () => leaving.abort(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      refuse(response, new GatewayError('method_not_allowed', 'Only GET is supported.'));
      return;
    }
    const [path = ''] = (request.url ?? '').split('?', 1);
    switch (path) {
      case '/healthz': {
        send(response, 200, { status: 'ok' });
        return;
      }
      case '/readyz': {
        const state = await readiness.now();
        if (state.ready) {
          send(response, 200, { status: 'ok' });
          return;
        }
        refuse(response, new GatewayError('not_ready', `Not ready: ${state.reason}.`));
        return;
      }
      case '/metrics': {
        const text = await meters.metrics.metrics();
        response.writeHead(200, { 'Content-Type': meters.metrics.contentType }).end(text);
        return;
      }
      default: {
        refuse(response, new GatewayError('route_not_found', 'Available paths: /metrics, /healthz and /readyz.'));
        return;
      }
    }
  }
}

/** In the form of the API's own errors. */
function refuse(response: ServerResponse, error: GatewayError): void {
  send(response, errorTable[error.code].status, { error: errorBody(error) });
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === 'string') throw new TypeError('the endpoint listens on no port');
  return address.port;
}
