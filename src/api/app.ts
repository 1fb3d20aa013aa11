/** The Koa application: an ordered table of contents of what happens to a request. */
import Router from '@koa/router';
import Koa, { type Middleware } from 'koa';
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
import { requestId } from './middleware/request-id.ts';
import { traced } from './middleware/traced.ts';
import { securityHeaders } from './middleware/security-headers.ts';
import { routeHints } from './route-hint.ts';
import { accountRoutes } from './routes/account.ts';
import { accountKeyRoutes } from './routes/account-keys.ts';
import { accountSettingRoutes } from './routes/account-settings.ts';
import { chatRoutes } from './routes/chat.ts';
import { avatarTalkRoutes } from './routes/avatar-talk.ts';
import { fileRoutes } from './routes/files.ts';
import { hookRoutes } from './routes/provider-hooks.ts';
import { imageRoutes } from './routes/images.ts';
import { ledgerRoutes } from './routes/ledger.ts';
import { modelRoutes } from './routes/models.ts';
import { quoteRoutes } from './routes/quotes.ts';
import { serviceRoutes } from './routes/service.ts';
import { taskRoutes } from './routes/tasks.ts';
import { usageRoutes } from './routes/usage.ts';
import { videoRoutes } from './routes/videos.ts';
import { webhookSecretRoutes } from './routes/webhook-secret.ts';

/** Builds the application; it takes no request before it is served. */
export function createApp(now: DependenciesNow): Koa<RequestState> {
  const { log, gates, meters, tracing, corsOrigins, configuration } = now();
  const app = new Koa<RequestState>();
  app.on('error', (error: unknown, ctx?: ApiContext) => {
    if (isLeave(error)) return; // the line of the request says so
    log[isReset(error) ? 'info' : 'warn']({ err: error, ...(ctx && idsOf(ctx)) }, 'an answer broke off');
  });
  app.use(requestId()); // first, so that every later log line and error carries it
  app.use(measured(meters.requests)); // whatever becomes of a request is counted
  if (tracing) app.use(traced(tracing));
  app.use(requestLog(log)); // outside the errors, so that it sees what they answered
  app.use(securityHeaders());
  const { deployments } = configuration; // they don't change while the gateway runs
  // Outside the errors and the gates: a page can read its refusals, and a preflight takes no place.
  if (corsOrigins === '*' || corsOrigins.length > 0) app.use(cors(corsOrigins, deployments));
  const all = routers(now);
  const roots = deployments.map(({ root }) => root);
  app.use(errors(routeHints(all, roots))); // outermost catch: nothing below answers for itself
  app.use(crowd(gates)); // before anything is done for the request
  for (const router of all) {
    const root = router.opts.prefix?.split('/:', 1)[0] ?? '';
    const routes = Object.assign(below(root, router.routes()), { router }); // named, as the router's own are
    app.use(routes).use(below(root, router.allowedMethods()));
  }
  app.use(redirectBrowsers); // behind all routes: a call of the API never comes here
  return app;
}

/** Who opens the bare address in a browser gets the console; other clients get the 404 of any unknown route. */
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
  serviceRoutes(service, now); // no key needed
  fileRoutes(service, now); // the signature is the key
  hookRoutes(service, now()); // here too
  consolePages(service, { filesOrigin: now().blobs.links?.origin }); // who is signed in is asked below /console/api
  // Deployments don't change while the gateway runs.
  return [
    service, // first: its health reports would be taken for models
    ...now().configuration.deployments.map((deployment) => deploymentRouter(deployment, now)),
    consoleApi(now),
    playgroundApi(now),
  ];
}

/** All operations below one root. Each route checks the key before it reads a body: strangers cost us nothing. */
function deploymentRouter(deployment: Deployment, now: DependenciesNow): Router<RequestState> {
  const router = new Router<RequestState>({ prefix: deployment.root, sensitive: true });
  router.use(deployed(deployment));
  modelRoutes(router, now);
  chatRoutes(router, now);
  imageRoutes(router, now);
  videoRoutes(router, now);
  avatarTalkRoutes(router, now);
  taskRoutes(router, now);
  quoteRoutes(router, now);
  accountRoutes(router, now);
  accountSettingRoutes(router, now);
  accountKeyRoutes(router, now);
  webhookSecretRoutes(router, now);
  ledgerRoutes(router, now);
  usageRoutes(router, now);
  return router;
}

const deployed =
  (deployment: Deployment): Middleware<RequestState> =>
  async (ctx, next) => {
    ctx.state.deployment = deployment;
    await next();
  };
