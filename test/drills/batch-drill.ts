/** A batch of many lines, while API, worker, Temporal and PostgreSQL are killed in turn; and what it came to. */
import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod';
import { kill, until } from '../support/process.ts';
import { type BatchVerdict, judgeBatch } from './batch-checks.ts';
import { inputLine, linePrice, LineService } from './batch-service.ts';
import { type Closing, closingAll } from './opened.ts';
import { processHeader } from './provider.ts';
import { type Buyer, type Member, World } from './world.ts';

export interface BatchDrillOptions {
  lines: number;
  /** From one blow to the next, if everything is back by then. */
  everySeconds: number;
  /** No blow comes after so many. */
  blowsMax: number;
  /** Lines a second of each worker, so that a batch lasts for some blows. */
  perSecondMax?: number;
  /** Aborted when it is to be given up. */
  signal?: AbortSignal;
  say: (line: string) => void;
}

/** In the order of their turns. */
const victims = ['worker', 'postgres', 'api', 'temporal'] as const;
type Victim = (typeof victims)[number];

/** Without any change; the sweep of what a dead worker held takes more than a minute. */
const stillMsMax = 300_000;
const lookMs = 1_000;
const saidEveryMs = 10_000;

/** Runs it, and says what it came to; whether every promise was kept is for `broken` to say. */
export const drillBatch = (options: BatchDrillOptions): Promise<BatchVerdict> =>
  closingAll(options.signal, (opened) => run(options, opened));

async function run(options: BatchDrillOptions, opened: Closing[]): Promise<BatchVerdict> {
  const { lines, say, perSecondMax } = options;
  const service = await LineService.open();
  opened.push(() => service.close());
  const world = await World.open({
    ...{ apis: 2, workers: 2, hasOwnDisk: false, say },
    clockBehindMs: () => 0,
    configurationOf: (process) => configurationOf(service, process, perSecondMax),
  });
  opened.push(() => world.close());
  const buyer = await world.newBuyer();
  const startedAt = performance.now();
  const batch = await createBatch(world, buyer, lines);
  say(`${batch}: ${lines} lines`);
  const blows = await strikeUntilEnded(world, service, batch, options);
  const seconds = (performance.now() - startedAt) / 1000;
  say('checking');
  const verdict = await judgeBatch({ world, service, buyer, batch, lines });
  const { byState, lineCosts, captures, outputCosts, sentTwice, broken } = verdict;
  const states = Object.entries(byState).map(([state, count]) => `${count} ${state}`);
  say(`${blows.length} blows (${blows.join(', ')}) in ${seconds.toFixed(0)} s; lines: ${states.join(', ')}`);
  say(
    `charged ${captures} = costs of lines ${lineCosts} = the output's usage ${outputCosts} micro-units; sent twice ${sentTwice}`,
  );
  for (const sentence of broken.slice(0, 50)) say(`BROKEN: ${sentence}`);
  return verdict;
}

function configurationOf({ baseUrl }: LineService, process: string, perSecondMax: number | undefined): unknown {
  return {
    providers: {
      lines: {
        ...{ kind: 'openai', base_url: baseUrl, api_key: 'sk-drill', headers: { [processHeader]: process } },
        batch: { max_concurrent: 24, ...(perSecondMax !== undefined && { max_per_second: perSecondMax }) },
      },
    },
    models: [
      {
        ...{ id: 'drill-line', kind: 'chat', routes: [{ provider: 'lines', model: 'line' }] },
        price: { input_per_million: linePrice.input, output_per_million: linePrice.output },
      },
    ],
  };
}

const made = z.object({ id: z.string() });

/** Uploads the lines and creates their batch. */
async function createBatch({ urls }: World, { key }: Buyer, lines: number): Promise<string> {
  const headers = { Authorization: `Bearer ${key}` };
  const form = new FormData();
  form.append('purpose', 'batch');
  form.append('file', new Blob(Array.from({ length: lines }, (_, at) => inputLine(at + 1))), 'lines.jsonl');
  // As SDKs do, it is sent again where the gateway is not ready.
  const idOf = (path: string, init: RequestInit): Promise<string> =>
    until(`an answer of /v1/${path}`, async () => {
      const answer = await fetch(`${urls[0]}/v1/${path}`, { method: 'POST', ...init });
      const body: unknown = await answer.json();
      if (answer.status === 503) return undefined;
      if (!answer.ok) throw new Error(`/v1/${path} was answered ${answer.status}: ${JSON.stringify(body)}`);
      return made.parse(body).id;
    });
  const file = await idOf('files', { headers, body: form });
  return idOf('batches', {
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify({ input_file_id: file, endpoint: '/v1/chat/completions', completion_window: '24h' }),
  });
}

const progressRow = z.object({ state: z.string(), open: z.number(), done: z.number() });

async function strikeUntilEnded(
  world: World,
  service: LineService,
  batch: string,
  { everySeconds, blowsMax, say }: BatchDrillOptions,
): Promise<Victim[]> {
  const blows: Victim[] = [];
  let [before, changedAt, saidAt] = ['', performance.now(), 0];
  let nextAt = performance.now() + everySeconds * 1000;
  for (;;) {
    const now = await progressOf(world, batch);
    if (now && ['completed', 'failed', 'expired', 'cancelled'].includes(now.state)) return blows;
    const seen = JSON.stringify(now);
    if (seen !== before) changedAt = performance.now();
    before = seen;
    if (performance.now() - changedAt > stillMsMax) throw new Error(`${batch} stands still: ${seen}`);
    if (now && performance.now() - saidAt > saidEveryMs) {
      saidAt = performance.now();
      say(`${now.state}: ${now.done} lines done`);
    }
    if (performance.now() >= nextAt && blows.length < blowsMax) {
      const victim = victims[blows.length % victims.length] ?? 'worker';
      blows.push(victim);
      await strike(world, service, victim, say);
      nextAt = performance.now() + everySeconds * 1000;
    }
    await pause(lookMs);
  }
}

async function progressOf({ database }: World, batch: string): Promise<z.output<typeof progressRow> | undefined> {
  const read = await database.pool
    .query(
      `select b.state, count(l.n) filter (where l.finished_at is null)::int as open,
         count(l.n) filter (where l.finished_at is not null)::int as done
       from batches b left join batch_lines l on l.batch_id = b.id where b.id = $1 group by b.state`,
      [batch],
    )
    .catch(() => undefined); // PostgreSQL was killed
  return read && progressRow.parse(read.rows[0]);
}

/** Kills it, and has it back. Of the workers the one that sends lines is killed. */
async function strike(
  world: World,
  { lastProcess }: LineService,
  victim: Victim,
  say: BatchDrillOptions['say'],
): Promise<void> {
  if (victim === 'postgres' || victim === 'temporal') {
    const { pid } = world[victim];
    kill(pid, 'SIGKILL');
    say(`killed ${victim}`);
    await until('the server that was killed', () => (world[victim].pid === pid ? undefined : true));
  } else {
    const member = chosen(world.of(victim), lastProcess);
    await world.kill(member);
    say(`killed ${member.name}`);
    await world.startAgain(member);
  }
  await world.allReady();
}

function chosen(members: readonly Member[], name: string | undefined): Member {
  const member = members.find((each) => each.name === name) ?? members[0];
  if (!member) throw new TypeError('there is no such process');
  return member;
}
