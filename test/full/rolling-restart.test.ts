/** A deploy under load: APIs and workers are replaced one after the other, and no client of the gateway notices. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { type Balancer, openBalancer } from '../support/balancer.ts';
import { freshDatabase, fromTestRun, type TestDatabase } from '../support/database.ts';
import { mp4, png, wav } from '../support/media.ts';
import { Installation, ready, type Running, until } from '../support/process.ts';
import {
  chatAnswer,
  chatStream,
  type Answer,
  openUpstream,
  type Piece,
  type SeenRequest,
  type Upstream,
} from '../support/upstream.ts';

const key = 'sk-tg-a-key-that-the-operator-chose-for-this-test';
const requestsPerSecond = 50;
/** While a worker that was replaced already waits for its long creates, and nothing else happens. */
const requestsPerSecondMeanwhile = 10;
/**
 * Requests, and images that wait for their create: a second's worth, so that a machine too slow for the pace is given less
 * instead of a backlog that grows for ever.
 */
const underWayAtMost = 50;
/** How long a create takes at the provider. */
const createMs = 300;
/** So many are under way, at both workers, when these are replaced; they take longer than the 30 s that anything else may there. */
const longCreates = 6;
const longCreateMs = 34_000;
const chunkMs = 100;
/** Between one process's replacement and the next one's end. */
const quietMs = 2_000;

const longAnswered = moment();
let database: TestDatabase;
let home: Installation;
let upstream: Upstream;
let closeUpstream: () => Promise<void>;
let balancer: Balancer;
const audio = new Blob([wav({ seconds: 1, samplesPerSecond: 8_000 })]);
let video: Blob;
let image: string;

before(async () => {
  image = (await png({ width: 64, height: 48 })).toString('base64');
  video = new Blob([await mp4({ seconds: 1, hasAudio: false })]);
  ({ upstream, close: closeUpstream } = await openUpstream());
  upstream.answers(answerOf);
  database = await freshDatabase();
  balancer = await openBalancer();
  home = await Installation.make({
    DATABASE_URL: database.url,
    TEMPORAL_ADDRESS: fromTestRun('TEMPORAL_ADDRESS'),
    TOLLGATE_SECRET: 'a secret of the tests with 40 characters',
    TOLLGATE_BOOTSTRAP_KEY: key,
    TOLLGATE_BOOTSTRAP_BALANCE: '100000',
    TOLLGATE_NOTICE_SECONDS: '3',
    LOG_LEVEL: 'warn',
  });
  await writeFile(join(home.folder, 'tollgate.yaml'), configurationOf(upstream.url));
});
after(async () => {
  await home.remove();
  await balancer.close();
  await closeUpstream();
  await database.drop();
});

test('a rolling restart under 50 requests a second fails no request and loses and repeats no task', async (t) => {
  const apis = [await startApi(), await startApi()];
  const workers = [await startWorker(), await startWorker()];
  for (const { url } of apis) await balancer.add(url);
  const load = new Load(balancer.url);
  t.after(() => load.stop()); // a failed test must not leave its load running
  const running = load.run();
  await until('the load', () => (load.sent > 2 * requestsPerSecond ? true : undefined));
  const seconds: string[] = [];

  for (const [at, old] of apis.entries()) {
    apis[at] = await startApi();
    await balancer.add(apis[at].url);
    await pause(quietMs);
    seconds.push(`API ${await ended(old.process)}`);
    balancer.remove(old.url);
    await pause(quietMs);
  }
  await load.longCreates();
  setTimeout(longAnswered.come, longCreateMs).unref();
  for (const [at, old] of workers.entries()) {
    const ending = ended(old);
    workers[at] = await startWorker();
    await pause(quietMs);
    load.perSecond = requestsPerSecondMeanwhile;
    seconds.push(`worker ${await ending}`);
    load.perSecond = requestsPerSecond;
    await pause(quietMs);
  }
  load.stop();
  await running;
  await load.finish();
  for (const running of [...apis.map(({ process }) => process), ...workers]) await ended(running);

  const { refused, closedIdle } = balancer.resent;
  t.diagnostic(`${load.summary()}; sent again: ${refused} refused, ${closedIdle} idle; stops: ${seconds.join(', ')}`);
  assert.deepEqual({ failed: load.failures, lost: balancer.lost }, { failed: [], lost: [] });
  await assertAccounts(load);
  const { code, stdout, stderr } = await home.run(['audit']);
  assert.equal(code, 0, stdout + stderr);
});

