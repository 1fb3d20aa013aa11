/** Callers who leave: that is no error of theirs and none of ours, so the log has one ordinary line of their request. */
import type { ApiContext } from '../context.ts';

/** What proxies log where a client closed the connection before it was answered; it is never sent. */
const clientClosedRequest = 499;

/** Ends a request whose caller has left before its answer began: nothing is sent any more. */
export function endLeft(ctx: ApiContext): void {
  ctx.status = clientClosedRequest;
  ctx.respond = false;
}

/**
 * Returns whether the caller was sent its whole answer. Agents close the connection when they have read a stream's last
 * event; it goes out in one write with the stream's end.
 */
export const wasSentWhole = ({ res }: Pick<ApiContext, 'res'>): boolean => res.writableFinished;

/** Returns whether an answer broke off because its caller closed or reset the connection. */
export function isLeave(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false;
  if (error.code === 'ERR_STREAM_PREMATURE_CLOSE') return true;
  return isReset(error) && 'syscall' in error && error.syscall === 'write';
}

/** Returns whether a connection was reset: the caller's as a rule, but what an answer is read from may be reset, too. */
export const isReset = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
