/** From the records of public operations to routes: key, query, body, then the operation itself. */
import type Router from '@koa/router';
import * as z from 'zod';
import { requestJson } from './body/request-json.ts';
import type { ApiContext, RequestState } from './context.ts';
import type { DependenciesNow } from './dependencies.ts';
import { readQuery } from './lists/list-query.ts';
import { authenticated } from './middleware/authenticated.ts';
import { routePath, written } from './operation.ts';
import type { Operation } from './public-operation.ts';

type Run = (ctx: ApiContext & { params: Record<string, string> }) => unknown;

/** Adds a route for each operation. The key is checked before a body is read: strangers cost nothing. */
export function mountOperations(
  router: Router<RequestState>,
  now: DependenciesNow,
  operations: readonly Operation[],
): void {
  const { keys, callerAddress, bodies } = now();
  for (const operation of operations) {
    const path = routePath(operation.path);
    const run = operation.answer instanceof z.ZodVoid ? straight(operation, now) : answered(operation, now);
    if (operation.level === undefined) router[operation.method](path, run);
    else router[operation.method](path, authenticated({ keys, callerAddress, bodies }, operation.level), run);
  }
}

/** Without a step of its own, so that a chat call costs none: the handler reads and writes all of it. */
const straight =
  (operation: Operation, now: DependenciesNow): Run =>
  (ctx) =>
    operation.run({ ctx, deps: now(), now, params: ctx.params, query: {}, body: undefined });

function answered(operation: Operation, now: DependenciesNow): Run {
  const { query, before, body } = operation;
  const status = Number(Object.keys(operation.responses)[0]);
  return async (ctx) => {
    const deps = now();
    const { params } = ctx;
    const asked = query ? readQuery(query, ctx.query) : {};
    await before?.({ ctx, deps, params });
    const value = body?.json ? (await requestJson(deps, ctx, body.json)).value : undefined;
    const parsed = body?.parse ? body.parse(value) : value;
    const answer = await operation.run({ ctx, deps, now, params, query: asked, body: parsed });
    if (answer === written) return;
    ctx.status = status;
    ctx.body = answer;
  };
}