/** Every task is final and was bought and charged once; every chat that was answered was charged. */
async function assertAccounts(load: Load): Promise<void> {
  const { rows } = await database.database.pool.query(
    `select (select count(*)::int from tasks where state = 'succeeded') as succeeded,
       (select count(*)::int from tasks) as tasks,
       (select count(*)::int from intents where outcome in ('accepted', 'finished')) as bought,
       (select count(*)::int from intents) as intents,
       (select count(*)::int from entries where type = 'capture' and task_id is not null) as captured,
       (select count(*)::int from entries where type = 'capture') as all_captured,
       (select count(*)::int from holds where state = 'held') as held,
       (select count(*)::int from owners) as owners`,
  );
  const tasks = load.tasks.size;
  assert.deepEqual(rows, [
    {
      ...{ succeeded: tasks, tasks, bought: tasks, intents: tasks, captured: tasks },
      ...{ all_captured: tasks + load.answered.chat + load.answered.stream, held: 0, owners: 0 },
    },
  ]);
  const prompts = upstream.requests.filter(({ path }) => path.endsWith('/images/generations')).map(promptOf);
  assert.equal(new Set(prompts).size, prompts.length, 'an image was bought twice');
  assert.equal(prompts.length, load.images);
}

/** Requests at an even pace, whatever becomes of those before. */
class Load {
  readonly #url: string;
  readonly #underWay = new Set<Promise<void>>();
  #isStopped = false;
  perSecond = requestsPerSecond;
  sent = 0;
  images = 0;
  /** The addresses of all tasks that were accepted. */
  readonly tasks = new Set<string>();
  readonly answered = { chat: 0, stream: 0, image: 0, waited: 0, video: 0, talk: 0, read: 0 };
  /** Refusals that a caller is to come back after. */
  notReady = 0;
  readonly failures: string[] = [];

  constructor(url: string) {
    this.#url = url;
  }

