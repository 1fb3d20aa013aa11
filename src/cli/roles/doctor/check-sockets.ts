/** Whether something listens at an address, asked before what speaks there: the reasons are plainer. */
import { connect } from 'node:net';
import { reasonOf } from './reason.ts';

/** Undefined where a connection could be made to `host:port` (or `[v6]:port`), which is closed at once; else why not. */
export function socketTrouble(address: string, timeoutMs: number): Promise<string | undefined> {
  const at = address.lastIndexOf(':');
  const host = address.slice(0, at).replace(/^\[(.*)\]$/, '$1');
  return new Promise((resolve) => {
    const socket = connect({ host, port: Number(address.slice(at + 1)), timeout: timeoutMs });
    const told = (trouble: string | undefined) => {
      socket.destroy();
      resolve(trouble);
    };
    socket.once('connect', () => told(undefined));
    socket.once('timeout', () => told('no answer'));
    socket.once('error', (error) => told(reasonOf(error)));
  });
}
