/**
 * Operations: one record each, of which its route, its checks, its parsing and its part of the document are made. What
 * stands here is shared by the public API (`public-operation.ts`) and the console's (`console/console-call.ts`). The
 * compiler checks what a handler returns against the operation's schema.
 */
import type * as z from 'zod';
import type { ApiContext } from './context.ts';
import type { ApiDependencies } from './dependencies.ts';

export interface OperationFacts<Query extends z.ZodObject, Answer> {
  method: 'get' | 'post' | 'patch' | 'put' | 'delete';
  /** Below the root of its API; parts of it in braces are parameters, and `{*id}` may hold slashes. */
  path: string;
  /** Its name in generated clients. */
  id: string;
  summary: string;
  /** Refused with `invalid_parameter` where it is anything else. */
  query?: Query;
  /** JSON. */
  answer: z.ZodType<unknown, Answer>;
}

/** What a handler is given. */
export interface Ask<Query, Body> {
  ctx: ApiContext;
  deps: ApiDependencies;
  /** Of the path. */
  params: Readonly<Record<string, string>>;
  query: Query;
  body: Body;
}

/** Returned by a handler that has written its answer itself: a file, a stream, or JSON when there is some. */
export const written = { isWritten: true } as const;

type Answered<Answer> = Answer | typeof written;
export type Handler<Given, Answer> = (ask: Given) => Answered<Answer> | Promise<Answered<Answer>>;

/** The query of an operation that takes none. */
export type NoQuery = z.ZodObject<Record<string, never>>;

/** The path in the router's own form. */
export const routePath = (path: string): string =>
  path.replace(/\{(\*?)(\w+)\}/g, (_, star: string, name: string) => `${star === '' ? ':' : star}${name}`);
