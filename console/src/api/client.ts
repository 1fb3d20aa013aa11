/** The typed client of the console's JSON API, as plain calls (`api`) and as react-query hooks (`query`). */
import { QueryClient } from '@tanstack/react-query';
import createFetchClient from 'openapi-fetch';
import createQueryClient from 'openapi-react-query';
import { toConsoleError } from './error.ts';
import type { operations, paths } from './schema.ts';
import { send } from './send.ts';

/** Paths are those of the document, with `/console/api`. Whatever is no success is thrown as a ConsoleError. */
export const api = createFetchClient<paths>({ fetch: send });

/** `query.useQuery('get', '/console/api/…', init)`, `query.useMutation('post', …)`; errors are ConsoleErrors. */
export const query = createQueryClient(api);

/** What a call answers, by its name in the document. */
export type Answer<Id extends keyof operations> = operations[Id] extends {
  responses: { 200: { content: { 'application/json': infer Body } } };
}
  ? Body
  : never;

const retriesMax = 2;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // The console asks its own server, which may be on this machine: what the browser thinks of the network is no matter.
      networkMode: 'always',
      retry: (failures, error) => failures < retriesMax && mayPass(error),
      staleTime: 2_000,
    },
    mutations: { networkMode: 'always', retry: false },
  },
});

function mayPass(error: unknown): boolean {
  const { status } = toConsoleError(error);
  return status === 0 || status >= 500;
}
