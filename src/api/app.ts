/** The Koa application: an ordered table of contents of what happens to a request. */
import Router from '@koa/router';
import Koa, { type Context, type Middleware, type Next } from 'koa';
import type { Deployment } from '../domain/catalogue.ts';
import { isLeave, isReset } from './server/caller-left.ts';
import { consoleApi } from './console/mount-calls.ts';
import { consolePages } from './console/console-pages.ts';
import { playgroundApi } from './console/playground-operations.ts';
import { type ApiContext, idsOf, type RequestState } from './context.ts';
import type { DependenciesNow } from './dependencies.ts';
import { cors } from './middleware/cors.ts';
import { crowd } from './middleware/request-limit.ts';
import { errors } from './middleware/error-answers.ts';
import { requestLog } from './middleware/request-log.ts';
import { measured } from './middleware/measured.ts';
import { recorded } from './middleware/recorded.ts';
import { requestId } from './middleware/request-id.ts';
import { traced } from './middleware/traced.ts';
import { securityHeaders } from './middleware/security-headers.ts';
import { whenOver } from './middleware/when-over.ts';
import { rememberFixedPaths } from './fixed-paths.ts';
import { routeHints } from './route-hint.ts';
import { mountOperations } from './mount-operations.ts';
import { operations } from './operations/all-operations.ts';

/** Builds the application; it takes no request before it is served. */
export function createApp(now: DependenciesNow): Koa<RequestState> {
  const { log, concurrencyLimits, meters, requests, bodies, tracing, corsOrigins, configuration } = now();
  const app = new Koa<RequestState>();
  app.on('error', (error: unknown, ctx?: ApiContext) => {
    if (isLeave(error)) return; // the line of the request says so
    log[isReset(error) ? 'info' : 'warn']({ err: error, ...(ctx && idsOf(ctx)) }, 'an answer broke off');
  });
  app.use(requestId()); // first, so that every later log line and error carries it
  app.use(measured(meters.requests)); // whatever becomes of a request is counted
  if (tracing) app.use(traced(tracing));
  // Outside the errors, so that they see what these answered.
  app.use(whenOver(requestLog(log), recorded(requests, bodies)));
  app.use(securityHeaders());
  const { deployments } = configuration; // they don't change while the gateway runs
  // Outside the errors and the concurrency limits: a page can read refusals, and a preflight takes no slot.
  if (corsOrigins === '*' || corsOrigins.length > 0) app.use(cors(corsOrigins, deployments));
  const all = routers(now);
  rememberFixedPaths(all);
  const roots = deployments.map(({ root }) => root);
  app.use(errors(routeHints(all, roots))); // outermost catch: nothing below answers by itself
  app.use(crowd(concurrencyLimits)); // before anything is done for the request
  for (const router of all) {
    const root = router.opts.prefix?.split('/:', 1)[0] ?? '';
    const routes = Object.assign(below(root, router.routes()), { router }); // named, as the router's own are
    app.use(routes).use(ownMethodsOnly).use(below(root, router.allowedMethods()));
  }
  app.use(answerHead(roots));
  app.use(redirectBrowsers); // behind all routes: a call of the API never comes here
  return app;
}

interface MatchedRoute {
  methods: readonly string[];
  paramNames: readonly unknown[];
}

/** `/responses/compact` allows the methods of its own operation, not those of `/responses/{id}`, which it looks like. */
const ownMethodsOnly = (ctx: Context & { matched?: MatchedRoute[] }, next: Next): Promise<unknown> => {
  const own = ctx.matched?.filter(({ methods, paramNames }) => methods.length > 0 && paramNames.length === 0) ?? [];
  if (own.length > 0) ctx.matched = own;
  return next();
};

/** Claude Code asks with HEAD whether its base URL, which is a root without its version, is there at all. */
const answerHead = (roots: readonly string[]): Middleware => {
  const bases = new Set(['/', ...roots.map((root) => root.slice(0, root.lastIndexOf('/')) || '/')]);
  return (ctx, next) => {
    if (ctx.method !== 'HEAD' || !bases.has(ctx.path) || ctx.accepts('json', 'html') === 'html') return next();
    ctx.status = 200;
    return undefined;
  };
};

/** Leads a browser at the bare address to the console; other clients get the 404 of any unknown route. */
const redirectBrowsers: Middleware = (ctx, next) => {
  const isRead = ctx.method === 'GET' || ctx.method === 'HEAD';
  if (!isRead || ctx.path !== '/' || ctx.accepts('json', 'html') !== 'html') return next();
  ctx.vary('Accept');
  ctx.redirect('/console/');
  return undefined;
};

/** A router tries all its routes: that of requests to other roots cost a chat call 2 % of its CPU time. */
const below =
  <State, Context>(root: string, handle: Middleware<State, Context>): Middleware<State, Context> =>
  (ctx, next): Promise<unknown> =>
    ctx.path.startsWith(root) ? Promise.resolve<unknown>(handle(ctx, next)) : next();

function routers(now: DependenciesNow): Router<RequestState>[] {
  // Strict: what a proxy in front refuses by its exact address, such as /metrics, has no second one.
  const service = new Router<RequestState>({ sensitive: true, strict: true });
  const { deployments } = now().configuration; // they don't change while the gateway runs
  mountOperations(service, now, deployments.map(operations.health)); // no key needed
  mountOperations(service, now, operations.ofHost); // here neither; of files and hooks, the signature is the key
  const isStatusPublic = () => now().configuration.statusPage;
  consolePages(service, { filesOrigin: now().blobs.links?.origin, isStatusPublic }); // who is signed in is asked below /console/api
  return [
    service, // first: its health reports would be taken for models
    ...deployments.map((deployment) => deploymentRouter(deployment, now)),
    consoleApi(now),
    playgroundApi(now),
  ];
}

/** All operations below one root. */
function deploymentRouter(deployment: Deployment, now: DependenciesNow): Router<RequestState> {
  const router = new Router<RequestState>({ prefix: deployment.root, sensitive: true });
  router.use(deployed(deployment));
  mountOperations(router, now, operations.ofRoots);
  return router;
}

const deployed =
  (deployment: Deployment): Middleware<RequestState> =>
  async (ctx, next) => {
    ctx.state.deployment = deployment;
    await next();
  };
