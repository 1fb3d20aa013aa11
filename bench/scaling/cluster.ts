/** The model: from measured figures and a load to what a cluster needs. Arithmetic only. */
import { connectionsPerProcess } from '../../src/postgres/database.ts';
import type { Figures } from './figures.ts';
import { simulateFleet } from './hot-account.ts';
import { assumptions, bounds, dayS, type Load, monthS } from './loads.ts';
import type { GroupCosts } from './simulated-groups.ts';

export interface Needs {
  apis: number;
  apiMb: number;
  workers: number;
  workerMb: number;
  temporal: { history: number; matching: number; frontend: number; shards: number; partitions: number };
  /** Of history. */
  eventsPerSecond: number;
  visibilityWritesPerSecond: number;
  /** Of Temporal. */
  engine: DatabaseNeeds;
  /** Of the gateway: accounts, ledger, tasks. */
  books: DatabaseNeeds & { connections: number; entriesPerMonth: number; auditHours: number };
  blobs: { inMbPerSecond: number; outMbPerSecond: number; keptTb: number };
  /** That APIs need on top if they send the results themselves. */
  sendingCores: number;
  noticesHeardPerSecond: number;
  /** Arrangements of a database and a Temporal each, over which the accounts are split. */
  cells: number;
  /** All of it. */
  cores: number;
}

interface DatabaseNeeds {
  cores: number;
  commitsPerSecond: number;
  walMbPerSecond: number;
  /** Of Temporal what it keeps; of the gateway what comes in a month. */
  diskTb: number;
}

const { utilisation, monthShare, task_s, create_s, resultMb, resultDays } = assumptions;
const { stream_s, chunksPerSecond, historyDays } = assumptions;
const entriesATask = 2;
const entriesACall = 3;
/** So that one may die. */
const processesMin = 2;
const shardsMin = 16;

export const groupCostsOf = (of: Figures): GroupCosts => ({
  knownMs: of.groupKnownMs,
  knownMsPerMove: of.moveKnownMs,
  lockedMs: of.groupLockedMs,
  lockedMsPerMove: of.moveLockedMs,
  roundTripMs: of.roundTripMs,
  flushMs: of.flushMs,
});

