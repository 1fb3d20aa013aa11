/** The console's cookies: out of reach of scripts, sent by our own pages only, and by TLS only where there is TLS. */
import type { ApiContext } from '../context.ts';
import type { ApiDependencies } from '../dependencies.ts';

type PublicUrl = Pick<ApiDependencies, 'publicUrl'>;

/** What the browser sent under this name, if anything. */
export const readCookie = (ctx: ApiContext, deps: PublicUrl, name: string): string | undefined =>
  ctx.cookies.get(nameOf(name, deps));

/** Keeps a value in the browser until then. */
export function setCookie(ctx: ApiContext, deps: PublicUrl, name: string, value: string, expiresAt: Date): void {
  write(ctx, deps, name, `${value}; Expires=${expiresAt.toUTCString()}`);
}

/** Has the browser forget it. */
export function clearCookie(ctx: ApiContext, deps: PublicUrl, name: string): void {
  write(ctx, deps, name, '; Max-Age=0');
}

function write(ctx: ApiContext, deps: PublicUrl, name: string, rest: string): void {
  const attributes = isSecure(deps) ? 'Path=/; HttpOnly; SameSite=Strict; Secure' : plainAttributes;
  ctx.append('Set-Cookie', `${nameOf(name, deps)}=${rest}; ${attributes}`);
}

const plainAttributes = 'Path=/console; HttpOnly; SameSite=Strict';

/** With this prefix browsers take the cookie from this very host only, so that no sister domain can plant one (RFC 6265bis). */
const nameOf = (name: string, deps: PublicUrl): string => (isSecure(deps) ? `__Host-${name}` : name);

const isSecure = ({ publicUrl }: PublicUrl): boolean => publicUrl().startsWith('https:');
