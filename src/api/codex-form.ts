/** The one error that Codex has to get in a form of its own, or its user would not see why a call was refused. */
import { errorBody, errorTable, type GatewayError } from '../domain/errors.ts';
import type { ApiContext } from './context.ts';

/**
 * Gives the answer at a key's limit, after which no other try helps soon, the form that Codex shows. Of a 429 it prints
 * no words but those of a `usage_limit_reached`, and takes these from a header, to which it adds when to try again; any
 * other 429 it sends again, and in the end prints the status alone. Tried with 0.169.0, over its `codex exec`.
 */
export function showLimitToCodex(ctx: ApiContext, error: GatewayError): void {
  const isLimit = errorTable[error.code].status === 429 && ctx.response.get('x-should-retry') === 'false';
  if (!isLimit || !isCodex(ctx)) return;
  const { message, retryAfterSeconds: seconds } = error;
  ctx.set('x-codex-promo-message', message.replace(/\.$/, ''));
  const resetsAt = seconds === undefined ? {} : { resets_at: Math.floor(Date.now() / 1000) + seconds };
  ctx.body = { error: { ...errorBody(error), type: 'usage_limit_reached', ...resetsAt } };
}

/** Each of its programs says so: `codex_exec`, `codex_cli_rs`, `codex_vscode`. */
const isCodex = ({ req }: ApiContext): boolean => /^codex/i.test(String(req.headers['originator']));
