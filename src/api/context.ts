/** What a request carries from one middleware to the next. */
import type { DefaultState, Middleware, ParameterizedContext } from 'koa';
import type { Deployment } from '../domain/catalogue.ts';
import type { ApiKey } from '../storage/api-keys.ts';

export interface RequestState extends DefaultState {
  requestId: string;
  /** Set by `deployed` on everything below a deployment's root. */
  deployment?: Deployment;
  /** Set by `authenticated`, or before it by the console's playground. */
  key?: ApiKey;
  /** Who is signed in to the console. */
  personId?: string;
  /** What the gate of JSON bodies counts for it. */
  bodyBytes?: number;
  /** What the log line says of the error that was answered. */
  error?: unknown;
  /** The task or model that the log line names. */
  taskId?: string;
  model?: string;
}

export type ApiContext = ParameterizedContext<RequestState>;
export type ApiMiddleware = Middleware<RequestState>;

/** The key of an authenticated request. */
export function keyOf(ctx: ApiContext): ApiKey {
  if (!ctx.state.key) throw new TypeError('this route is not authenticated');
  return ctx.state.key;
}

/** The deployment whose root the request came to. */
export function deploymentOf(ctx: ApiContext): Deployment {
  if (!ctx.state.deployment) throw new TypeError('this route belongs to no deployment');
  return ctx.state.deployment;
}
