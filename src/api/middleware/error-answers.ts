/** The border to HTTP: whatever was thrown below becomes an error of the table in `domain/errors.ts`, and nothing else leaves. */
import { errorBody, errorTable, GatewayError } from '../../domain/errors.ts';
import { storeFailure } from '../../blobs/blob-store.ts';
import { databaseFailure } from '../../postgres/database.ts';
import { ClientGone } from '../body/request-stream.ts';
import { showLimitToCodex } from '../codex-form.ts';
import type { ApiContext, ApiMiddleware } from '../context.ts';
import { answerMessagesError, speaksMessages } from '../messages-form.ts';
import { showRetry } from '../retry-headers.ts';
import type { RouteHint } from '../route-hint.ts';

export const errors =
  (hint: RouteHint = () => undefined): ApiMiddleware =>
  async (ctx, next) => {
    try {
      await next();
      if (ctx.status === 404 && isEmpty(ctx)) throw notFound(ctx, hint);
      if ((ctx.status === 405 || ctx.status === 501) && isEmpty(ctx)) {
        throw new GatewayError(
          'method_not_allowed',
          `${ctx.path} does not support ${ctx.method}; allowed: ${ctx.response.get('Allow')}.`,
        );
      }
    } catch (error) {
      answerError(ctx, error);
    }
  };

/** Answers whatever was thrown, and keeps it for the log. */
export function answerError(ctx: ApiContext, error: unknown): void {
  ctx.state.error = error;
  // Where the answer is under way, breaking it off is the only way left to tell.
  if (ctx.headerSent) ctx.res.destroy();
  else answer(ctx, known(error));
}

/** Answers with an error's status, headers and body. */
export function answer(ctx: ApiContext, error: GatewayError): void {
  ctx.state.code = error.code;
  if (speaksMessages(ctx)) {
    answerMessagesError(ctx, error);
  } else {
    ctx.status = errorTable[error.code].status;
    ctx.body = { error: errorBody(error) };
  }
  // The console's people have no key to send.
  if (error.code === 'missing_api_key' || error.code === 'invalid_api_key') ctx.set('WWW-Authenticate', 'Bearer');
  showRetry(ctx, error);
  showLimitToCodex(ctx, error);
}

function notFound(ctx: ApiContext, hint: RouteHint): GatewayError {
  const meant = hint(ctx.method, ctx.path);
  const more = meant === undefined ? '' : ` Did you mean ${meant}?`;
  return new GatewayError('route_not_found', `No route matches ${ctx.path}.${more}`);
}

const isEmpty = (ctx: ApiContext): boolean => ctx.body === undefined || ctx.body === null;

function known(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  if (error instanceof ClientGone)
    return new GatewayError('invalid_parameter', 'The connection was closed before the request was complete.');
  const refusal = refusalOf(error);
  if (refusal) return refusal;
  return new GatewayError('internal_error', 'Internal error. Give the operator the request id.', {
    cause: error,
  });
}

/** What may pass: the database or the blob store is away, or can't take more just now. */
function refusalOf(cause: unknown): GatewayError | undefined {
  const database = databaseFailure(cause);
  if (database === 'away')
    return new GatewayError('not_ready', 'The database is unreachable. Retry in a few seconds.', {
      retryAfterSeconds: 5,
      cause,
    });
  if (database === 'busy')
    return new GatewayError('overloaded', 'The database is overloaded. Retry in a few seconds.', {
      retryAfterSeconds: 2,
      cause,
    });
  const store = storeFailure(cause);
  if (store === 'away')
    return new GatewayError('not_ready', 'The file store is unavailable. Retry in a few seconds.', {
      retryAfterSeconds: 5,
      cause,
    });
  if (store === 'full')
    return new GatewayError('overloaded', 'The file store is full. Retry later.', {
      retryAfterSeconds: 30,
      cause,
    });
  return undefined;
}
