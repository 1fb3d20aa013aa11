/** Who is signed in: the session's cookie, and the check that a change comes from our own pages. */
import { GatewayError } from '../../domain/errors.ts';
import type { Person } from '../../accounts/people.ts';
import { findSession } from '../../accounts/sessions.ts';
import type { ApiContext } from '../context.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { clearCookie, readCookie, setCookie } from './cookies.ts';

const cookieName = 'tollgate_session';
const tokenForm = /^[\w-]{43}$/;

/** Refuses with `not_signed_in` where there is no session that lasts. */
export async function signedInPerson(
  ctx: ApiContext,
  deps: ApiDependencies,
): Promise<{ person: Person; sessionId: string }> {
  const { database, secrets } = deps;
  const token = readCookie(ctx, deps, cookieName);
  const isToken = token !== undefined && tokenForm.test(token);
  const session = isToken ? await findSession(database, secrets.ledgerKeys, token) : undefined;
  if (!session) throw new GatewayError('not_signed_in', 'Sign in first. There is no session, or it has ended.');
  return { person: session.person, sessionId: session.id };
}

/** Keeps the token in the browser. */
export const setSessionCookie = (ctx: ApiContext, deps: ApiDependencies, token: string, expiresAt: Date): void =>
  setCookie(ctx, deps, cookieName, token, expiresAt);

/** Has the browser forget its token. */
export const clearSessionCookie = (ctx: ApiContext, deps: ApiDependencies): void => clearCookie(ctx, deps, cookieName);

/**
 * Refuses with `origin_not_allowed` a change that no page of ours sent. Browsers name the origin of every request that is
 * no GET, and no page can say another. Ours is the public address, or the host that the request was sent to by the
 * scheme of the public address: a page that was served without TLS is not ours where there is TLS.
 */
export function refuseOtherOrigins(ctx: ApiContext, { publicUrl }: Pick<ApiDependencies, 'publicUrl'>): void {
  const origin = urlOf(ctx.get('Origin'));
  const ours = urlOf(publicUrl());
  const isOurs = origin?.protocol === ours?.protocol && [ours?.host, ctx.get('Host')].includes(origin?.host);
  if (!origin || !isOurs) throw otherOrigin();
}

/**
 * Refuses with `origin_not_allowed` a read that a page of another address began, for reads that change something. The
 * cookie keeps other sites out; this does so with other ports and subdomains too. Who is no browser says nothing.
 */
export function refuseOtherSites(ctx: ApiContext): void {
  if (!['', 'same-origin', 'none'].includes(ctx.get('Sec-Fetch-Site'))) throw otherOrigin();
}

const otherOrigin = () => new GatewayError('origin_not_allowed', 'Only pages of the same origin may call this.');

const urlOf = (address: string): URL | undefined => (URL.canParse(address) ? new URL(address) : undefined);
