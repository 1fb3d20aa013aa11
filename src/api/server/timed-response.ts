/** An answer that notes when its request came and when its head went out, for `middleware/measured.ts` and chat. */
import { type IncomingMessage, type OutgoingHttpHeader, type OutgoingHttpHeaders, ServerResponse } from 'node:http';

type Headers = OutgoingHttpHeaders | OutgoingHttpHeader[];

/** One object a request, which is made anyway: nothing else is allocated for taking the time. */
export class TimedResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  /** By `performance.now()`: when the request's head was read. */
  readonly arrivedAtMs = performance.now();
  /** When the answer's head was written; 0 before. */
  headAtMs = 0;

  /** Node calls it, too, where only `write` was called. */
  override writeHead(status: number, message?: string, headers?: Headers): this;
  override writeHead(status: number, headers?: Headers): this;
  override writeHead(status: number, second?: string | Headers, third?: Headers): this {
    if (this.headAtMs === 0) this.headAtMs = performance.now();
    return typeof second === 'string'
      ? super.writeHead(status, second, third)
      : super.writeHead(status, second ?? third);
  }
}
