/**
 * What the model of docs/scaling.md stands on, a line a figure: value, unit, of what, and where it comes from. After a
 * change `npm run bench model -- --write` brings the page's tables up to date.
 */

/** `npm run bench` with that name prints it. */
const bench = (name: string) => `\`npm run bench ${name}\``;
/** Until that benchmark has been run on a quiet machine: what earlier measurements let expect. */
export const estimate = 'estimate';
const until = (name: string) => `${estimate}, until ${bench(name)}`;
const [chat, ledger, scaling] = [bench('chat'), bench('ledger'), bench('scaling')];
const temporalsOwn = "Temporal's source";
export const assumed = 'assumed';

type Line = readonly [value: number, unit: string, about: string, source: string];

const lines = {
  // A task, on a Temporal server that keeps its state in PostgreSQL.
  taskApiMs: [8, 'ms', "a task's CPU of the API", bench('tasks')],
  taskWorkerMs: [33, 'ms', "a task's CPU of the worker", bench('tasks')],
  taskPostgresMs: [7.4, 'ms', "a task's CPU of the gateway's database", bench('tasks')],
  taskTemporalMs: [37, 'ms', "a task's CPU of Temporal", bench('tasks')],
  taskTemporalPostgresMs: [32, 'ms', "a task's CPU of Temporal's database", bench('tasks')],
  taskEvents: [19, '', "a task's events of history", bench('tasks')],
  taskTransitions: [10, '', "a task's state transitions, each written by its shard", bench('tasks')],
  taskVisibilityWrites: [3, '', "a task's writes for Temporal's lists: start, end, and one upsert", until('tasks')],
  // The database's own counter says 110; it counts reads, which flush nothing.
  taskTemporalCommits: [16, '', "a task's commits in Temporal's database", until('tasks')],
  taskTemporalWalKb: [110, 'kB', "a task's WAL of Temporal's database", bench('tasks')],
  taskTemporalDiskKb: [22, 'kB', 'an ended task on disk in Temporal, until its retention', until('tasks')],
  taskCommits: [11, '', "a task's commits in the gateway's database, none of them shared", bench('tasks')],
  taskWalKb: [5.1, 'kB', "a task's WAL: its row, its hold, its entries", scaling],
  taskDiskKb: [2.9, 'kB', "a task's rows and entries with their indexes", scaling],
  liveWorkerMs: [1.4, 'ms', "a live task's CPU of the worker, a minute of 2 polls", bench('live')],
  liveKb: [190, 'kB', 'a live task in the memory of a worker, garbage not yet collected included', bench('live')],
  waiterKb: [16, 'kB', 'a waiting caller in the memory of an API', bench('waiting')],
  storeWorkerMs: [3, 'ms', "a MB of a result's CPU of the worker: fetched, measured, stored", until('transfers')],
  sendApiMs: [1.5, 'ms', "a MB's CPU of the API: a result that it sends itself", until('transfers')],

  // A chat call, and a chunk of a stream.
  callApiMs: [0.27, 'ms', "a call's CPU of the API, without its chunks", chat],
  chunkApiMs: [0.075, 'ms', "a chunk's CPU of the API, where chunks come one by one", chat],
  streamKb: [60, 'kB', 'a stream in the memory of an API', until('chat')],
  callWalKb: [3, 'kB', "a call's WAL", scaling],
  callDiskKb: [2.2, 'kB', "a call's rows with their indexes", scaling],

  // A group of the ledger: CPU of PostgreSQL, and milliseconds as an API sees them without other load.
  groupPostgresMs: [0.45, 'ms', "a group's CPU of PostgreSQL, over known rows", until('ledger')],
  movePostgresMs: [0.05, 'ms', "a move's CPU of PostgreSQL, on top of its group's", ledger],
  groupKnownMs: [0.8, 'ms', 'a group over known rows', until('scaling')],
  moveKnownMs: [0.06, 'ms', 'each of its moves', until('scaling')],
  groupLockedMs: [1.5, 'ms', 'a group under locks', until('scaling')],
  moveLockedMs: [0.07, 'ms', 'each of its moves', until('scaling')],
  roundTripMs: [0.2, 'ms', 'a round trip to the database, in a data centre', assumed],
  flushMs: [0.3, 'ms', "a flush of the database's disk", until('scaling')],
  auditedPerSecond: [45_000, '', 'entries that an audit reads a second, on two cores', ledger],

  // News of ended tasks.
  noticeApiMs: [0.005, 'ms', 'a NOTIFY heard: CPU of an API', until('scaling')],
  noticePostgresMs: [0.02, 'ms', 'a NOTIFY heard: CPU of PostgreSQL for each API', until('scaling')],
  noticesPerSecond: [15_000, '', 'NOTIFY a second that one server takes', until('scaling')],
  netPostgresMs: [0.004, 'ms', 'the net: CPU of PostgreSQL a second and waiting caller', assumed],

  // Processes and servers.
  apiMb: [250, 'MB', 'an API that does nothing', chat],
  workerMb: [300, 'MB', 'a worker that does nothing', until('live')],
  partitionPerSecond: [300, '', "tasks a second of a task queue's partition", 'measured on one host'],
  operationMs: [5, 'ms', 'one write of a shard, which does one at a time', assumed],
  shardOperations: [1, '', 'writes that a shard does at once (`history.shardIOConcurrency`)', temporalsOwn],
  historyShare: [0.55, '', "the history service's share of Temporal's CPU", assumed],
  matchingShare: [0.2, '', "the matching service's share", assumed],
  frontendShare: [0.2, '', "the frontend's share", assumed],
} as const satisfies Record<string, Line>;

export type FigureName = keyof typeof lines;
export type Figures = Readonly<Record<FigureName, number>>;

export interface Figure {
  name: FigureName;
  value: number;
  unit: string;
  about: string;
  source: string;
}

export const figureNames = Object.keys(lines).filter((name): name is FigureName => name in lines);

export const allFigures: readonly Figure[] = figureNames.map((name) => {
  const [value, unit, about, source] = lines[name];
  return { name, value, unit, about, source };
});

/** The values alone, some of them replaced. */
export function valuesOf(replaced: Readonly<Partial<Record<FigureName, number>>> = {}): Figures {
  const value = (name: FigureName): [FigureName, number] => [name, replaced[name] ?? lines[name][0]];
  return Object.fromEntries(figureNames.map(value)) as Record<FigureName, number>;
}
