/** The rooms of `src`: what each holds, what it may import, and what of others only for their types. */

export interface Room {
  /** What a reader finds there. */
  holds: string;
  /** Rooms whose values it may import. */
  all: readonly string[];
  /** Rooms of which it may import types only. */
  types?: readonly string[];
  /** Packages; a name that ends in `:`, `/` or `-` allows all that begin with it. */
  packages: readonly string[];
}

/** By folder or file below `src`; the longest name that fits counts. Rooms that may import everything are in `openRooms`. */
export const rooms: Readonly<Record<string, Room>> = {
  domain: {
    holds: 'pure rules: money, prices, admission, postings, task states, requests, errors',
    all: [],
    packages: ['zod'],
  },
  version: { holds: 'the version, read from package.json', all: [], packages: ['node:', 'zod'] },
  media: { holds: 'what media files are, read from their bytes', all: ['domain'], packages: ['node:', 'mediabunny'] },
  net: {
    holds: 'which addresses may be reached, and guarded fetching',
    all: ['domain'],
    packages: ['node:', 'undici'],
  },
  config: {
    holds: 'settings: the environment and tollgate.yaml, every mistake reported at once',
    all: ['domain'],
    packages: ['node:', 'zod', 'yaml'],
  },
  postgres: {
    holds: 'connections, migrations, and ways to read and write that all tables share',
    all: ['domain'],
    packages: ['node:', 'zod', 'pg', 'pg-copy-streams'],
  },
  blobs: { holds: 'the blob store: on disk, or S3', all: ['domain'], packages: ['node:', 'zod', '@aws-sdk/'] },
  ledger: {
    holds: 'balances, holds and entries; group commit, chain, seals, audit log',
    all: ['domain', 'postgres'],
    types: ['tasks/rows'],
    packages: ['node:', 'zod', 'pg'],
  },
  accounts: {
    holds: 'accounts, API keys, people, sessions, invitations, model switches',
    all: ['domain', 'postgres', 'ledger'],
    packages: ['node:', 'zod', 'pg'],
  },
  files: {
    holds: 'files that accounts keep',
    all: ['domain', 'postgres', 'blobs'],
    packages: ['node:', 'zod', 'pg'],
  },
  'tasks/rows': {
    holds: 'the rows of tasks, and news of those that ended',
    all: ['domain', 'postgres', 'blobs', 'ledger', 'tasks/provider-calls'],
    packages: ['node:', 'zod', 'pg'],
  },
  'tasks/provider-calls': {
    holds: 'intents of paid calls, provider slots, links that providers are given',
    all: ['domain', 'postgres', 'ledger', 'tasks/rows'],
    packages: ['node:', 'zod'],
  },
  'tasks/retention': {
    holds: 'what is deleted when its time is up',
    all: ['domain', 'postgres', 'blobs'],
    packages: ['zod'],
  },
  'tasks/create': {
    holds: 'from a parsed request to an accepted task',
    all: ['domain', 'postgres', 'blobs', 'ledger', 'media', 'observability', 'tasks/rows', 'tasks/wait', 'api'],
    types: ['accounts'],
    packages: ['node:'],
  },
  'tasks/wait': {
    holds: 'waiting for tasks, finding and cancelling them for their owners',
    all: ['domain', 'postgres', 'tasks/rows', 'tasks/create', 'api'],
    types: ['ledger'],
    packages: ['node:'],
  },
  'tasks/fetch-once': {
    holds: 'results that can be downloaded once',
    all: ['domain', 'net', 'tasks/rows', 'tasks/wait', 'api'],
    types: ['postgres'],
    packages: ['node:'],
  },
  'tasks/start': {
    holds: 'starting workflows, and the scans that make sure of it',
    all: ['domain', 'postgres', 'tasks/rows', 'tasks/retention', 'files', 'chat', 'webhooks', 'temporal'],
    types: ['activities', 'workflows', 'blobs', 'observability', 'batches'],
    packages: ['node:', '@temporalio/client'],
  },
  webhooks: {
    holds: 'events that are owed, their secrets and signatures, delivery',
    all: ['domain', 'postgres', 'ledger', 'net', 'temporal'],
    types: ['workflows'],
    packages: ['node:', 'zod', 'undici', '@temporalio/client'],
  },
  'request-records': {
    holds: 'records of requests',
    all: ['domain', 'postgres'],
    types: ['ledger'],
    packages: ['node:', 'zod', 'pino'],
  },
  bodies: {
    holds: 'recorded bodies of requests',
    all: ['domain', 'postgres', 'blobs', 'ledger'],
    packages: ['node:', 'zod', 'pg', 'pino'],
  },
  chat: {
    holds: 'a chat call: admission, routing, early start, relay, metering, settlement',
    all: ['domain', 'postgres', 'blobs', 'ledger', 'media', 'net', 'request-records', 'tasks/rows', 'api'],
    types: ['providers', 'observability', 'accounts', 'bodies'],
    packages: ['node:', 'zod', 'gpt-tokenizer'],
  },
  batches: {
    holds: 'batches, from their file to the files of answers',
    all: [
      'domain',
      'postgres',
      'blobs',
      'ledger',
      'accounts',
      'files',
      'webhooks',
      'chat',
      'tasks/rows',
      'tasks/create',
      'api',
      'temporal',
    ],
    types: ['config', 'observability', 'providers', 'workflows'],
    packages: ['node:', 'zod', 'pg', '@temporalio/client'],
  },
  audit: {
    holds: 'the ledger audit: its checks, anchors, schedule, and the comparison with Temporal',
    all: ['domain', 'postgres', 'blobs', 'ledger', 'accounts', 'temporal', 'tasks/start'],
    types: ['workflows'],
    packages: ['node:', 'zod', '@temporalio/client', '@temporalio/common'],
  },
  reconciliation: {
    holds: "vendors' usage and bills, compared with the ledger; the last result",
    all: ['domain', 'postgres'],
    packages: ['node:', 'zod', 'csv-parse'],
  },
  providers: {
    holds: 'one folder a kind of upstream, and what they share',
    all: ['domain', 'media', 'net', 'simulator'],
    packages: ['node:', 'zod', 'undici'],
  },
  simulator: {
    holds: 'an upstream for demos and tests, without network',
    all: ['domain', 'media'],
    types: ['providers'],
    packages: ['node:', 'zod', 'mediabunny', '@mediabunny/', 'h264-mp4-encoder', 'jpeg-js'],
  },
  workflows: {
    holds: 'deterministic workflow bodies',
    all: ['domain'],
    types: ['activities'],
    packages: ['@temporalio/workflow', '@temporalio/common'],
  },
  activities: {
    holds: 'the steps of workflows',
    all: [
      'domain',
      'media',
      'postgres',
      'blobs',
      'ledger',
      'tasks/rows',
      'tasks/provider-calls',
      'bodies',
      'tasks/retention',
      'webhooks',
      'observability',
    ],
    types: ['providers', 'audit', 'batches'],
    packages: ['node:', 'zod', '@temporalio/activity', '@temporalio/common'],
  },
  temporal: {
    holds: 'connections, workers, schedules, encrypted payloads',
    all: ['domain', 'activities'],
    types: ['workflows', 'config', 'observability'],
    packages: ['node:', '@temporalio/'],
  },
  observability: {
    holds: 'logs, metrics, traces',
    all: ['domain'],
    types: ['config', 'ledger'],
    packages: ['node:', 'pino', 'prom-client', '@opentelemetry/', '@temporalio/interceptors-opentelemetry'],
  },
  api: {
    holds: 'the HTTP server, middleware, bodies, lists, health, presenters',
    all: [
      'domain',
      'net',
      'postgres',
      'blobs',
      'accounts',
      'observability',
      'tasks/rows',
      'tasks/provider-calls',
      'tasks/fetch-once',
      'ledger',
      'request-records',
      'bodies',
      'api/openapi',
    ],
    types: ['config', 'providers', 'chat', 'audit', 'batches', 'files', 'tasks/wait', 'tasks/start', 'api/console'],
    packages: ['node:', 'zod', '@fastify/busboy'],
  },
  'api/operations': {
    holds: 'the operations of the public API, a record each',
    all: [
      'domain',
      'postgres',
      'blobs',
      'ledger',
      'accounts',
      'files',
      'tasks/rows',
      'tasks/provider-calls',
      'tasks/create',
      'tasks/wait',
      'tasks/fetch-once',
      'webhooks',
      'chat',
      'batches',
      'bodies',
      'api',
      'api/openapi',
    ],
    types: ['config', 'providers'],
    packages: ['zod'],
  },
  'api/openapi': {
    holds: 'the OpenAPI document, and what the operations share in it',
    all: ['domain', 'version', 'api'],
    types: ['config'],
    packages: ['node:', 'zod'],
  },
  'api/console': {
    holds: "the console's own operations, and its pages",
    all: [
      'domain',
      'ledger',
      'accounts',
      'audit',
      'reconciliation',
      'request-records',
      'bodies',
      'files',
      'batches',
      'tasks/rows',
      'tasks/provider-calls',
      'tasks/create',
      'tasks/wait',
      'webhooks',
      'api',
      'api/operations',
      'api/openapi',
    ],
    types: ['postgres'],
    packages: ['node:', 'zod', '@koa/router', '@node-rs/argon2', 'p-limit', 'rate-limiter-flexible'],
  },
  'api/app.ts': {
    holds: 'the Koa application, an ordered table of contents',
    all: ['api', 'api/operations', 'api/console'],
    types: ['domain'],
    packages: ['koa', '@koa/router'],
  },
};

/** The ends of the product: they make the parts and run them, and nothing imports them. */
export const openRooms: Readonly<Record<string, string>> = {
  runtime: 'from settings to the parts and the roles made of them',
  embedded: 'the servers that `npm start` brings',
  cli: 'the commands',
};

/** What the folders hold that are several rooms. */
export const folders: Readonly<Record<string, string>> = {
  tasks: 'an image, video or avatar task from its creation to its deletion',
  api: 'the HTTP server, the public operations, their OpenAPI document, the console',
};

/** The room that a file below `src` stands in. */
export function roomOf(path: string): string {
  const names = [...Object.keys(rooms), ...Object.keys(openRooms)];
  const fitting = names.filter((name) => path === name || path === `${name}.ts` || path.startsWith(`${name}/`));
  return fitting.sort((a, b) => b.length - a.length)[0] ?? path;
}
