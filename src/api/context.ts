/** What a request carries from one middleware to the next. */
import type { DefaultState, Middleware, ParameterizedContext } from 'koa';
import type { Deployment } from '../domain/catalogue.ts';
import type { ApiKey } from '../accounts/api-keys.ts';
import type { CallRecord } from '../request-records/call-record.ts';
import type { BodyTap } from '../bodies/body-tap.ts';
import type { BodyMemory } from './body/body-room.ts';

export interface RequestState extends DefaultState {
  requestId: string;
  /** Set by `deployed` on everything below a deployment's root. */
  deployment?: Deployment;
  /** Set by `authenticated`, or before it by the console's playground. */
  key?: ApiKey;
  /** It is no call of the account's: the page of the playground asks by itself, and no record of it is kept. */
  isUnrecorded?: boolean;
  /** Who is signed in to the console. */
  personId?: string;
  /** When the head of an answer went out that was written past Koa, by `performance.now()`. */
  headAt?: number;
  /** Of the request's trace, while there are traces. */
  traceId?: string;
  /** What its JSON body takes of the memory for all bodies. */
  bodyRoom?: BodyMemory;
  /** How long the caller took to send its JSON body. */
  bodyMs?: number;
  /** What the log line says of the error that was answered. */
  error?: unknown;
  /** The code of the error that was answered. */
  code?: string | undefined;
  /** The task or model that the log line names. */
  taskId?: string;
  model?: string;
  /** Of a call to a provider, for its record. */
  call?: CallRecord;
  /** Where the account has its bodies recorded. */
  bodies?: BodyTap | undefined;
  /** Who asks through the caller's program, as its `user` says. */
  endUser?: string;
  /** What it is filed under, as `X-Tollgate-Tag` says. */
  tag?: string;
}

export type ApiContext = ParameterizedContext<RequestState>;
export type ApiMiddleware = Middleware<RequestState>;

/** What every line of the log names that is written for a request. */
export const idsOf = ({ state: { requestId, taskId, traceId } }: { state: RequestIds }): RequestIds => ({
  requestId,
  taskId,
  traceId,
});

export interface RequestIds {
  requestId: string;
  taskId?: string | undefined;
  traceId?: string | undefined;
}

/** As it was declared, such as `/v1/tasks/:id`: there are as many as the gateway has routes. */
export function routeOf(ctx: ApiContext): string | undefined {
  const route: unknown = ctx['_matchedRoute'];
  return typeof route === 'string' ? route : undefined;
}

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