export function needsOf({ tasksPerSecond, streams }: Load, of: Figures): Needs {
  const liveTasks = tasksPerSecond * task_s;
  const callsPerSecond = streams / stream_s;

  const apiBusy =
    (tasksPerSecond * of.taskApiMs + callsPerSecond * of.callApiMs + streams * chunksPerSecond * of.chunkApiMs) / 1_000;
  // Each API hears of every task that ended, so what that costs grows with how many there are.
  const hearing = (tasksPerSecond * of.noticeApiMs) / 1_000;
  const apis = processesFor([
    apiBusy / Math.max(0.01, utilisation - hearing),
    liveTasks / bounds.connections / utilisation,
    streams / bounds.chatCalls / utilisation,
  ]);
  const workerBusy =
    (tasksPerSecond * (of.taskWorkerMs + resultMb * of.storeWorkerMs) + (liveTasks / 60) * of.liveWorkerMs) / 1_000;
  const workers =
    tasksPerSecond === 0
      ? 0
      : processesFor([
          workerBusy / utilisation,
          liveTasks / bounds.collects / utilisation,
          (tasksPerSecond * create_s) / bounds.submits / utilisation,
        ]);

  const temporalCores = (tasksPerSecond * of.taskTemporalMs) / 1_000 / utilisation;
  const shardsBusy = (tasksPerSecond * of.taskTransitions * of.operationMs) / 1_000 / of.shardOperations;
  const engine: DatabaseNeeds = {
    cores: (tasksPerSecond * of.taskTemporalPostgresMs) / 1_000 / utilisation,
    commitsPerSecond: tasksPerSecond * of.taskTemporalCommits,
    walMbPerSecond: (tasksPerSecond * of.taskTemporalWalKb) / 1_000,
    diskTb: (tasksPerSecond * monthShare * historyDays * dayS * of.taskTemporalDiskKb) / 1e9,
  };

  const ledger = ledgerOf(callsPerSecond, apis, of);
  const noticesHeardPerSecond = tasksPerSecond * apis;
  const booksMs =
    tasksPerSecond * of.taskPostgresMs +
    ledger.postgresMs +
    noticesHeardPerSecond * of.noticePostgresMs +
    liveTasks * of.netPostgresMs;
  const entriesPerMonth = (tasksPerSecond * entriesATask + callsPerSecond * entriesACall) * monthShare * monthS;
  const books = {
    cores: booksMs / 1_000 / utilisation,
    commitsPerSecond: tasksPerSecond * of.taskCommits + ledger.groupsPerSecond,
    walMbPerSecond: (tasksPerSecond * of.taskWalKb + callsPerSecond * of.callWalKb) / 1_000,
    diskTb: ((tasksPerSecond * of.taskDiskKb + callsPerSecond * of.callDiskKb) * monthShare * monthS) / 1e9,
    connections: connectionsPerProcess * (apis + workers),
    entriesPerMonth,
    auditHours: entriesPerMonth / of.auditedPerSecond / 3_600,
  };

  return {
    ...{ apis, workers },
    apiMb: of.apiMb + (liveTasks * of.waiterKb + streams * of.streamKb) / 1_000 / apis,
    workerMb: workers === 0 ? 0 : of.workerMb + (liveTasks * of.liveKb) / 1_000 / workers,
    temporal: {
      history: temporalCores * of.historyShare,
      matching: temporalCores * of.matchingShare,
      frontend: temporalCores * of.frontendShare,
      shards: tasksPerSecond === 0 ? 0 : powerOfTwo(Math.max(shardsMin, shardsBusy / assumptions.shardUtilisation)),
      partitions: Math.ceil(tasksPerSecond / of.partitionPerSecond / utilisation),
    },
    visibilityWritesPerSecond: tasksPerSecond * of.taskVisibilityWrites,
    ...{ engine, books, noticesHeardPerSecond },
    blobs: {
      inMbPerSecond: tasksPerSecond * resultMb,
      outMbPerSecond: tasksPerSecond * resultMb,
      keptTb: (tasksPerSecond * monthShare * resultDays * dayS * resultMb) / 1e6,
    },
    sendingCores: (tasksPerSecond * resultMb * of.sendApiMs) / 1_000 / utilisation,
    eventsPerSecond: tasksPerSecond * of.taskEvents,
    cells: Math.max(databasesFor(engine), databasesFor(books), Math.ceil(tasksPerSecond / of.noticesPerSecond)),
    cores: apis + workers + temporalCores + engine.cores + books.cores,
  };
}

/** What calls cost the ledger when each API commits its own: the fewer share a group, the dearer they are. */
function ledgerOf(callsPerSecond: number, apis: number, of: Figures): { groupsPerSecond: number; postgresMs: number } {
  if (callsPerSecond === 0) return { groupsPerSecond: 0, postgresMs: 0 };
  const fleet = { processes: 1, way: 'own', hotPerSecond: callsPerSecond / apis, seconds: 10, seed: 1 } as const;
  const { movesPerGroup } = simulateFleet(fleet, groupCostsOf(of));
  const movesPerSecond = 2 * callsPerSecond;
  const groupsPerSecond = movesPerSecond / movesPerGroup;
  // Any API gets any account's calls, so that rows are rarely as a process knew them, and are locked first.
  const groupMs = (of.groupPostgresMs * of.groupLockedMs) / of.groupKnownMs;
  return { groupsPerSecond, postgresMs: groupsPerSecond * groupMs + movesPerSecond * of.movePostgresMs };
}

const processesFor = (wanted: readonly number[]): number => Math.max(processesMin, ...wanted.map(Math.ceil));
const powerOfTwo = (least: number): number => 2 ** Math.ceil(Math.log2(least));

/** How many servers carry it, by whatever is full first. */
function databasesFor({ cores, commitsPerSecond, diskTb }: DatabaseNeeds): number {
  const one = assumptions.database;
  return Math.ceil(Math.max(cores / one.cores, commitsPerSecond / one.commitsPerSecond, diskTb / one.diskTb));
}
