/** Whether something listens at an address. Checked before the protocol, since its errors are easier to understand. */
import { connect } from 'node:net';
import { reasonOf } from './reason.ts';

/** Returns undefined if a connection to `host:port` (or `[v6]:port`) could be opened, else the reason. Closes it at once. */
export function findSocketError(address: string, timeoutMs: number): Promise<string | undefined> {
  const at = address.lastIndexOf(':');
  const host = address.slice(0, at).replace(/^\[(.*)\]$/, '$1');
  return new Promise((resolve) => {
    const socket = connect({ host, port: Number(address.slice(at + 1)), timeout: timeoutMs });
    const finish = (error: string | undefined) => {
      socket.destroy();
      resolve(error);
    };
    socket.once('connect', () => finish(undefined));
    socket.once('timeout', () => finish('no answer'));
    socket.once('error', (error) => finish(reasonOf(error)));
  });
}
