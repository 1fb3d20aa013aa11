/**
 * Lets pages of the origins that the operator allows call the public API from a browser (CORS, as the Fetch standard has
 * it). Never with credentials: callers send their key in a header, and the console's cookie is of no use below the roots.
 */
import type { Deployment } from '../../domain/catalogue.ts';
import type { CorsOrigins } from '../../config/cors-origins.ts';
import type { ApiContext, ApiMiddleware } from '../context.ts';

/**
 * Answers preflights by itself, and puts what a browser asks for on every answer below the roots, errors and streams
 * included, on the health reports, and on the files that results link to. All other addresses answer as without it.
 */
export function cors(allowed: CorsOrigins, deployments: readonly Deployment[]): ApiMiddleware {
  const origins = allowed === '*' ? undefined : new Set(allowed);
  const isPublic = publicAddresses(deployments);
  return (ctx, next) => {
    if (!isPublic(ctx.path)) return next();
    const origin = ctx.get('Origin');
    // Also where the origin is refused or missing: a cache must not give this answer to another origin.
    if (origins) ctx.vary('Origin');
    const isAllowed = origin !== '' && (origins?.has(origin) ?? true);
    if (isAllowed) ctx.set('Access-Control-Allow-Origin', origins ? origin : '*');
    if (origin !== '' && ctx.method === 'OPTIONS' && ctx.get('Access-Control-Request-Method') !== '') {
      ctx.status = 204;
      if (isAllowed) showWhatIsAllowed(ctx);
      return undefined;
    }
    if (isAllowed) ctx.set('Access-Control-Expose-Headers', exposedHeaders);
    return next();
  };
}

const allowedMethods = 'GET, HEAD, POST, PATCH, DELETE';
/** As long as Chromium keeps the answer to a preflight at most. */
const preflightSeconds = 7_200;
/** What scripts may read of an answer, besides what they always may, such as `Content-Type` and `Content-Length`. */
const exposedHeaders = [
  'Content-Disposition',
  'Content-Range',
  'ETag',
  'Idempotency-Replayed',
  'Link',
  'Retry-After',
  'WWW-Authenticate',
  'X-Cost',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Request-Id',
  'X-Should-Retry',
  'X-Tokens',
  'X-Video-Duration',
].join(', ');

/** SDKs ask for about ten headers, in 200 characters. */
const askedCharactersMax = 2_048;
const headerNames = /^[\w!#$%&'*+.^`|~-]+(?:[ \t]*,[ \t]*[\w!#$%&'*+.^`|~-]+)*$/;

/** The headers that a page asks for are all allowed: which of them count is decided where the request is read. */
function showWhatIsAllowed(ctx: ApiContext): void {
  const asked = ctx.get('Access-Control-Request-Headers');
  ctx.set('Access-Control-Allow-Methods', allowedMethods);
  if (asked.length <= askedCharactersMax && headerNames.test(asked)) ctx.set('Access-Control-Allow-Headers', asked);
  ctx.set('Access-Control-Max-Age', String(preflightSeconds));
}

/** Returns a check whether a path belongs to the public API, and not to the console, the probes or the metrics. */
function publicAddresses(deployments: readonly Deployment[]): (path: string) => boolean {
  const reports = new Set(deployments.map(({ health }) => health));
  const folders = [...deployments.map(({ root }) => `${root}/`), '/files/'];
  return (path) => reports.has(path) || folders.some((folder) => path.startsWith(folder));
}