  async run(): Promise<void> {
    for (let dueAt = performance.now(); !this.#isStopped;) {
      this.#begin(this.#next(this.sent));
      this.sent += 1;
      dueAt += 1000 / this.perSecond;
      await pause(Math.max(0, dueAt - performance.now()));
      while (this.#waiting() >= underWayAtMost) await pause(100);
    }
    await Promise.all(this.#underWay);
  }

  stop(): void {
    this.#isStopped = true;
  }

  /** Images that take long to create; resolves when the provider has their creates. */
  async longCreates(): Promise<void> {
    const prompts = Array.from({ length: longCreates }, (_, at) => `long ${at}`);
    for (const prompt of prompts) this.#begin(this.#longCreate(prompt));
    const bought = () => upstream.requests.filter(({ body }) => body.includes('"long ')).length;
    await until('the long creates', () => {
      assert.deepEqual(this.failures, []);
      return bought() === longCreates ? true : undefined;
    }).catch((error: unknown) => {
      throw new Error(`${bought()} long creates came; ${this.summary()}`, { cause: error });
    });
  }

  /** A busy machine may refuse one; its caller comes again. */
  async #longCreate(prompt: string): Promise<void> {
    while (!(await this.#image('image', 'wait=0', prompt))) await pause(1_000);
  }

  #waiting(): number {
    const bought = upstream.requests.filter(({ path }) => path.endsWith('/images/generations')).length;
    return this.#underWay.size + Math.max(0, this.images - bought);
  }

  /** Waits for the end of all tasks; each has to succeed. */
  async finish(): Promise<void> {
    for (const task of this.tasks) {
      const end = await until(`the end of ${task}`, async () => {
        const answer = await this.#fetch(task, { method: task.includes('svctalk') ? 'HEAD' : 'GET' });
        if (answer.headers.get('content-type') === 'video/mp4') return 'succeeded';
        if (task.includes('svctalk')) return undefined;
        const { status, error } = (await answer.json()) as { status: string; error?: unknown };
        return status === 'processing'
          ? undefined
          : `${status} ${error === undefined ? '' : JSON.stringify(error)}`.trim();
      });
      if (end !== 'succeeded') this.failures.push(`${task}: ${end}`);
    }
  }

  summary(): string {
    return `${this.sent} requests, ${this.tasks.size} tasks, ${JSON.stringify(this.answered)}, ${this.notReady} not ready`;
  }

  #begin(call: Promise<unknown>): void {
    const settled: Promise<void> = call
      .then(() => undefined)
      .catch(
        (error: unknown) =>
          void this.failures.push(error instanceof Error ? `${error.message} ${String(error.cause)}` : String(error)),
      )
      .finally(() => this.#underWay.delete(settled));
    this.#underWay.add(settled);
  }

  /** What fifty requests in a row are. */
  #next(count: number): Promise<unknown> {
    const at = count % 50;
    if (count % 200 === 100) return this.#video();
    if (count % 200 === 0) return this.#talk();
    if (at % 16 === 1) return this.#image('image', 'wait=0');
    if (at % 16 === 9) return this.#image('waited', 'wait=30');
    if (at % 5 === 0) return this.#chat(false);
    if (at % 5 === 2) return this.#chat(true);
    return this.#read(count);
  }

  async #read(count: number): Promise<void> {
    const tasks = [...this.tasks].filter((task) => !task.includes('svctalk')); // reading that would fetch it
    const path = tasks.length === 0 ? '/v1/models' : tasks[count % tasks.length];
    const answer = await this.#fetch(path ?? '', {});
    await this.#take(answer, 'read', [200]);
  }

  async #chat(isStream: boolean): Promise<void> {
    const messages = [{ role: 'user', content: 'Hello' }];
    const answer = await this.#post('/v1/chat/completions', { model: 'chat-one', stream: isStream, messages });
    const body = await this.#take(answer, isStream ? 'stream' : 'chat', [200]);
    if (isStream && body !== undefined && !body.endsWith('data: [DONE]\n\n'))
      throw new Error(`a stream broke: ${body.slice(-200)}`);
  }

  /** Whether it was accepted. */
  async #image(what: 'image' | 'waited', prefer: string, prompt = `plain ${this.sent}`): Promise<boolean> {
    const path = '/v1/images/generations';
    const answer = await this.#post(path, { model: 'still', prompt, size: '1024x1024' }, { Prefer: prefer });
    const isAccepted = this.#accepted(path, await this.#take(answer, what, [200, 202]));
    if (isAccepted) this.images += 1;
    return isAccepted;
  }

  async #video(): Promise<void> {
    const path = '/v1/video/generations';
    const answer = await this.#post(path, { model: 'clip', prompt: 'A gate', duration: 5 }, { Prefer: 'wait=0' });
    this.#accepted(path, await this.#take(answer, 'video', [200, 202]));
  }

  async #talk(): Promise<void> {
    const path = '/v1/svctalk/generate';
    const body = new FormData();
    body.set('audio', audio, 'voice.wav');
    body.set('video', video, 'footage.mp4');
    this.#accepted(path, await this.#take(await this.#fetch(path, { method: 'POST', body }), 'talk', [200]));
  }

  #post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
    const json = { 'Content-Type': 'application/json', ...headers };
    return this.#fetch(path, { method: 'POST', headers: json, body: JSON.stringify(body) });
  }

  #fetch(path: string, init: RequestInit): Promise<Response> {
    const headers = new Headers(init.headers);
    headers.set('Authorization', `Bearer ${key}`);
    return fetch(`${this.#url}${path}`, { ...init, headers });
  }

  /** Reads an answer; undefined for a refusal that says when to come again. */
  async #take(answer: Response, what: keyof Load['answered'], good: readonly number[]): Promise<string | undefined> {
    const body = await answer.text();
    if (answer.status === 503 && /"code":"not_ready"/.test(body) && answer.headers.has('Retry-After')) {
      this.notReady += 1;
      return undefined;
    }
    if (!good.includes(answer.status)) throw new Error(`${what}: ${answer.status} ${body.slice(0, 200)}`);
    this.answered[what] += 1;
    return body;
  }

  #accepted(path: string, body: string | undefined): boolean {
    if (body === undefined) return false;
    this.tasks.add(`${path}/${(JSON.parse(body) as { id: string }).id}`);
    return true;
  }
}

