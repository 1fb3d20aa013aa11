/** The request's id: the caller's own if it is a plain one, else a new one; on every answer and log line. */
import { newRequestId } from '../../postgres/new-ids.ts';
import { speaksMessages } from '../messages-form.ts';
import type { ApiMiddleware } from '../context.ts';

const plainId = /^[A-Za-z0-9._-]{1,128}$/;

export const requestId = (): ApiMiddleware => async (ctx, next) => {
  const given = ctx.get('X-Request-Id');
  ctx.state.requestId = plainId.test(given) ? given : newRequestId();
  ctx.set('X-Request-Id', ctx.state.requestId);
  if (speaksMessages(ctx)) ctx.set('request-id', ctx.state.requestId); // where Anthropic's SDKs look for it
  await next();
};
