/** Who asks: the key of the request, good for the level that the route needs. Checked before the body is read. */
import { rateState, type RateState, refusalOfKey } from '../../domain/billing/admission.ts';
import { refusalOfAddress } from '../../domain/accounts/allowed-ips.ts';
import { GatewayError } from '../../domain/errors.ts';
import type { KeyLevel } from '../../domain/accounts/key-rules.ts';
import type { ApiContext, ApiMiddleware } from '../context.ts';
import { requestTagOf } from '../request-tag.ts';
import type { ApiDependencies } from '../dependencies.ts';

type Asked = Pick<ApiDependencies, 'keys' | 'callerAddress' | 'bodies'>;

/** Lets a request pass whose key is known, not revoked or expired, of an active account, of this level, and used from where it may be. */
export const authenticated =
  ({ keys, callerAddress, bodies }: Asked, needs: KeyLevel): ApiMiddleware =>
  async (ctx, next) => {
    // The playground's stands there already: who asks was known by their session, and no header says otherwise.
    // Billable calls are POSTs: their counts are shown from their admission.
    const key = ctx.state.key ?? (await keys.find(secretOf(ctx), { exactCounts: ctx.method !== 'POST' }));
    if (!key) throw new GatewayError('invalid_api_key', 'Invalid API key.');
    ctx.state.key = key; // of a refused one, too, the record and the log say whose it is
    const tag = requestTagOf(ctx);
    if (tag !== undefined) ctx.state.tag = tag;
    if (key.bodyRules !== null && hasBodies(ctx, needs)) ctx.state.bodies = bodies.tap(key.bodyRules);
    const now = new Date();
    const refusal =
      refusalOfKey({ needs }, { status: key.accountStatus }, key, now) ??
      // Most keys have no list, and need no address.
      (key.allowedIps === null ? undefined : refusalOfAddress(key, callerAddress(ctx.req)));
    if (refusal) throw refusal;
    showRate(ctx, rateState(key, now));
    await next();
  };

/** What administers keys and secrets answers with them, and what only reads has no body. */
const hasBodies = ({ method, state }: ApiContext, needs: KeyLevel): boolean =>
  method === 'POST' && (needs === 'chat' || needs === 'standard') && state.isUnrecorded !== true;

/** Shows the state of the key's tightest call limit, if it has one. */
export function showRate(ctx: ApiContext, rate: RateState | undefined): void {
  if (!rate) return;
  ctx.set('X-RateLimit-Limit', String(rate.limit));
  ctx.set('X-RateLimit-Remaining', String(rate.remaining));
  ctx.set('X-RateLimit-Reset', String(rate.resetSeconds));
}

function secretOf(ctx: ApiContext): string {
  const header = ctx.get('Authorization');
  if (header === '') {
    const alone = ctx.get('x-api-key'); // as Anthropic's clients send it
    if (/^[\x21-\x7e]{1,512}$/.test(alone)) return alone;
    if (alone !== '') throw new GatewayError('invalid_api_key', 'Invalid API key.');
    throw new GatewayError('missing_api_key', "Send your API key in the header 'Authorization: Bearer <key>'.");
  }
  const secret = /^Bearer +([\x21-\x7e]{1,512})$/i.exec(header)?.[1];
  if (secret === undefined)
    throw new GatewayError('invalid_api_key', "The Authorization header must have the form 'Bearer <key>'.");
  return secret;
}
