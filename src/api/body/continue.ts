/** `Expect: 100-continue`: the go-ahead is given when a body reader starts, so that a bad key costs no upload. */
import type { IncomingMessage, ServerResponse } from 'node:http';

const waiting = new WeakMap<IncomingMessage, ServerResponse>();

/** Notes that the caller waits for the go-ahead. Answered without one, Node closes the connection by itself. */
export function expectsContinue(request: IncomingMessage, response: ServerResponse): void {
  waiting.set(request, response);
}

/** Whether the caller still waits, so that nothing of its body is under way. */
export const awaitsGoAhead = (request: IncomingMessage): boolean => waiting.has(request);

/** To be called before a body is read. */
export function askForBody(request: IncomingMessage): void {
  waiting.get(request)?.writeContinue();
  waiting.delete(request);
}
