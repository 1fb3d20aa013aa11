/** The Koa application: an ordered table of contents of what happens to a request. */
import Router from '@koa/router';
import Koa, { type Middleware } from 'koa';
import helmet from 'koa-helmet';
import type { Deployment } from '../domain/catalogue.ts';
import type { RequestState } from './context.ts';
import type { ApiDependencies } from './dependencies.ts';
import { errors } from './middleware/errors.ts';
import { requestLog } from './middleware/log.ts';
import { requestId } from './middleware/request-id.ts';
import { accountRoutes } from './routes/account.ts';
import { chatRoutes } from './routes/chat.ts';
import { avatarTalkRoutes } from './routes/avatar-talk.ts';
import { fileRoutes } from './routes/files.ts';
import { imageRoutes } from './routes/images.ts';
import { modelRoutes } from './routes/models.ts';
import { serviceRoutes } from './routes/service.ts';
import { videoRoutes } from './routes/videos.ts';

/** Builds the application; it takes no request before it is served. */
export function createApp(deps: ApiDependencies): Koa<RequestState> {
  const app = new Koa<RequestState>();
  app.on('error', (error: unknown) => deps.log.warn({ err: error }, 'an answer broke off'));
  app.use(requestId()); // first, so that every later log line and error carries it
  app.use(requestLog(deps.log)); // outside the errors, so that it sees what they answered
  app.use(helmet({ strictTransportSecurity: false })); // whether there is TLS in front is the operator's matter
  app.use(errors()); // outermost catch: nothing below answers for itself
  for (const router of routers(deps)) app.use(router.routes()).use(router.allowedMethods());
  return app;
}

function routers(deps: ApiDependencies): Router<RequestState>[] {
  const service = new Router<RequestState>({ sensitive: true });
  serviceRoutes(service, deps); // no key needed
  fileRoutes(service, deps); // the signature is the key
  return [service, ...deps.configuration.deployments.map((deployment) => deploymentRouter(deployment, deps))];
}

/** All operations below one root. Each route checks the key before it reads a body: strangers cost us nothing. */
function deploymentRouter(deployment: Deployment, deps: ApiDependencies): Router<RequestState> {
  const router = new Router<RequestState>({ prefix: deployment.root, sensitive: true });
  router.use(deployed(deployment));
  modelRoutes(router, deps);
  chatRoutes(router, deps);
  imageRoutes(router, deps);
  videoRoutes(router, deps);
  avatarTalkRoutes(router, deps);
  accountRoutes(router, deps);
  return router;
}

const deployed =
  (deployment: Deployment): Middleware<RequestState> =>
  async (ctx, next) => {
    ctx.state.deployment = deployment;
    await next();
  };
