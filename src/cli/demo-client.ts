/** The gateway as a caller sees it: the few calls that the demo makes. */
import { readFile, writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod';
import { Refusal } from './output.ts';

const poll_ms = 300;
const task_ms_max = 300_000;

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
const accountSchema = z.object({ id: z.string(), balance: z.number(), held: z.number() });

export class DemoClient {
  readonly #url: string;
  readonly #key: string;

  constructor(url: string, key: string) {
    this.#url = url;
    this.#key = key;
  }

  /** Creates a task with a JSON body and answers its record, without waiting for its end. */
  async create(path: string, body: unknown): Promise<DemoTask> {
    const headers = { 'Content-Type': 'application/json', Prefer: 'wait=0' };
    return taskSchema.parse(await this.#json('POST', path, { headers, body: JSON.stringify(body) }));
  }

  /** Uploads a voice and footage; answers the task's id. */
  async upload(path: string, files: { audio: string; video: string }): Promise<string> {
    const form = new FormData();
    form.set('audio', new Blob([await readFile(files.audio)]), 'voice.wav');
    form.set('video', new Blob([await readFile(files.video)]), 'footage.mp4');
    return z.object({ id: z.string() }).parse(await this.#json('POST', path, { body: form })).id;
  }

  /** Asks until the task is final; refuses with what it failed of. */
  async finished(path: string, tick: () => void): Promise<DemoTask> {
    for (let waitedMs = 0; waitedMs < task_ms_max; waitedMs += poll_ms) {
      const task = taskSchema.parse(await this.#json('GET', path));
      if (task.status === 'succeeded') return task;
      if (task.status !== 'processing')
        throw new Refusal(`${task.id} failed: ${task.error?.message ?? 'no reason given'}`);
      tick();
      await pause(poll_ms);
    }
    throw new Refusal(`${path} did not finish within ${task_ms_max / 1000} s.`);
  }

  /** Asks until the answer is the file itself, and saves it. */
  async fetched(path: string, file: string, tick: () => void): Promise<void> {
    for (let waitedMs = 0; waitedMs < task_ms_max; waitedMs += poll_ms) {
      const answer = await this.#send('GET', path);
      if (answer.headers.get('content-type') === 'video/mp4') {
        await writeFile(file, new Uint8Array(await answer.arrayBuffer()));
        return;
      }
      const task = taskSchema.parse({ id: path, ...z.record(z.string(), z.unknown()).parse(await answer.json()) });
      if (task.status !== 'processing')
        throw new Refusal(`${task.id} failed: ${task.error?.message ?? 'no reason given'}`);
      tick();
      await pause(poll_ms);
    }
    throw new Refusal(`${path} did not finish within ${task_ms_max / 1000} s.`);
  }

  /** Saves what a link of a result leads to. */
  async download(url: string | undefined, file: string): Promise<void> {
    if (url === undefined) throw new Refusal('The task succeeded without a result.');
    const answer = await fetch(url);
    if (!answer.ok) throw new Refusal(`${file}: the link answered ${answer.status}.`);
    await writeFile(file, new Uint8Array(await answer.arrayBuffer()));
  }

  async account(): Promise<z.output<typeof accountSchema>> {
    return accountSchema.parse(await this.#json('GET', '/v1/account'));
  }

  /** The entries of a task, oldest first. */
  async entriesOf(task: string): Promise<DemoEntry[]> {
    const page = z.object({ data: z.array(entrySchema) });
    return page.parse(await this.#json('GET', `/v1/account/ledger?limit=100&task_id=${task}`)).data.reverse();
  }

  async #json(method: string, path: string, init: RequestInit = {}): Promise<unknown> {
    return (await this.#send(method, path, init)).json();
  }

  async #send(method: string, path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    headers.set('Authorization', `Bearer ${this.#key}`);
    let answer: Response;
    try {
      answer = await fetch(`${this.#url}${path}`, { ...init, method, headers });
    } catch (error) {
      throw new Refusal(
        `${this.#url} does not answer (${error instanceof Error ? (error.cause instanceof Error ? error.cause.message : error.message) : 'unknown'}).`,
      );
    }
    if (answer.ok) return answer;
    const told = z
      .object({ error: z.object({ message: z.string() }) })
      .safeParse(await answer.json().catch(() => undefined));
    throw new Refusal(`${method} ${path}: ${answer.status} ${told.success ? told.data.error.message : ''}`);
  }
}
