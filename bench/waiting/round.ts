/** One round: the API without waiting callers, then with all callers at rest, then the ends of their tasks. */
import { type ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { Pool } from 'undici';
import { nextMessage } from '../children.ts';
import type { MeasuredGateway } from '../gateway.ts';
import { cpuBetween, cpuTimes } from '../processes.ts';
import { say } from '../report.ts';
import { calmMs, type Delays, delays, rest_ms, timesOf, type Wanted, warmUpCalls, warmUp } from './ends.ts';
import type { MeasuredApi } from './measured-api.ts';
import { type Load, loadResultSchema, type Memory } from './messages.ts';
import { finishedAt, waitingNow } from './tasks-in-database.ts';

export interface Bench {
  gateway: MeasuredGateway;
  api: MeasuredApi;
  callers: ChildProcess;
  database: pg.Client;
  secret: string;
  signal: AbortSignal;
}

export interface Round extends Wanted {
  round: number;
  empty: Rest;
  full: Rest;
  /** Tasks that were not yet at the provider then. */
  unsent: number;
  spread: Delays;
  burst: Delays;
  /** Callers who waited for as long as one may, and got a 202. */
  waitedOut: number;
  /** Answers that were none of both, and callers without an answer. */
  wrong: string[];
}

/** The API over some seconds in which no caller comes or goes. */
export interface Rest {
  memory: Memory;
  /** Shares of a core that are in use. */
  apiCores: number;
  postgresCores: number;
  /** The worker, and an API without requests. */
  workerCores: number;
  temporalCores: number;
}

/** How many tasks a second the slowest machine ends in the burst. */
const burstPerSecondMin = 10;
/** Small calls that leave nothing: V8 has two places for new objects, of 16 MiB each, and has used both when these are over. */
const listsAtOnce = 20;
const listsEach = 300;
const endingMsMax = 600_000;

export async function measureRound(bench: Bench, wanted: Wanted, round: number): Promise<Round> {
  const { database, signal } = bench;
  await warmedUp(bench, wanted);
  await sleep(calmMs, undefined, { signal });
  const empty = await rest(bench);
  const { spread, firstEndAfterMs, lastEndAfterMs, atRestAfterMs } = timesOf(wanted);
  const startMs = Date.now();
  const load: Load = {
    ...{ url: bench.api.url, key: bench.secret, ...wanted, spread, firstEndMs: startMs + firstEndAfterMs },
    limitMs: startMs + lastEndAfterMs + ((wanted.callers - spread) / burstPerSecondMin) * 1_000 + 30_000,
  };
  bench.callers.send(load);
  const result = nextMessage(bench.callers).then((message) => loadResultSchema.parse(message));
  result.catch(() => undefined); // it is awaited below, unless something else fails before
  const unsent = await allAtRest(database, wanted.callers, startMs + atRestAfterMs, signal);
  await sleep(calmMs, undefined, { signal });
  const full = await rest(bench);
  if ((await waitingNow(database)).accepted < wanted.callers) throw new Error('Some tasks ended before they should.');
  const leftMs = lastEndAfterMs - (Date.now() - startMs);
  const KBEach = (full.memory.resident - empty.memory.resident) / wanted.callers / 1024;
  say(
    `  all ${wanted.callers} wait: ${KBEach.toFixed(1)} KB each, ${(full.apiCores * 100).toFixed(1)} % of a core; their tasks end within ${Math.ceil(leftMs / 1_000)} s`,
  );
  const { answers, faults } = await result;
  const ids = answers.map(({ id }) => id);
  const ended = await finishedAt(database, ids);
  const waitedOut = answers.filter(({ status }) => status === 202).length;
  const wrong = answers.filter(({ id, status }) => status !== 202 && !(status === 200 && ended.has(id)));
  await allEnded(database, signal);
  const delaysOf = (isSpread: boolean) =>
    delays(
      answers.filter((answer) => answer.isSpread === isSpread),
      ended,
    );
  return {
    ...{ ...wanted, round, empty, full, unsent, spread: delaysOf(true), burst: delaysOf(false), waitedOut },
    wrong: [...faults, ...wrong.map(({ status }) => `status ${status}`)],
  };
}

/** A process that has just begun would have what it takes once and for all counted as the callers'. */
async function warmedUp({ api, secret, callers }: Bench, wanted: Wanted): Promise<void> {
  callers.send({ url: api.url, key: secret, ...warmUp(wanted, Date.now()) } satisfies Load);
  const { answers } = loadResultSchema.parse(await nextMessage(callers));
  const served = answers.filter(({ status }) => status === 200).length;
  if (served < warmUpCalls) throw new Error(`Only ${served} of the first ${warmUpCalls} calls got an image.`);
  const pool = new Pool(api.url, { connections: listsAtOnce });
  const list = { path: '/v1/models', method: 'GET', headers: { Authorization: `Bearer ${secret}` } } as const;
  const lists = Array.from({ length: listsAtOnce }, async () => {
    for (let count = 0; count < listsEach; count++) await (await pool.request(list)).body.dump();
  });
  await Promise.all(lists);
  await pool.close();
}

/**
 * What the API needs in these seconds. Its memory is looked at first: when it has been idle for some seconds V8 gives back
 * its places for new objects, 32 MB, and takes them again with the next callers, however many they are.
 */
async function rest({ gateway, api, signal }: Bench): Promise<Rest> {
  const memory = await api.memory();
  const before = { at: performance.now(), api: cpuTimes(api.pid), gateway: cpuTimes(gateway.pid) };
  await sleep(rest_ms, undefined, { signal });
  const ms = performance.now() - before.at;
  const used = {
    api: cpuBetween(before.api, cpuTimes(api.pid)),
    gateway: cpuBetween(before.gateway, cpuTimes(gateway.pid)),
  };
  return {
    memory,
    apiCores: used.api.own / ms,
    postgresCores: used.gateway.postgres / ms,
    workerCores: used.gateway.own / ms,
    temporalCores: used.gateway.rest / ms,
  };
}

/**
 * Waits until each caller has its task, and if there is time the provider each task, which is the worker's matter and costs
 * the API nothing. Returns how many the provider has not.
 */
async function allAtRest(database: pg.Client, callers: number, untilMs: number, signal: AbortSignal): Promise<number> {
  for (let looks = 0; ; looks++) {
    const { accepted, sent } = await waitingNow(database);
    if (sent >= callers) return 0;
    if (looks % 10 === 9) say(`  ${accepted} of ${callers} callers wait, ${sent} of their tasks are at the provider`);
    if (Date.now() > untilMs) {
      if (accepted >= callers) return callers - sent;
      const words = `Only ${accepted} of ${callers} callers waited when the ends of their tasks were near.`;
      throw new Error(`${words} Have fewer (--callers), or have them come more slowly (--coming).`);
    }
    await sleep(1_000, undefined, { signal });
  }
}

/** Tasks whose callers had to leave with a 202 must not be the next round's. */
async function allEnded(database: pg.Client, signal: AbortSignal): Promise<void> {
  const untilMs = Date.now() + endingMsMax;
  for (let looks = 0; ; looks++) {
    const { accepted } = await waitingNow(database);
    if (accepted === 0) return;
    if (Date.now() > untilMs) throw new Error(`${accepted} tasks did not end.`);
    if (looks % 10 === 9) say(`  ${accepted} tasks have not ended`);
    await sleep(1_000, undefined, { signal });
  }
}
