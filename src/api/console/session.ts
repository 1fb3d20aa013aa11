/** Who is signed in: the session's cookie, and the check that a change comes from our own pages. */
import { GatewayError } from '../../domain/errors.ts';
import type { Person } from '../../storage/console/people.ts';
import { findSession } from '../../storage/console/sessions.ts';
import type { ApiContext } from '../context.ts';
import type { ApiDependencies } from '../dependencies.ts';

const cookie_name = 'tollgate_session';
const tokenForm = /^[\w-]{43}$/;

/** Refuses with `not_signed_in` where there is no session that lasts. */
export async function signedInPerson(
  ctx: ApiContext,
  { database }: ApiDependencies,
): Promise<{ person: Person; sessionId: string }> {
  const token = ctx.cookies.get(cookie_name);
  const session = token !== undefined && tokenForm.test(token) ? await findSession(database, token) : undefined;
  if (!session) throw new GatewayError('not_signed_in', 'Sign in first: your session has ended, or there was none.');
  return { person: session.person, sessionId: session.id };
}

/** Keeps the token in the browser: out of reach of scripts, sent by our own pages only, and by TLS only where there is TLS. */
export function setSessionCookie(ctx: ApiContext, deps: ApiDependencies, token: string, expiresAt: Date): void {
  writeCookie(ctx, deps, `${cookie_name}=${token}; Expires=${expiresAt.toUTCString()}`);
}

/** Has the browser forget its token. */
export function clearSessionCookie(ctx: ApiContext, deps: ApiDependencies): void {
  writeCookie(ctx, deps, `${cookie_name}=; Max-Age=0`);
}

/**
 * Refuses with `origin_not_allowed` a change that no page of ours sent. Browsers name the origin of every request that is
 * no GET, and no page can say another; ours is where the request was sent to, or the public address where a proxy
 * renames the host.
 */
export function refuseOtherOrigins(ctx: ApiContext, { publicUrl }: Pick<ApiDependencies, 'publicUrl'>): void {
  const origin = ctx.get('Origin');
  const url = URL.canParse(origin) ? new URL(origin) : undefined;
  const isOurs = url !== undefined && (url.host === ctx.get('Host') || url.origin === originOf(publicUrl()));
  if (!isOurs) throw otherOrigin();
}

/**
 * Refuses with `origin_not_allowed` a read that a page of another address began, for reads that change something. The
 * cookie keeps other sites out; this does so with other ports and subdomains too. Who is no browser says nothing.
 */
export function refuseOtherSites(ctx: ApiContext): void {
  if (!['', 'same-origin', 'none'].includes(ctx.get('Sec-Fetch-Site'))) throw otherOrigin();
}

const otherOrigin = () =>
  new GatewayError('origin_not_allowed', 'This may be called by pages of this very address only.');

const originOf = (address: string): string | undefined => (URL.canParse(address) ? new URL(address).origin : undefined);

function writeCookie(ctx: ApiContext, { publicUrl }: ApiDependencies, pair: string): void {
  const secure = publicUrl().startsWith('https:') ? '; Secure' : '';
  ctx.append('Set-Cookie', `${pair}; Path=/console; HttpOnly; SameSite=Strict${secure}`);
}
