/** Tells when a kept-alive connection carries its next request: its caller has read the answer before. */
import type { Socket } from 'node:net';

const listeners = new WeakMap<Socket, Set<() => void>>();

/** Calls back at the next request on the connection; answers how to stop listening. */
export function nextRequestOn(socket: Socket, heard: () => void): () => void {
  const others = listeners.get(socket) ?? new Set();
  listeners.set(socket, others.add(heard));
  return () => others.delete(heard);
}

/** Whether somebody listens on the connection. */
export const isAwaited = (socket: Socket): boolean => (listeners.get(socket)?.size ?? 0) > 0;

/** To be called for every request that arrives. */
export function requestArrived(socket: Socket): void {
  for (const heard of [...(listeners.get(socket) ?? [])]) heard();
}