async function startApi(): Promise<{ process: Running; url: string }> {
  const process = home.spawn(['api'], { LOG_LEVEL: 'info' });
  const url = await process.printed(/"address":"(http:[^"]+)"/);
  await ready(url);
  return { process, url };
}

async function startWorker(): Promise<Running> {
  const process = home.spawn(['worker'], { LOG_LEVEL: 'info' });
  await process.printed(/the worker runs/);
  return process;
}

/** Asks a process to end and returns in how many seconds it did. */
async function ended(running: Running): Promise<string> {
  const askedAt = performance.now();
  running.signal('SIGTERM');
  const { code, stdout, stderr } = await running.ended;
  assert.equal(code, 0, stdout.slice(-2_000) + stderr);
  return `${((performance.now() - askedAt) / 1000).toFixed(1)} s`;
}

function moment() {
  let come: () => void = () => undefined;
  const came = new Promise<void>((resolve) => {
    come = resolve;
  });
  return { come, came };
}

/** A chat answer, whole or a chunk at a time, or an image. */
function answerOf(seen: SeenRequest): Answer {
  if (seen.method === 'GET') return { json: { object: 'list', data: [] } }; // a probe
  if (seen.path.endsWith('/images/generations')) {
    const json = { created: 1, data: [{ b64_json: image }] };
    const made = promptOf(seen).startsWith('long') ? longAnswered.came : pause(createMs);
    return { headers: { 'content-type': 'application/json' }, pieces: [made, JSON.stringify(json)] };
  }
  const { stream } = seen.json() as { stream?: boolean };
  if (stream !== true) return chatAnswer('Hello!');
  const whole = chatStream(Array.from({ length: 10 }, (_, at) => `word ${at} `));
  const pieces = (whole.pieces ?? []).flatMap((piece, at): Piece[] => [later(at * chunkMs), piece]);
  return { ...whole, pieces };
}

const later = (ms: number): Promise<unknown> => pause(ms);
const promptOf = (seen: SeenRequest): string => (seen.json() as { prompt: string }).prompt;

const configurationOf = (url: string): string => `
providers:
  first: { kind: openai, base_url: '${url}', api_key: sk-of-the-operator-1 }
  simulator: { kind: simulator }
models:
  - id: chat-one
    kind: chat
    routes: [{ provider: first, model: upstream-one }]
    price: { input_per_million: 1, output_per_million: 1 }
  - id: still
    kind: image
    routes: [{ provider: first, model: gpt-image-2 }]
    price: { per_image: 0.01 }
  - id: clip
    kind: video
    routes: [{ provider: simulator, model: sim-video-fast }]
    price: { per_second: 0.01 }
  - id: talk
    kind: avatar-talk
    routes: [{ provider: simulator, model: sim-avatar-talk }]
    price: { per_second: 0.01 }
`;
