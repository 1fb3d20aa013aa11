/**
 * The connection that was on its way to a process when that was killed. node:cluster (to Node 24 at least) waits for ever
 * for the process's answer and keeps the connection open, so that its caller would wait as long.
 */
import type { Worker } from 'node:cluster';

/** Closes it when the process ends. There is one at the most: the next is sent when the process has taken the last. */
export function closeUndelivered(worker: Worker): void {
  const { process } = worker;
  const send = process.send.bind(process);
  let newest: Closable | undefined;
  process.send = (...args: unknown[]): boolean => {
    const [, handle] = args;
    if (isClosable(handle)) newest = handle;
    return Reflect.apply(send, process, args) === true;
  };
  worker.once('exit', () => newest?.close()); // closing again what the process has taken changes nothing
}

interface Closable {
  close(): void;
}

const isClosable = (value: unknown): value is Closable =>
  typeof value === 'object' && value !== null && 'close' in value && typeof value.close === 'function';
