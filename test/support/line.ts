/** A line to a server that a test can cut, leave silent, and restore: a port that hands bytes on to another one. */
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
  /** Connections stay, and statements with this text are no longer understood by the server. */
  spoil(text: string): void;
  /** Mute, or silent, from the next bytes on that have this text in them; resolves with them when they came. */
  fails(how: 'mute' | 'silent', at: string): Promise<Buffer>;
  /**
   * Holds back what one connection sends, from the next bytes on that have this text in them, as a server does that is
   * frozen; the others go on. Resolves when they came.
   */
  holds(at: string): Promise<void>;
  /** Hands on what is held, though its sender may have gone; resolves once the server has dealt with it. */
  release(): Promise<void>;
  /** Connections from now on are as before. */
  restore(): Promise<void>;
  /** How many connections were made since the line was opened, and how many of them are open. */
  readonly made: number;
  readonly open: number;
  close(): Promise<void>;
}

/** Opens a line to the server of an address. */
export async function openLine(target: string): Promise<Line> {
  const { hostname, port: targetPort } = new URL(target);
  const sockets = new Set<Socket>();
  const callers = new Set<Socket>();
  let made = 0;
  let spoilt: string | undefined;
  let isSilent = false;
  let isMute = false;
  let holding: { at: string; came: () => void } | undefined;
  let held: { far: Socket; bytes: Buffer[] } | undefined;
  let fails: ((bytes: Buffer) => void) | undefined;
  let server: Server | undefined;
  const listen = async (port: number): Promise<number> => {
    server = createServer((near) => {
      made += 1;
      callers.add(kept(near).on('close', () => callers.delete(near)));
      if (isSilent) return;
      const far = kept(connect(Number(targetPort), hostname));
      const hand = (from: Socket, to: Socket, isLost = () => false) => {
        from.on('data', (bytes: Buffer) => {
          if (to === far && isHeld(far, bytes)) return;
          if (from === near) fails?.(bytes);
          if (!isSilent && !isLost()) to.write(to === far ? spoiled(bytes) : bytes);
        });
        from.on('close', () => {
          if (held?.far !== to) to.destroy();
        });
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
    spoil: (text) => {
      spoilt = text;
    },
    get made() {
      return made;
    },
    get open() {
      return callers.size;
    },
    fails: (how, at) =>
      new Promise((resolve) => {
        fails = (bytes) => {
          if (!bytes.includes(at)) return;
          fails = undefined;
          if (how === 'mute') isMute = true;
          else isSilent = true;
          resolve(bytes);
        };
      }),
    holds: (at) =>
      new Promise((came) => {
        holding = { at, came };
      }),
    release: async () => {
      if (!held) return;
      const { far, bytes } = held;
      if (far.destroyed) return;
      const dealtWith = once(far, 'close'); // after the last of it, as the server reads to the end
      far.end(Buffer.concat(bytes));
      await dealtWith;
      held = undefined;
    },
    restore: async () => {
      await cut();
      spoilt = undefined;
      isSilent = false;
      isMute = false;
      fails = undefined;
      holding = undefined;
      await listen(port);
    },
    close: cut,
  };

  function isHeld(far: Socket, bytes: Buffer): boolean {
    if (holding && bytes.includes(holding.at)) {
      held = { far, bytes: [] };
      holding.came();
      holding = undefined;
    }
    if (held?.far !== far) return false;
    held.bytes.push(bytes);
    return true;
  }

  function spoiled(bytes: Buffer): Buffer {
    if (spoilt === undefined) return bytes;
    return Buffer.from(bytes.toString('latin1').replaceAll(spoilt, '?'.repeat(spoilt.length)), 'latin1');
  }

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
