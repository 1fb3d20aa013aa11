/** What the model is asked, and what it takes for granted: none of it is measured, all of it is up to the planner. */

export interface Load {
  name: string;
  /** At the peak. */
  tasksPerSecond: number;
  streams: number;
}

export const loads: readonly Load[] = [
  { name: '1,000 tasks a minute', tasksPerSecond: 1_000 / 60, streams: 0 },
  { name: '100,000 tasks a minute', tasksPerSecond: 100_000 / 60, streams: 0 },
  { name: '50,000 streams at once', tasksPerSecond: 0, streams: 50_000 },
];

export const assumptions = {
  /** Share of a core, a bound or a server that is used at the peak. */
  utilisation: 0.6,
  /** Of the peak, over a month. */
  monthShare: 0.5,
  /** From a task's acceptance to its end; its caller waits for it. */
  task_s: 60,
  /** A create call at the provider, of which a worker makes so many at once for one provider; here there is one. */
  create_s: 0.3,
  /** An image of 1024x1024; callers fetch it from the store, past the APIs. */
  resultMb: 1.5,
  resultDays: 7,
  /** A stream of 300 chunks. */
  stream_s: 30,
  chunksPerSecond: 10,
  /** How long Temporal keeps ended workflows. */
  historyDays: 3,
  /** A shard that is busier makes others wait. */
  shardUtilisation: 0.3,
  /** One server of PostgreSQL. */
  database: { cores: 32, commitsPerSecond: 20_000, diskTb: 20 },
} as const;

/** Bounds of one process, as docs/internals/queues.md has them. */
export const bounds = { connections: 20_000, chatCalls: 4_096, collects: 100_000, submits: 20 } as const;

export const monthS = 30 * 24 * 3_600;
export const dayS = 24 * 3_600;
