/** Every address of the console. Each page is a folder below `pages`, loaded on the first visit. */
import { createBrowserRouter, type RouteObject } from 'react-router';
import { accountModules, operatorModules, playgroundModules } from './page-modules.ts';
import { HomeRedirect } from './shell/home-redirect.tsx';
import { AccountFrame, OperatorFrame } from './shell/frames.tsx';
import { FirstLoad, PageLoad } from './shell/loading.tsx';
import { PageError } from './shell/page-error.tsx';
import { Root } from './shell/root.tsx';
import { Shell } from './shell/shell.tsx';
import { NotFound } from './shell/not-found.tsx';

/** A page fails for itself: the shell around it stays. It is there before the first page is, and reads the session meanwhile. */
const page = (path: string, lazy: RouteObject['lazy'] & object, children?: RouteObject[]): RouteObject => ({
  path,
  lazy,
  ErrorBoundary: PageError,
  HydrateFallback: PageLoad,
  ...(children ? { children } : {}),
});

const pagesOf = (modules: Record<string, RouteObject['lazy'] & object>, below: Record<string, RouteObject[]> = {}) =>
  Object.entries(modules).map(([path, lazy]) => page(path, lazy, below[path]));

const accountPages = pagesOf(accountModules, { playground: pagesOf(playgroundModules) });

export const router = createBrowserRouter(
  [
    {
      Component: Root,
      HydrateFallback: FirstLoad,
      ErrorBoundary: PageError,
      children: [
        { ...page('sign-in', () => import('./pages/sign-in/index.tsx')), HydrateFallback: FirstLoad },
        { ...page('invitation', () => import('./pages/invitation/index.tsx')), HydrateFallback: FirstLoad },
        {
          Component: Shell,
          children: [
            { index: true, Component: HomeRedirect },
            page('profile', () => import('./pages/profile/index.tsx')),
            { path: 'operator', Component: OperatorFrame, children: pagesOf(operatorModules) },
            { path: ':account', Component: AccountFrame, children: accountPages },
            { path: '*', Component: NotFound },
          ],
        },
      ],
    },
  ],
  { basename: '/console' },
);
