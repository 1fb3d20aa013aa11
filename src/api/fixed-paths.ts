/** Routes of paths without parts that vary, found once: a router tries all of its 100 routes for each request. */
import type Router from '@koa/router';
import type { MatchResult } from '@koa/router';
import type { RequestState } from './context.ts';

/** Has the routers remember what each of them has for a fixed path of any of them. Their routes may not change after it. */
export function rememberFixedPaths(routers: readonly Router<RequestState>[]): void {
  const layers = routers.flatMap(({ stack }) => stack);
  const fixed = new Set(layers.filter(({ paramNames }) => paramNames.length === 0).map(({ path }) => path));
  for (const router of routers) {
    const match = router.match.bind(router);
    // Bounded by the fixed paths and the methods that Node.js knows.
    const found = new Map<string, MatchResult<RequestState>>();
    router.match = (path, method) => {
      if (!fixed.has(path)) return match(path, method);
      const name = `${method} ${path}`;
      const result = found.get(name) ?? match(path, method);
      found.set(name, result);
      return { ...result, path: [...result.path] }; // the next router adds its own to this list
    };
  }
}
