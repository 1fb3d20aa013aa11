/** Every address of the console. Each page is a folder below `pages`, loaded on the first visit. */
import { createBrowserRouter, type RouteObject } from 'react-router';
import { HomeRedirect } from './shell/home-redirect.tsx';
import { AccountFrame, OperatorFrame } from './shell/frames.tsx';
import { FirstLoad } from './shell/loading.tsx';
import { PageError } from './shell/page-error.tsx';
import { Root } from './shell/root.tsx';
import { Shell } from './shell/shell.tsx';
import { NotFound } from './shell/not-found.tsx';

/** A page fails for itself: the shell around it stays. */
const page = (path: string, lazy: RouteObject['lazy'] & object, children?: RouteObject[]): RouteObject => ({
  path,
  lazy,
  ErrorBoundary: PageError,
  ...(children ? { children } : {}),
});

const accountPages: RouteObject[] = [
  page('overview', () => import('./pages/overview/index.tsx')),
  page('keys', () => import('./pages/keys/index.tsx')),
  page('keys/:key', () => import('./pages/key/index.tsx')),
  page('requests', () => import('./pages/requests/index.tsx')),
  page('tasks', () => import('./pages/tasks/index.tsx')),
  page('tasks/:task', () => import('./pages/task/index.tsx')),
  page('batches', () => import('./pages/batches/index.tsx')),
  page('batches/new', () => import('./pages/batch-new/index.tsx')),
  page('batches/:batch', () => import('./pages/batch/index.tsx')),
  page('usage', () => import('./pages/usage/index.tsx')),
  page('ledger', () => import('./pages/ledger/index.tsx')),
  page('statement', () => import('./pages/statement/index.tsx')),
  page('models', () => import('./pages/models/index.tsx')),
  page('playground', () => import('./pages/playground/index.tsx'), [
    page('chat', () => import('./pages/playground/chat/index.tsx')),
    page('image', () => import('./pages/playground/image/index.tsx')),
    page('video', () => import('./pages/playground/video/index.tsx')),
    page('avatar-talk', () => import('./pages/playground/avatar-talk/index.tsx')),
    page('speech', () => import('./pages/playground/speech/index.tsx')),
    page('transcription', () => import('./pages/playground/transcription/index.tsx')),
  ]),
  page('webhooks', () => import('./pages/webhooks/index.tsx')),
  page('team', () => import('./pages/team/index.tsx')),
  page('acts', () => import('./pages/acts/index.tsx')),
  page('settings', () => import('./pages/settings/index.tsx')),
];

const operatorPages: RouteObject[] = [
  page('overview', () => import('./pages/operator-overview/index.tsx')),
  page('accounts', () => import('./pages/operator-accounts/index.tsx')),
  page('people', () => import('./pages/operator-people/index.tsx')),
  page('acts', () => import('./pages/operator-acts/index.tsx')),
  page('models', () => import('./pages/operator-models/index.tsx')),
  page('providers', () => import('./pages/operator-providers/index.tsx')),
  page('usage', () => import('./pages/operator-usage/index.tsx')),
  page('margin', () => import('./pages/operator-margin/index.tsx')),
  page('requests', () => import('./pages/operator-requests/index.tsx')),
  page('tasks', () => import('./pages/operator-tasks/index.tsx')),
  page('batches', () => import('./pages/operator-batches/index.tsx')),
  page('webhooks', () => import('./pages/operator-webhooks/index.tsx')),
  page('unknown', () => import('./pages/operator-unknown/index.tsx')),
  page('audit', () => import('./pages/operator-audit/index.tsx')),
  page('reconcile', () => import('./pages/operator-reconcile/index.tsx')),
];

export const router = createBrowserRouter(
  [
    {
      Component: Root,
      HydrateFallback: FirstLoad,
      ErrorBoundary: PageError,
      children: [
        page('sign-in', () => import('./pages/sign-in/index.tsx')),
        page('invitation', () => import('./pages/invitation/index.tsx')),
        {
          Component: Shell,
          children: [
            { index: true, Component: HomeRedirect },
            page('profile', () => import('./pages/profile/index.tsx')),
            { path: 'operator', Component: OperatorFrame, children: operatorPages },
            { path: ':account', Component: AccountFrame, children: accountPages },
            { path: '*', Component: NotFound },
          ],
        },
      ],
    },
  ],
  { basename: '/console' },
);
