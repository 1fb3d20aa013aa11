/**
 * Keeps connections open until it is known whether their caller got everything. Node closes one with `Connection: close`,
 * or that its caller has ended, as soon as the last byte is in the kernel's buffers: a reset that comes then is never
 * heard.
 */
import type { Socket } from 'node:net';

export interface HeldConnection {
  /** Ends our side of the connection; it can still be observed whether the caller closes its own. */
  endOurSide: () => void;
  /** Closes it. */
  release: () => void;
}

const held = new WeakSet<Socket>();

/** Whether the connection is kept open here though its answer was written. */
export const isHeldOpen = (socket: Socket): boolean => held.has(socket);

/** Holds a connection open against Node's own end of it. */
export function holdOpen(socket: Socket): HeldConnection {
  held.add(socket);
  socket.end = () => socket;
  socket.destroySoon = () => undefined;
  const giveBack = () => {
    Reflect.deleteProperty(socket, 'end');
    Reflect.deleteProperty(socket, 'destroySoon');
  };
  return {
    endOurSide() {
      Reflect.deleteProperty(socket, 'end');
      socket.end();
    },
    release() {
      giveBack();
      held.delete(socket);
      socket.destroySoon();
    },
  };
}
