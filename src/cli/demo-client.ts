/** The gateway as a caller sees it: the few calls that the demo makes. */
import { readFile, writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod';
import { Refusal } from './output.ts';

const pollMs = 300;
const taskMsMax = 300_000;

const taskSchema = z.object({
  id: z.string(),
  status: z.enum(['processing', 'succeeded', 'failed', 'error']),
  data: z.array(z.object({ url: z.string() })).optional(),
  content: z.array(z.object({ video_url: z.string() })).optional(),
  error: z.object({ message: z.string() }).optional(),
});
export type DemoTask = z.output<typeof taskSchema>;

const entrySchema = z.object({
  type: z.string(),
  amount: z.number(),
  balance: z.number(),
  charged: z.number(),
  task_id: z.string().nullable(),
  model: z.string().nullable(),
  units: z.number().nullable(),
  unit: z.string().nullable(),
});
export type DemoEntry = z.output<typeof entrySchema>;
const accountSchema = z.object({ id: z.string(), currency: z.string(), balance: z.number(), held: z.number() });

/** Paths are below the first root that the gateway serves, whatever that is called. */
export class DemoClient {
  readonly #url: string;
  readonly #key: string;
  readonly #root: string;

  private constructor(url: string, key: string, root: string) {
    this.#url = url;
    this.#key = key;
    this.#root = root;
  }

  /** Asks the gateway's own document for its root. Refuses an address that no gateway answers at. */
  static async open(url: string, key: string): Promise<DemoClient> {
    const document = await new DemoClient(url, key, '').#json('GET', '/openapi.json');
    const known = z.object({ paths: z.record(z.string(), z.unknown()) }).safeParse(document);
    const account = Object.keys(known.data?.paths ?? {}).find((path) => path.endsWith('/account'));
    if (account === undefined) throw new Refusal(`${url} is not a gateway the demo can use.`);
    return new DemoClient(url, key, account.slice(0, -'/account'.length));
  }

  /** The models that the key may use, in the gateway's order. */
  async models(): Promise<string[]> {
    const list = z.object({ data: z.array(z.object({ id: z.string() })) });
    return list.parse(await this.#json('GET', '/models')).data.map(({ id }) => id);
  }

  /** Returns the model that would take such a creation, or undefined where the model that it names doesn't. */
  async quoteModel(path: string, body: unknown): Promise<string | undefined> {
    const headers = { 'Content-Type': 'application/json' };
    const answer = await this.#answer('POST', '/quotes', { headers, body: JSON.stringify({ path, body }) });
    if (answer.ok) return z.object({ model: z.string() }).parse(await answer.json()).model;
    const refusal = await refusalOf(answer);
    if (refusal.code !== null && isOfModel.has(refusal.code)) return undefined;
    throw new Refusal(`POST ${this.#root}/quotes: ${answer.status} ${refusal.message}`);
  }

  /** Creates a task with a JSON body and answers its record, without waiting for its end. */
  async create(path: string, body: unknown): Promise<DemoTask> {
    const headers = { 'Content-Type': 'application/json', Prefer: 'wait=0' };
    return taskSchema.parse(await this.#json('POST', path, { headers, body: JSON.stringify(body) }));
  }

  /** Uploads a voice and footage; returns the task's id. */
  async upload(path: string, files: { audio: string; video: string }, model: string): Promise<string> {
    const form = new FormData();
    form.set('model', model);
    form.set('audio', new Blob([await readFile(files.audio)]), 'voice.wav');
    form.set('video', new Blob([await readFile(files.video)]), 'footage.mp4');
    return z.object({ id: z.string() }).parse(await this.#json('POST', path, { body: form })).id;
  }

  /** Asks until the task is final; refuses with what it failed of. */
  async awaitTask(path: string, tick: () => void): Promise<DemoTask> {
    for (let waitedMs = 0; waitedMs < taskMsMax; waitedMs += pollMs) {
      const task = taskSchema.parse(await this.#json('GET', path));
      if (task.status === 'succeeded') return task;
      if (task.status !== 'processing')
        throw new Refusal(`${task.id} failed: ${task.error?.message ?? 'no reason given'}`);
      tick();
      await pause(pollMs);
    }
    throw new Refusal(`${path} did not finish within ${taskMsMax / 1000} s.`);
  }

  /** Asks until the answer is the file itself, and saves it. */
  async fetchFile(path: string, file: string, tick: () => void): Promise<void> {
    for (let waitedMs = 0; waitedMs < taskMsMax; waitedMs += pollMs) {
      const answer = await this.#send('GET', path);
      if (answer.headers.get('content-type') === 'video/mp4') {
        await writeFile(file, new Uint8Array(await answer.arrayBuffer()));
        return;
      }
      const task = taskSchema.parse({ id: path, ...z.record(z.string(), z.unknown()).parse(await answer.json()) });
      if (task.status !== 'processing')
        throw new Refusal(`${task.id} failed: ${task.error?.message ?? 'no reason given'}`);
      tick();
      await pause(pollMs);
    }
    throw new Refusal(`${path} did not finish within ${taskMsMax / 1000} s.`);
  }

  /** Saves what a link of a result leads to. */
  async download(url: string | undefined, file: string): Promise<void> {
    if (url === undefined) throw new Refusal('The task succeeded but has no result.');
    const answer = await fetch(url);
    if (!answer.ok) throw new Refusal(`${file}: the link returned ${answer.status}.`);
    await writeFile(file, new Uint8Array(await answer.arrayBuffer()));
  }

  async account(): Promise<z.output<typeof accountSchema>> {
    return accountSchema.parse(await this.#json('GET', '/account'));
  }

  /** The entries of a task, oldest first. */
  async entriesOf(task: string): Promise<DemoEntry[]> {
    const page = z.object({ data: z.array(entrySchema) });
    return page.parse(await this.#json('GET', `/account/ledger?limit=100&task_id=${task}`)).data.reverse();
  }

  async #json(method: string, path: string, init: RequestInit = {}): Promise<unknown> {
    return (await this.#send(method, path, init)).json();
  }

  async #send(method: string, path: string, init: RequestInit = {}): Promise<Response> {
    const answer = await this.#answer(method, path, init);
    if (answer.ok) return answer;
    const { message } = await refusalOf(answer);
    throw new Refusal(`${method} ${this.#root}${path}: ${answer.status} ${message}`);
  }

  /** Any answer; refuses where there is none. */
  async #answer(method: string, path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    headers.set('Authorization', `Bearer ${this.#key}`);
    try {
      return await fetch(`${this.#url}${this.#root}${path}`, { ...init, method, headers });
    } catch (error) {
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
      throw new Refusal(`${this.#url} is unreachable (${cause instanceof Error ? cause.message : 'unknown'}).`);
    }
  }
}

/** Refusals that say that a model doesn't do what it was asked for. */
const isOfModel: ReadonlySet<string> = new Set([
  'invalid_parameter',
  'missing_parameter',
  'model_not_found',
  'model_not_allowed',
  'model_in_maintenance',
]);

const errorSchema = z.object({ error: z.object({ message: z.string(), code: z.string().nullable() }) });

async function refusalOf(answer: Response): Promise<{ message: string; code: string | null }> {
  const read = errorSchema.safeParse(await answer.json().catch(() => undefined));
  return read.success ? read.data.error : { message: '', code: null };
}
