/** A server on a free loopback port that reads bodies with one reader, and a raw client that sends exactly the bytes it is given. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';
import { expectsContinue } from '../../../src/api/body/continue.ts';
import { GatewayError } from '../../../src/domain/errors.ts';

export interface Outcome<Body> {
  value?: Body;
  error?: unknown;
}

export interface BodyServer<Body> {
  port: number;
  /** What became of each request, in the order in which they ended. */
  outcome: () => Promise<Outcome<Body>>;
  /** Opens a connection and sends the head of a POST, and after it whatever is given. */
  post: (headers: Record<string, string | number>, ...pieces: (string | Buffer)[]) => Client;
}

export interface Client {
  socket: Socket;
  /** Status and JSON of the answer. */
  answer: () => Promise<{ status: number; body: unknown }>;
}

export async function withBodyServer<Body>(
  read: (request: IncomingMessage) => Promise<Body>,
  use: (server: BodyServer<Body>) => Promise<void>,
): Promise<void> {
  const outcomes: Outcome<Body>[] = [];
  const waiting: ((outcome: Outcome<Body>) => void)[] = [];
  const settled = (outcome: Outcome<Body>) => {
    const first = waiting.shift();
    if (first) first(outcome);
    else outcomes.push(outcome);
  };
  const server = createServer();
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    expectsContinue(request, response);
    server.emit('request', request, response);
  });
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    read(request).then(
      (value) => {
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}');
        settled({ value });
      },
      (error: unknown) => {
        const { code, param } = error instanceof GatewayError ? error : { code: 'other', param: null };
        response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ code, param }));
        settled({ error });
      },
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const sockets: Socket[] = [];
  const post: BodyServer<Body>['post'] = (headers, ...pieces) => {
    const socket = connect(port, '127.0.0.1');
    sockets.push(socket);
    const answer = answerOn(socket);
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`POST / HTTP/1.1\r\nhost: gate\r\n${lines.join('')}\r\n`);
    for (const piece of pieces) socket.write(piece);
    return { socket, answer: () => answer };
  };
  try {
    await use({
      port,
      post,
      outcome: () => {
        const first = outcomes.shift();
        return first ? Promise.resolve(first) : new Promise((resolve) => waiting.push(resolve));
      },
    });
  } finally {
    for (const socket of sockets) socket.destroy();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

/** Collects one answer whose body has the length that its head states, or is chunked in one piece. */
function answerOn(socket: Socket): Promise<{ status: number; body: unknown }> {
  const answer = new Promise<{ status: number; body: unknown }>((resolve, reject) => {
    let text = '';
    socket.on('data', (piece: Buffer) => {
      text += piece.toString();
      const match = /^(?:HTTP\/1\.1 100 Continue\r\n\r\n)?HTTP\/1\.1 (\d{3})[^]*?\r\n\r\n[^{]*(\{[^]*\})/.exec(text);
      if (match) resolve({ status: Number(match[1]), body: JSON.parse(match[2]!) });
    });
    socket.on('error', reject);
    socket.on('close', () => reject(new Error(`the connection ended after: ${text}`)));
  });
  answer.catch(() => undefined); // most tests look at the outcome only
  return answer;
}
