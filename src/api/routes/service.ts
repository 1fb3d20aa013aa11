/** What needs no key: the health report, probes, metrics and `/openapi.json`. */
import type Router from '@koa/router';
import { capabilityLabels } from '../../domain/catalogue.ts';
import { errorBody, GatewayError } from '../../domain/errors.ts';
import type { Configuration } from '../../config/configuration.ts';
import type { RequestState } from '../context.ts';
import type { DependenciesNow } from '../dependencies.ts';
import { callerBehind } from '../server/proxy-protocol.ts';
import { openApiDocument, type ServedDocument } from '../openapi/document.ts';

export function serviceRoutes(router: Router<RequestState>, now: DependenciesNow): void {
  const { configuration, health, readiness, metrics } = now();

  for (const { health: path } of configuration.deployments) {
    router.get(path, async (ctx) => {
      const published = [...now().configuration.models.values()].filter((model) => model.published);
      ctx.body = {
        health: await health.report(),
        capabilities: Object.fromEntries(published.map(({ id, capabilities }) => [id, capabilities])),
        labels: capabilityLabels,
      };
    });
  }

  router.get('/healthz', (ctx) => {
    ctx.body = { status: 'ok' };
  });

  router.get('/metrics', async (ctx) => {
    // For those beside the gateway: who comes through the balancer comes from the outside.
    if (callerBehind(ctx.req.socket) !== undefined)
      throw new GatewayError('route_not_found', 'No route matches /metrics.');
    ctx.body = await metrics.metrics();
    ctx.set('Content-Type', metrics.contentType);
  });

  const document = documentNow(now);
  router.get('/openapi.json', (ctx) => {
    const { bytes, etag } = document();
    ctx.status = 200;
    ctx.etag = etag;
    ctx.set('Cache-Control', 'public, max-age=60');
    if (ctx.fresh) ctx.status = 304;
    else {
      ctx.type = 'application/json';
      ctx.body = bytes;
    }
  });

  router.get('/readyz', async (ctx) => {
    const state = await readiness.now();
    if (!state.ready) {
      ctx.status = 503;
      ctx.set('Retry-After', '2');
      ctx.body = { error: errorBody({ code: 'not_ready', message: `Not ready: ${state.reason}.` }) };
    } else {
      ctx.body = 'degraded' in state ? { status: 'degraded', temporal: state.degraded } : { status: 'ok' };
    }
  });
}

/** The document of the configuration in force, built when it is first asked for and kept until a reload. */
function documentNow(now: DependenciesNow): () => ServedDocument {
  let kept: { of: Configuration; served: ServedDocument } | undefined;
  return () => {
    const { configuration, publicUrl } = now();
    if (kept?.of !== configuration) kept = { of: configuration, served: openApiDocument(configuration, publicUrl()) };
    return kept.served;
  };
}
