/** The load generator, in a process of its own: is sent one load after another, and answers each with what its callers saw. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Caller, type Call, Tally } from './caller.ts';
import { type LoadResult, loadSchema } from './load-messages.ts';
import { bodyOf, type Scenario } from './scenarios.ts';
import { clockMs, forms } from './wire.ts';

/** After a failed call, so that a target that refuses everything is not hammered. */
const pauseAfterErrorMs = 50;

process.on('message', (message) => {
  const load = loadSchema.parse(message);
  const url = new URL(load.url);
  const body = Buffer.from(bodyOf(load.scenario, load.model));
  const headers = { Host: url.host, 'Content-Type': 'application/json', Accept: '*/*', ...load.headers };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const { path } = forms[load.scenario.form];
  const head = `POST ${path} HTTP/1.1\r\n${lines.join('')}Content-Length: ${body.length}\r\n\r\n`;
  const bytes = Buffer.concat([Buffer.from(head), body]);
  const call = { host: url.hostname, port: Number(url.port), bytes, scenario: load.scenario };
  void run(call, load.limitMs).then((result) => process.send?.(result));
});
process.once('disconnect', () => process.exit());

/** Puts the load on until its time is over, then waits for the calls under way, to the limit and no longer. */
async function run(call: Call, limitMs: number): Promise<LoadResult> {
  const { scenario } = call;
  const tally = new Tally();
  const callers = Array.from({ length: scenario.connections }, () => new Caller(call, tally));
  const begun = clockMs();
  const until = begun + scenario.measureMs;
  const { callsPerSecond: perSecond } = scenario;
  const all =
    perSecond === undefined
      ? Promise.all(callers.map((caller, index) => closedLoop(caller, { scenario, index, until })))
      : openLoop(callers, { perSecond, begun, count: Math.round((perSecond * scenario.measureMs) / 1000) }, tally);
  const over = new AbortController();
  await Promise.race([
    all,
    sleep(limitMs, undefined, { signal: over.signal })
      .then(() => callers.forEach((caller) => caller.stop('cut off by the time limit')))
      .catch(() => undefined),
  ]);
  over.abort();
  const seconds = (clockMs() - begun) / 1000;
  await all;
  for (const caller of callers) caller.stop('the load is over');
  return {
    calls: tally.latencies.count,
    errors: tally.errors,
    ...(tally.firstError !== undefined && { firstError: tally.firstError }),
    chunks: tally.chunks,
    seconds,
    latencyMs: tally.latencies.percentiles(),
    firstChunkMs: tally.firstChunks.percentiles(),
    chunkAgeMs: tally.chunkAges.percentiles(),
  };
}

interface Loop {
  scenario: Scenario;
  index: number;
  until: number;
}

/** Each caller calls at least once, then again and again while there is time. */
async function closedLoop(caller: Caller, { scenario, index, until }: Loop): Promise<void> {
  if (scenario.rampMs > 0) await sleep((scenario.rampMs * index) / scenario.connections);
  await new Promise<void>((resolve) => {
    const again = (isGood: boolean) => {
      if (clockMs() >= until) resolve();
      else if (isGood) caller.begin(again);
      else setTimeout(() => again(true), pauseAfterErrorMs);
    };
    caller.begin(again);
  });
}

/** A call begins whenever one is due; if all callers are busy then, it counts as an error. */
async function openLoop(
  callers: readonly Caller[],
  { perSecond, begun, count }: { perSecond: number; begun: number; count: number },
  tally: Tally,
): Promise<void> {
  const calls: Promise<void>[] = [];
  for (let index = 0; index < count; index++) {
    await sleep(Math.max(0, begun + (index * 1000) / perSecond - clockMs()));
    const free = callers.find((caller) => !caller.isBusy);
    if (free) calls.push(new Promise((resolve) => free.begin(() => resolve())));
    else {
      tally.errors++;
      tally.firstError ??= `all ${callers.length} connections were busy`;
    }
  }
  await Promise.all(calls);
}
