/**
 * Keeps connections open until it is known whether their caller got everything. Node ends one when its caller has ended
 * it, or asked for `Connection: close`, as soon as the last byte is in the kernel's buffers: a reset that comes then is
 * heard by nobody.
 */
import type { Socket } from 'node:net';

interface Hold {
  count: number;
  isEndAsked: boolean;
}

const holds = new WeakMap<Socket, Hold>();

/** Holds a connection open; answers how to let go of it, which ends it if that was asked for meanwhile. */
export function heldOpen(socket: Socket): () => void {
  const hold = holds.get(socket) ?? begun(socket);
  hold.count++;
  return () => {
    hold.count--;
    if (hold.count > 0) return;
    holds.delete(socket);
    Reflect.deleteProperty(socket, 'end');
    if (hold.isEndAsked) socket.destroySoon();
  };
}

function begun(socket: Socket): Hold {
  const hold: Hold = { count: 0, isEndAsked: false };
  holds.set(socket, hold);
  socket.end = () => {
    hold.isEndAsked = true;
    return socket;
  };
  return hold;
}
