/** Callers who order images under Idempotency-Keys and, as SDKs do, send the same again until it is answered. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

const images = '/v1/images/generations';
const patienceMs = 120_000;
const againMs = 300;
const nextMs = 400;

export class RetryingCallers {
  /** The task that each key got. */
  readonly tasks = new Map<string, string>();
  /** What still failed after every repetition. */
  readonly failures: string[] = [];
  repeats = 0;
  readonly #url: string;
  readonly #key: string;
  readonly #running: Promise<void>[];
  #isStopped = false;

  /** Begins at once. */
  constructor(url: string, key: string, count: number) {
    this.#url = url;
    this.#key = key;
    this.#running = Array.from({ length: count }, () => this.#live());
  }

  /** Resolves when what was begun is answered. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#running);
  }

  async #live(): Promise<void> {
    while (!this.#isStopped) {
      await this.#order(randomUUID());
      await pause(nextMs);
    }
  }

  async #order(key: string): Promise<void> {
    let last = '';
    for (const startedAt = performance.now(); performance.now() - startedAt < patienceMs; this.repeats += 1) {
      try {
        const { status, body } = await this.#send(key);
        if (status === 200 || status === 202) {
          this.tasks.set(key, String(body['id']));
          return;
        }
        last = `${status} ${JSON.stringify(body)}`;
        if (status < 500 && status !== 429) break;
      } catch (error) {
        last = String(error instanceof Error ? (error.cause ?? error) : error); // the connection was refused, or broke
      }
      await pause(againMs);
    }
    this.failures.push(`${key}: ${last}`);
  }

  async #send(key: string): Promise<{ status: number; body: Record<string, unknown> }> {
    const answer = await fetch(`${this.#url}${images}`, {
      method: 'POST',
      headers: {
        ...{ Authorization: `Bearer ${this.#key}`, 'Content-Type': 'application/json' },
        ...{ 'Idempotency-Key': key, Prefer: 'wait=5' },
      },
      body: JSON.stringify({ model: 'drill-image', prompt: `A toll gate ${key}`, size: '1024x1024' }),
      signal: AbortSignal.timeout(30_000),
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  }
}
