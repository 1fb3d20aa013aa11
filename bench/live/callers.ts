/**
 * The callers, in a process of their own: create tasks over the public API and don't wait for their ends
 * (`Prefer: wait=0`). A gateway that is full for the moment is asked again when it says.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { z } from 'zod';
import { type Created, type Creation, creationSchema } from './messages.ts';

const progressMs = 1_000;
/** Of one task. */
const attemptsMax = 60;
const retrySecondsMax = 30;

const acceptedSchema = z.object({ id: z.string() });

process.on('message', (message) => {
  create(creationSchema.parse(message), (accepted) => process.send?.({ accepted })).then(
    (created) => process.send?.(created),
    (error: unknown) => process.send?.({ failure: error instanceof Error ? error.message : String(error) }),
  );
});
process.once('disconnect', () => process.exit());

async function create(creation: Creation, onProgress: (accepted: number) => void): Promise<Created> {
  const { url, count, connections } = creation;
  const pool = new Pool(url, { connections, pipelining: 1 });
  const ids: string[] = [];
  const created: Created = { ids, beganAt: Date.now(), endedAt: 0, overloaded: 0 };
  let [next, accepted] = [0, 0];
  const timer = setInterval(() => onProgress(accepted), progressMs);
  const caller = async () => {
    for (let number = next++; number < count; number = next++) {
      ids[number] = await createOne(pool, creation, number, () => created.overloaded++);
      accepted++;
    }
  };
  try {
    await Promise.all(Array.from({ length: connections }, caller));
    created.endedAt = Date.now();
    return created;
  } finally {
    clearInterval(timer);
    await pool.close();
  }
}

/** Returns the task's id. */
async function createOne(
  pool: Pool,
  { model, keys, word }: Creation,
  number: number,
  onOverloaded: () => void,
): Promise<string> {
  const key = keys[number % keys.length] ?? '';
  const request = {
    method: 'POST',
    path: '/v1/video/generations',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', Prefer: 'wait=0' },
    body: JSON.stringify({ model, prompt: `${word} ${number}`, duration: 5 }),
  } as const;
  for (let attempt = 1; ; attempt++) {
    const { statusCode, headers, body } = await pool.request(request);
    const text = await body.text();
    if (statusCode === 202) return acceptedSchema.parse(JSON.parse(text)).id;
    if (statusCode !== 503 || attempt === attemptsMax) throw new Error(`A create was answered ${statusCode}: ${text}`);
    onOverloaded();
    await sleep(1000 * Math.min(retrySecondsMax, Number(headers['retry-after'] ?? 1) || 1));
  }
}
