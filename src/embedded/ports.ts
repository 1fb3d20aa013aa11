/** Free loopback ports for the embedded servers. */
import { randomInt } from 'node:crypto';
import { connect, createServer } from 'node:net';

// Below the range from which systems take the local ports of outgoing connections (Linux: 32768 and up, others: 49152).
// In that range a client that retries a stopped server could be given the server's own port, or even connect to itself,
// and the server could not come back on its port.
const portMin = 15_000;
const portEnd = 30_000;

/** Whether a server could listen on 127.0.0.1 at this port now. */
export function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(false);
      else reject(error);
    });
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () => {
      server.close(() => {
        resolve(true);
      });
    });
  });
}

/** Whether something accepts connections on 127.0.0.1 at this port. Connects only: a bind would take the port. */
export function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, timeout: 1_000 });
    const answer = (listening: boolean) => () => {
      socket.destroy();
      resolve(listening);
    };
    socket.once('connect', answer(true)).once('error', answer(false)).once('timeout', answer(false));
  });
}

/**
 * As many different free ports as there are entries: each entry's own port if it is free, else a new one.
 * They are free when looked at; another process may still bind one first.
 */
export async function freePorts(preferred: readonly (number | undefined)[]): Promise<number[]> {
  const taken: number[] = [];
  for (const port of preferred) {
    taken.push(port !== undefined && !taken.includes(port) && (await isPortFree(port)) ? port : await newPort(taken));
  }
  return taken;
}

async function newPort(taken: readonly number[]): Promise<number> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const port = randomInt(portMin, portEnd);
    if (!taken.includes(port) && (await isPortFree(port))) return port;
  }
  throw new Error(`No free port on 127.0.0.1 between ${portMin} and ${portEnd - 1} in 200 tries.`);
}
