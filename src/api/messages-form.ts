/** Which requests are of Anthropic's API: their errors, lists and the header of their id have its form. */
import { errorTable, type GatewayError } from '../domain/errors.ts';
import { messagesError, messagesStatusOf } from '../domain/messages-errors.ts';
import type { ApiContext } from './context.ts';

/** The endpoint itself and all that its clients look for below it. */
const messagesPath = /\/messages(?:\/|$)/;

/** Returns whether the caller speaks Anthropic's API: by the path, or by the header that its clients send with all calls. */
export const speaksMessages = ({ path, req }: Pick<ApiContext, 'path' | 'req'>): boolean =>
  messagesPath.test(path) || req.headers['anthropic-version'] !== undefined;

/** Answers with an error's status and body in that form. */
export function answerMessagesError(ctx: ApiContext, { code, message }: GatewayError): void {
  const status = messagesStatusOf(code);
  ctx.status = status;
  // Node knows no name for it.
  if (status !== errorTable[code].status) ctx.message = 'Overloaded';
  ctx.body = messagesError({ status, message }, ctx.state.requestId);
}
