/** Which address was meant by one that isn't there: clients are given a base URL without the root, or with a slash too many. */
import type Router from '@koa/router';
import type { RequestState } from './context.ts';

/** Returns an address that takes such a request, or undefined. */
export type RouteHint = (method: string, path: string) => string | undefined;

/** Longer ones are no address of ours. */
const pathCharactersMax = 300;

/** Looks below the roots of the deployments, the first one first. */
export function routeHints(routers: readonly Router<RequestState>[], roots: readonly string[]): RouteHint {
  const isServed = (method: string, path: string) => routers.some((router) => router.match(path, method).route);
  return (method, path) => {
    if (path.length > pathCharactersMax) return undefined;
    const plain = path.replace(/\/{2,}/g, '/').replace(/(?<=.)\/$/, '');
    const doubled = roots.find((root) => plain.startsWith(`${root}${root}/`));
    const meant = [
      plain,
      ...(doubled === undefined ? [] : [plain.slice(doubled.length)]),
      ...roots.map((root) => root + plain),
    ];
    return meant.find((one) => one !== path && isServed(method, one));
  };
}
