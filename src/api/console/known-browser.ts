/**
 * A browser that a person signed in with before. It has a signed cookie, by which its wrong passwords are counted apart:
 * however often strangers guess, they don't keep the person out of it.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { ApiContext } from '../context.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { readCookie, setCookie } from './cookies.ts';

type Deps = Pick<ApiDependencies, 'publicUrl' | 'secrets'>;

const cookieName = 'tollgate_browser';
/** Since the last time that the person signed in. */
const days = 180;
const form = /^([\w-]{22})\.([\w-]{43})$/;

/** The browser's id, if this person signed in with it before; the person is named by an address in lower case. */
export function knownBrowser(ctx: ApiContext, deps: Deps, email: string): string | undefined {
  const [, id, mac] = form.exec(readCookie(ctx, deps, cookieName) ?? '') ?? [];
  if (id === undefined || mac === undefined) return undefined;
  const given = Buffer.from(mac, 'base64url');
  const isOurs = deps.secrets.all.some(({ browsers }) => timingSafeEqual(macOf(browsers, email, id), given));
  return isOurs ? id : undefined;
}

/** Has the browser known as this person's from now on. One that several people use is known as the last one's. */
export function rememberBrowser(ctx: ApiContext, deps: Deps, email: string): void {
  const id = knownBrowser(ctx, deps, email) ?? randomBytes(16).toString('base64url');
  const mac = macOf(deps.secrets.first.browsers, email, id).toString('base64url');
  setCookie(ctx, deps, cookieName, `${id}.${mac}`, new Date(Date.now() + days * 86_400_000));
}

const macOf = (key: Buffer, email: string, id: string): Buffer =>
  createHmac('sha256', key).update(`${id} ${email}`).digest();
