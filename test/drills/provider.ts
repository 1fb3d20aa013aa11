/**
 * A provider's service for drills: it speaks its fixture's wire format, knows each create by the task in it, and reports
 * each moment of a job. Some jobs, as their prompt asks, are answered late, twice or never.
 */
import { once, setMaxListeners } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import type { ProviderFixture, Reply, SeenRequest, StandInJob } from '../providers/contract/fixture.ts';

/** What a provider sees of a task, in this order. */
export type Seen = 'create arrived' | 'create answered' | 'half of the result sent' | 'all of the result sent';

/** How a job's provider behaves; the prompt says `[drill:late]`. `endless`: it takes the job and is never done. */
export const manners = ['plain', 'late', 'twice', 'never', 'endless'] as const;
export type Manner = (typeof manners)[number];

export interface ProviderOptions {
  fixture: ProviderFixture;
  /** What its results consist of. */
  file: { kind: 'image' | 'video'; bytes: Buffer };
  random: () => number;
  /** The adapter's own timeout: `late` is later. */
  timeoutMs: number;
}

/** The header that names the process. */
export const processHeader = 'x-drill-process';

const answerMsMax = 120;
const hookMs = 1_200;
const hookAgainMs = 500;
const fetchMsMax = 60_000;

export class DrillProvider {
  /** Called at the very moment; `process` is the one that asked. */
  onSeen: (task: string, seen: Seen, process: string) => void = () => undefined;
  /** The jobs that were made for each task: more than one was bought twice. */
  readonly jobs = new Map<string, Job[]>();
  /** Creates that named a job which was there, as an idempotent provider's callers may. */
  repeats = 0;
  readonly counts: Record<Manner, number> = { plain: 0, late: 0, twice: 0, never: 0, endless: 0 };
  /** Uploads whose links did not deliver. */
  readonly unread: string[] = [];
  readonly #options: ProviderOptions;
  readonly #server = createServer((incoming, response) => {
    this.#serve(incoming, response).catch(() => response.destroy()); // the process that asked was killed meanwhile
  });
  readonly #byId = new Map<string, Job>();
  readonly #closing = new AbortController();
  readonly #seen = new Map<string, Seen>();
  #origin = '';
  #taken = 0;

  private constructor(options: ProviderOptions) {
    this.#options = options;
    setMaxListeners(0, this.#closing.signal); // one a job that waits
  }

  static async open(options: ProviderOptions): Promise<DrillProvider> {
    const provider = new DrillProvider(options);
    provider.#server.listen(0, '127.0.0.1');
    await once(provider.#server, 'listening');
    const address = provider.#server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    provider.#origin = `http://127.0.0.1:${address.port}`;
    return provider;
  }

  /** For `base_url`. */
  get baseUrl(): string {
    return `${this.#origin}${this.#options.fixture.basePath}`;
  }

  /** The last that was seen of a task. */
  seenOf(task: string): Seen | undefined {
    return this.#seen.get(task);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url: path = '', headers } = incoming;
    const [, fileOf] = /^\/media\/\w+\/(job-\d+)\//.exec(path) ?? [];
    if (fileOf !== undefined) {
      await this.#sendFile(response, fileOf);
      return;
    }
    const bytes = await buffer(incoming);
    const text = bytes.toString();
    const seen: SeenRequest = { method, path, headers, bytes, text, json: jsonOf(text), atMs: performance.now() };
    if (this.#options.fixture.isCreate(seen)) await this.#create(seen, response);
    else this.#answer(seen, response);
  }

  async #create(seen: SeenRequest, response: ServerResponse): Promise<void> {
    const { fixture, random, timeoutMs } = this.#options;
    const job = this.#knownJob(seen) ?? this.#take(seen);
    job.process = processOf(seen);
    this.#tell(job, 'create arrived');
    if (job.manner === 'twice') this.#background(this.#callHook(job));
    if (job.manner === 'never') return;
    await pause(job.manner === 'late' ? timeoutMs * 1.5 : random() * answerMsMax);
    if (response.destroyed) return; // the caller has given up, or died
    response.once('finish', () => this.#tell(job, 'create answered'));
    write(response, fixture.created(seen, job, 'takes'));
  }

  #answer(seen: SeenRequest, response: ServerResponse): void {
    const named = [...`${seen.path} ${seen.text}`.matchAll(/\bjob-\d+\b/g)].map(([id]) => this.#byId.get(id));
    for (const job of named) {
      if (job === undefined) continue;
      job.process = processOf(seen);
      if (!job.isReady) job.polls = 0;
    }
    write(response, this.#options.fixture.asked(seen, { jobs: this.#byId }) ?? { status: 404, json: {} });
  }

  /** In two halves, with a moment between them. */
  async #sendFile(response: ServerResponse, id: string): Promise<void> {
    const job = this.#byId.get(id);
    if (job === undefined) throw new Error(`there is no ${id}`);
    const { content } = job;
    const half = Math.floor(content.length / 2);
    response.writeHead(200, { 'content-length': content.length });
    response.write(content.subarray(0, half));
    this.#tell(job, 'half of the result sent');
    await pause(this.#options.random() * 50);
    response.once('finish', () => this.#tell(job, 'all of the result sent'));
    response.end(content.subarray(half));
  }

  #knownJob({ headers }: SeenRequest): Job | undefined {
    const key = headers['idempotency-key'];
    if (key === undefined) return undefined;
    const known = [...this.#byId.values()].find(({ request }) => request.headers['idempotency-key'] === key);
    if (known) this.repeats++;
    return known;
  }

  #take(request: SeenRequest): Job {
    const { file } = this.#options;
    const task = taskIn(request);
    const manner = manners.find((one) => request.text.includes(`[drill:${one}]`)) ?? 'plain';
    const id = `job-${++this.#taken}`;
    const job: Job = {
      ...{ id, polls: 0, isCancelled: false, request, task, manner, isReady: false, process: '' },
      behaviour: manner === 'endless' ? 'runs on' : 'succeeds',
      files: [`${this.#origin}/media/${file.kind}/${id}/0`],
      content: file.bytes,
    };
    this.counts[manner]++;
    // What is never answered is not to be asked for either; it was bought all the same.
    if (manner !== 'never') this.#byId.set(id, job);
    this.jobs.set(task, [...(this.jobs.get(task) ?? []), job]);
    this.#background(this.#work(job));
    return job;
  }

  /** What a provider does meanwhile: it reads the uploads, and calls when it is done. */
  async #work(job: Job): Promise<void> {
    const uploads = [...job.request.text.matchAll(/http:[^"\\\s]+\/files\/[^"\\\s]+/g)].map(([url]) => url);
    for (const url of uploads) await this.#read(url);
    job.isReady = true;
    if (job.manner === 'never' || job.manner === 'endless') return;
    await pause(job.manner === 'late' ? this.#options.timeoutMs * 2 : hookMs, undefined, {
      signal: this.#closing.signal,
    });
    for (let times = job.manner === 'twice' ? 2 : 1; times > 0; times--) await this.#callHook(job);
  }

  async #read(url: string): Promise<void> {
    const startedAt = performance.now();
    while (performance.now() - startedAt < fetchMsMax) {
      const answer = await fetch(url).catch(() => undefined);
      const isRead = answer?.ok === true && (await answer.arrayBuffer().then(Boolean, () => false));
      if (isRead || answer?.status === 404) return; // 404: the task has ended, and its uploads are gone
      await pause(hookAgainMs, undefined, { signal: this.#closing.signal });
    }
    this.unread.push(new URL(url).pathname);
  }

  async #callHook(job: Job): Promise<void> {
    const hook = this.#options.fixture.hookOf?.(job);
    while (hook !== undefined) {
      const answer = await fetch(hook.url, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(hook.body),
      }).catch(() => undefined);
      if (answer?.ok === true) return;
      await pause(hookAgainMs, undefined, { signal: this.#closing.signal });
    }
  }

  #background(work: Promise<void>): void {
    work.catch((error: unknown) => {
      if (!this.#closing.signal.aborted) throw error;
    });
  }

  #tell(job: Job, seen: Seen): void {
    this.#seen.set(job.task, seen);
    this.onSeen(job.task, seen, job.process);
  }
}

export interface Job extends StandInJob {
  task: string;
  manner: Manner;
  /** Whether it has what it needs to be done. */
  isReady: boolean;
  /** Which process asked for it last. */
  process: string;
}

/** The task stands in the hook's address, in our reference or in the links to uploads. */
function taskIn({ path, text, headers }: SeenRequest): string {
  const found = /(?:img|vid|avt)_[0-9a-f]{32}/.exec(`${path} ${text} ${String(headers['idempotency-key'])}`);
  if (!found) throw new Error('a create names no task');
  return found[0];
}

const processOf = ({ headers }: SeenRequest): string => String(headers[processHeader] ?? '');

function write(response: ServerResponse, { status = 200, headers = {}, json, text }: Reply): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(text ?? JSON.stringify(json ?? {}));
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
