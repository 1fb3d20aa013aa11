/** The same chat calls made twice: by a client that loops, and as the lines of a batch. */
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import { z } from 'zod';
import { jsonUsage } from '../chat/wire.ts';

/** Micro-units a token. */
const price = { input: 2, output: 8 };
/** What the ledger has to show for a call. */
const callCost = jsonUsage.input * price.input + jsonUsage.output * price.output;
const path = '/v1/chat/completions';
const body = {
  model: 'bench',
  messages: [
    { role: 'system', content: 'You answer in two sentences.' },
    { role: 'user', content: 'What does it mean for a database that its log and its tables share a disk?' },
  ],
  max_tokens: 200,
};

/** A `tollgate.yaml` whose one model leads to the upstream. */
export const configurationFor = (upstream: string): string => `
providers:
  mock: { kind: openai, base_url: "${upstream}/v1", api_key: sk-mock }
models:
  - id: bench
    kind: chat
    routes: [{ provider: mock, model: mock }]
    price: { input_per_million: ${price.input}, output_per_million: ${price.output} }
`;

export interface Client {
  /** Makes so many calls, so many at a time; returns the seconds from the first call to the last answer. */
  loop: (calls: number, callers: number) => Promise<number>;
  /** Uploads and creates a batch of so many lines. */
  createBatch: (lines: number) => Promise<string>;
  /** Resolves when it is completed; fails if a line has failed, or was charged otherwise than its answer has it. */
  batchEnd: (id: string, lines: number) => Promise<void>;
  /** Resolves when its lines are being sent. */
  batchBegins: (id: string) => Promise<void>;
  cancelBatch: (id: string) => Promise<void>;
  /** Resolves when it was cancelled and has its files. */
  batchStops: (id: string) => Promise<void>;
  /** Begins a call whenever one is due, for so long; returns how many milliseconds each took. */
  paced: (perSecond: number, seconds: number) => Promise<number[]>;
  close: () => Promise<void>;
}

const batchSchema = z.object({
  status: z.string(),
  request_counts: z.object({ completed: z.number() }),
  _local: z.object({ cost: z.number() }),
});
const made = z.object({ id: z.string() });
const ends = ['completed', 'failed', 'expired', 'cancelled'];
const lookMs = 100;
const endMsMax = 1_800_000;

/** A client of one gateway under one key. */
export function clientOf(url: string, secret: string): Client {
  const pool = new Pool(url, { connections: 256 });
  const bearer = { Authorization: `Bearer ${secret}` };
  const headers = { ...bearer, 'Content-Type': 'application/json' };
  const text = JSON.stringify(body);

  async function call(): Promise<void> {
    const answer = await pool.request({ path, method: 'POST', headers, body: text });
    const words = await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(`a call was answered ${answer.statusCode}: ${words}`);
  }

  async function loop(calls: number, callers: number): Promise<number> {
    let begun = 0;
    const startedAt = performance.now();
    const caller = async () => {
      while (begun++ < calls) await call();
    };
    await Promise.all(Array.from({ length: callers }, caller));
    return (performance.now() - startedAt) / 1000;
  }

  async function asked(way: string, init: RequestInit = {}): Promise<unknown> {
    const answer = await fetch(`${url}/v1/${way}`, { headers, ...init });
    const words = await answer.text();
    if (!answer.ok) throw new Error(`/v1/${way} was answered ${answer.status}: ${words}`);
    return JSON.parse(words);
  }

  async function createBatch(lines: number): Promise<string> {
    const line = (n: number) => `${JSON.stringify({ custom_id: `line-${n}`, method: 'POST', url: path, body })}\n`;
    const form = new FormData();
    form.append('purpose', 'batch');
    form.append('file', new Blob(Array.from({ length: lines }, (_, n) => line(n))), 'lines.jsonl');
    const file = made.parse(await asked('files', { method: 'POST', headers: bearer, body: form }));
    const wanted = { input_file_id: file.id, endpoint: path, completion_window: '24h' };
    return made.parse(await asked('batches', { method: 'POST', body: JSON.stringify(wanted) })).id;
  }

  /** Resolves when it has this state; fails in one that it can't leave for it. */
  async function reached(id: string, wanted: string): Promise<z.output<typeof batchSchema>> {
    for (const startedAt = performance.now(); performance.now() - startedAt < endMsMax;) {
      await pause(lookMs);
      const batch = batchSchema.parse(await asked(`batches/${id}`));
      if (batch.status === wanted) return batch;
      if (ends.includes(batch.status)) throw new Error(`a batch is ${batch.status}`);
    }
    throw new Error(`a batch did not come to be ${wanted}`);
  }

  async function batchEnd(id: string, lines: number): Promise<void> {
    const { request_counts: counts, _local: local } = await reached(id, 'completed');
    const charged = Math.round(local.cost * 1e6);
    if (counts.completed === lines && charged === lines * callCost) return;
    throw new Error(`${counts.completed} of ${lines} lines are good, for ${charged} of ${lines * callCost}`);
  }

  async function paced(perSecond: number, seconds: number): Promise<number[]> {
    const timesMs: number[] = [];
    const begunAt = performance.now();
    const calls = Array.from({ length: Math.round(perSecond * seconds) }, async (_, index) => {
      const dueMs = (index * 1000) / perSecond;
      await pause(dueMs);
      await call();
      timesMs.push(performance.now() - begunAt - dueMs); // a call that began late is one that a caller waited for
    });
    await Promise.all(calls);
    return timesMs;
  }

  return {
    ...{ loop, createBatch, batchEnd, paced },
    batchBegins: async (id) => {
      await reached(id, 'in_progress');
    },
    batchStops: async (id) => {
      await reached(id, 'cancelled');
    },
    cancelBatch: async (id) => {
      await asked(`batches/${id}/cancel`, { method: 'POST' });
    },
    close: () => pool.close(),
  };
}
