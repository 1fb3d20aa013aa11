/** `npm run bench [name]`: the benchmarks by name; without one, what there is. */

interface Benchmark {
  about: string;
  run(args: readonly string[]): Promise<boolean>;
}

const benchmarks: Record<string, Benchmark> = {
  chat: {
    about:
      'CPU and latency of a chat call beside a bare Koa proxy; 5 minutes (-- --peers: 10, and other gateways; -- --node PATH, more than once: on each; -- --rounds 1: a third)',
    run: async (args) => (await import('./chat/chat.ts')).runChat(args),
  },
  tasks: {
    about:
      'tasks beside bare workflows: a second, alone, CPU by part, in three arrangements; 8 minutes (-- --only start: 3)',
    run: async (args) => (await import('./tasks/tasks.ts')).runTasks(args),
  },
  batches: {
    about:
      'the lines of a batch beside the same calls by a client that loops: a second, CPU by part; interactive calls beside ten batches; 8 minutes (-- --rounds 1 --lines 1000 --beside 0: one)',
    run: async (args) => (await import('./batches/batches.ts')).runBatches(args),
  },
  live: {
    about:
      'tasks that run for long, 10,000 at once: lateness of their ends, CPU a task-minute, turns of accounts; 25 minutes (-- --tasks 500 --minutes 2 --poll 5: six)',
    run: async (args) => (await import('./live/live.ts')).runLive(args),
  },
  waiting: {
    about:
      'memory and CPU of 1,000 and 5,000 callers who wait for a task, and how soon they learn of its end; 20 minutes (-- --callers 200 --rounds 1: one)',
    run: async (args) => (await import('./waiting/waiting.ts')).runWaiting(args),
  },
  ledger: {
    about:
      'admissions per second beside pgbench, on 0, 1 and 10 million entries, and the audit of a million; 12 minutes and 13 GB of disk',
    run: async (args) => (await import('./ledger/ledger.ts')).runLedger(args),
  },
  requests: {
    about:
      'what the console asks of 10 million requests and 3 million entries: lists, usage, sales; 10 minutes and 12 GB of disk (-- --requests 100000: seconds)',
    run: async (args) => (await import('./requests/requests.ts')).runRequests(args),
  },
  scaling: {
    about: "what the model needs besides, and the hot account's simulation beside real processes; some minutes",
    run: async (args) => (await import('./scaling/scaling.ts')).runScaling(args),
  },
  model: {
    about: 'what a cluster needs for a load, from measured figures; the tables of docs/scaling.md; seconds',
    run: async (args) => (await import('./scaling/model.ts')).runModel(args),
  },
  transfers: {
    about:
      'uploads and downloads in MB/s, with memory and CPU per GB, beside a bare Node server; 4 minutes (-- --s3: over an S3 server, too)',
    run: async (args) => (await import('./transfers/transfers.ts')).runTransfers(args),
  },
  start: {
    about: 'how long npm start and the roles take until they are ready; 2 minutes (-- --rounds 5)',
    run: async (args) => (await import('./start/start.ts')).runStart(args),
  },
};

const [name, ...args] = process.argv.slice(2);
const benchmark = name === undefined ? undefined : benchmarks[name];
if (benchmark) {
  const isGood = await benchmark.run(args).catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return false;
  });
  process.exit(isGood ? 0 : 1); // Temporal's client may keep the process alive
}
const lines = Object.entries(benchmarks).map(([key, { about }]) => `  npm run bench ${key.padEnd(9)} ${about}\n`);
process.stdout.write(lines.join(''));
if (name !== undefined) process.exitCode = 2;
