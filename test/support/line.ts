/** A line to a server that a test can cut, leave silent, and mend: a port that hands bytes on to another one. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

export interface Line {
  /** The same address, by this line. */
  url: string;
  /** Closes all connections and refuses new ones. */
  cut(): Promise<void>;
  /** Connections stay, new ones are taken, and nothing passes any more; what was sent is lost. */
  silence(): void;
  /** What is sent still arrives, and its answers are lost. */
  mute(): void;
  /** Connections from now on are as before. */
  mend(): Promise<void>;
  close(): Promise<void>;
}

/** Opens a line to the server of an address. */
export async function openLine(target: string): Promise<Line> {
  const { hostname, port: targetPort } = new URL(target);
  const sockets = new Set<Socket>();
  let isSilent = false;
  let isMute = false;
  let server: Server | undefined;
  const listen = async (port: number): Promise<number> => {
    server = createServer((near) => {
      kept(near);
      if (isSilent) return;
      const far = kept(connect(Number(targetPort), hostname));
      const hand = (from: Socket, to: Socket, isLost = () => false) => {
        from.on('data', (bytes) => isSilent || isLost() || to.write(bytes));
        from.on('close', () => to.destroy());
      };
      hand(near, far);
      hand(far, near, () => isMute);
    });
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  };
  const port = await listen(0);
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  url.port = String(port);
  return {
    url: url.href,
    cut,
    silence: () => {
      isSilent = true;
    },
    mute: () => {
      isMute = true;
    },
    mend: async () => {
      await cut();
      isSilent = false;
      isMute = false;
      await listen(port);
    },
    close: cut,
  };

  function kept(socket: Socket): Socket {
    sockets.add(socket);
    return socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  }

  async function cut(): Promise<void> {
    for (const socket of sockets) socket.destroy();
    const closing = server;
    server = undefined;
    if (!closing) return;
    closing.close();
    await once(closing, 'close');
  }
}
