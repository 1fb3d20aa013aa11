/** The code of each page, loaded on the first visit, or when the pointer or the focus comes to a link that leads there. */
export const accountModules = {
  overview: () => import('./pages/overview/index.tsx'),
  keys: () => import('./pages/keys/index.tsx'),
  'keys/:key': () => import('./pages/key/index.tsx'),
  requests: () => import('./pages/requests/index.tsx'),
  tasks: () => import('./pages/tasks/index.tsx'),
  'tasks/:task': () => import('./pages/task/index.tsx'),
  batches: () => import('./pages/batches/index.tsx'),
  'batches/new': () => import('./pages/batch-new/index.tsx'),
  'batches/:batch': () => import('./pages/batch/index.tsx'),
  usage: () => import('./pages/usage/index.tsx'),
  ledger: () => import('./pages/ledger/index.tsx'),
  statement: () => import('./pages/statement/index.tsx'),
  models: () => import('./pages/models/index.tsx'),
  playground: () => import('./pages/playground/index.tsx'),
  webhooks: () => import('./pages/webhooks/index.tsx'),
  team: () => import('./pages/team/index.tsx'),
  acts: () => import('./pages/acts/index.tsx'),
  settings: () => import('./pages/settings/index.tsx'),
};

/** The playground's, below its frame. */
export const playgroundModules = {
  chat: () => import('./pages/playground/chat/index.tsx'),
  image: () => import('./pages/playground/image/index.tsx'),
  video: () => import('./pages/playground/video/index.tsx'),
  'avatar-talk': () => import('./pages/playground/avatar-talk/index.tsx'),
  speech: () => import('./pages/playground/speech/index.tsx'),
  transcription: () => import('./pages/playground/transcription/index.tsx'),
};

export const operatorModules = {
  overview: () => import('./pages/operator-overview/index.tsx'),
  accounts: () => import('./pages/operator-accounts/index.tsx'),
  people: () => import('./pages/operator-people/index.tsx'),
  acts: () => import('./pages/operator-acts/index.tsx'),
  models: () => import('./pages/operator-models/index.tsx'),
  providers: () => import('./pages/operator-providers/index.tsx'),
  usage: () => import('./pages/operator-usage/index.tsx'),
  margin: () => import('./pages/operator-margin/index.tsx'),
  requests: () => import('./pages/operator-requests/index.tsx'),
  tasks: () => import('./pages/operator-tasks/index.tsx'),
  batches: () => import('./pages/operator-batches/index.tsx'),
  webhooks: () => import('./pages/operator-webhooks/index.tsx'),
  unknown: () => import('./pages/operator-unknown/index.tsx'),
  audit: () => import('./pages/operator-audit/index.tsx'),
  reconcile: () => import('./pages/operator-reconcile/index.tsx'),
};

/** Loads a page's code ahead of a visit. If that fails, the visit tries again and reports it. */
export function preload(load: () => Promise<unknown>): void {
  load().catch(() => undefined);
}
