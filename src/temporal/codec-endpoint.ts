/**
 * The codec endpoint of Temporal's UI and command line: decrypts what they show. Both POST `{"payloads": […]}`, payloads as
 * Temporal's API writes them in JSON, to `<endpoint>/decode`. Anyone who reaches this endpoint and
 * has a payload can read it, so an operator runs it on their own machine; of web pages only those of the named origins
 * are answered.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Payload, PayloadCodec } from '@temporalio/common';
import { ValueError } from '@temporalio/common';

// A page of history has some hundred payloads of less than a kilobyte.
const bodyBytesMax = 8 * 1024 * 1024;
const payloadsMax = 10_000;
const connectionsMax = 64;
const requestMsMax = 10_000;

export interface CodecEndpointOptions {
  codec: PayloadCodec;
  /** Of the UI's addresses: `http://127.0.0.1:8233`. */
  origins: readonly string[];
  /** The one whose payloads are decrypted, which callers name in X-Namespace. */
  namespace: string;
}

/** The server, not yet listening. */
export function codecEndpoint(options: CodecEndpointOptions): Server {
  const server = createServer((request, response) => {
    answer(options, request, response).catch((error: unknown) => {
      const { status, message } = error instanceof Unanswerable ? error : new Unanswerable(500, 'It failed.');
      send(response, status, { message });
    });
  });
  server.maxConnections = connectionsMax;
  server.requestTimeout = requestMsMax;
  server.headersTimeout = requestMsMax;
  return server;
}

/** A refused request; the message goes to the caller. */
class Unanswerable extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

async function answer(options: CodecEndpointOptions, request: IncomingMessage, response: ServerResponse) {
  const { origin } = request.headers;
  // Browsers name the origin of every such call; the command line has none.
  if (origin !== undefined) {
    if (!options.origins.includes(origin)) throw new Unanswerable(403, 'This origin is not allowed.');
    response.setHeader('Access-Control-Allow-Origin', origin);
    response.setHeader('Vary', 'Origin');
  }
  if (request.url !== '/decode') throw new Unanswerable(404, 'The only path is /decode.');
  if (request.method === 'OPTIONS') {
    preflight(request, response);
    return;
  }
  if (request.method !== 'POST') throw new Unanswerable(405, 'Only POST is supported.');
  if (!/^application\/json\b/.test(request.headers['content-type'] ?? ''))
    throw new Unanswerable(415, 'Content-Type must be application/json.');
  if ((request.headers['x-namespace'] ?? options.namespace) !== options.namespace)
    throw new Unanswerable(403, `X-Namespace must be ${options.namespace}.`);
  const payloads = payloadsOf(await bodyOf(request));
  const decoded = await options.codec.decode(payloads).catch((error: unknown) => {
    throw error instanceof ValueError ? new Unanswerable(422, error.message) : error;
  });
  send(response, 200, { payloads: decoded.map(jsonOf) });
}

/** Chrome asks besides whether a page from elsewhere may reach into a private network. */
function preflight(request: IncomingMessage, response: ServerResponse): void {
  response.setHeader('Access-Control-Allow-Methods', 'POST');
  response.setHeader('Access-Control-Allow-Headers', 'content-type, x-namespace, authorization');
  if (request.headers['access-control-request-private-network'] === 'true')
    response.setHeader('Access-Control-Allow-Private-Network', 'true');
  response.writeHead(204).end();
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bodyBytesMax) throw new Unanswerable(413, `The body must not exceed ${bodyBytesMax} bytes.`);
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString()) as unknown;
  } catch {
    throw new Unanswerable(400, 'The body is not valid JSON.');
  }
}

function payloadsOf(body: unknown): Payload[] {
  const payloads = isObject(body) ? (body['payloads'] ?? []) : undefined;
  if (!Array.isArray(payloads) || payloads.length > payloadsMax)
    throw new Unanswerable(400, `The body must be {"payloads": […]} with at most ${payloadsMax} payloads.`);
  return payloads.map((payload: unknown) => {
    const { metadata = {}, data = '' } = isObject(payload) ? payload : { data: null };
    if (!isObject(metadata) || typeof data !== 'string')
      throw new Unanswerable(400, 'A payload must be {"metadata": {…}, "data": "…"}.');
    const facts = Object.entries(metadata).map(
      ([name, value]) => [name, Buffer.from(String(value), 'base64')] as const,
    );
    return { metadata: Object.fromEntries(facts), data: Buffer.from(data, 'base64') };
  });
}

const jsonOf = ({ metadata, data }: Payload) => ({
  metadata: Object.fromEntries(Object.entries(metadata ?? {}).map(([name, value]) => [name, base64(value)])),
  data: base64(data ?? Buffer.alloc(0)),
});

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function send(response: ServerResponse, status: number, body: unknown): void {
  if (response.headersSent) return;
  response.setHeader('Cache-Control', 'no-store');
  // What was not read of a body would be taken for the next request.
  if (status >= 400) response.setHeader('Connection', 'close');
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}
