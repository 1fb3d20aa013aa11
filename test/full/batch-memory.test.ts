/** The largest file of a batch: neither the API that takes it nor the worker that checks and reads it grows by its size. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import * as z from 'zod';
import type { AccountId } from '../../src/domain/ids.ts';
import { type ApiProcess, type ApiProcesses, startApiProcesses } from '../support/api-processes.ts';
import { forgetPeak, memoryMib } from '../support/large-uploads.ts';
import { type Running, until } from '../support/process.ts';
import { chatAnswer, openUpstream, type Upstream } from '../support/upstream.ts';

const lineBytes = 4_000;
const linesMost = 50_000;
/** So many lines are sent before the batch is cancelled: some megabytes of its file are read again. */
const sentLines = 1_500;
/** 161 of the worker were seen on a busy machine, and 4 when it had ended: garbage of 50,000 bodies. The file itself would come on top of it. */
const growthMibMax = { api: 50, worker: 220 };
const waitMsMax = 600_000;

let upstream: Upstream;
let closeUpstream: () => Promise<void>;
let made: ApiProcesses;
let worker: Running;
let customer: { account: AccountId; headers: Record<string, string> };
before(async () => {
  ({ upstream, close: closeUpstream } = await openUpstream());
  upstream.answers(chatAnswer('The gate is open.'));
  made = await startApiProcesses(1, upstream.url);
  worker = made.home.spawn(['worker']);
  await worker.printed(/the worker runs/, waitMsMax);
  customer = await made.newCustomer('10000000', { level: 'standard' });
});
after(async () => {
  await made.stop();
  await closeUpstream();
});

const idOf = async (answer: Response): Promise<string> => {
  const body: unknown = await answer.json();
  assert.equal(answer.status, 200, JSON.stringify(body));
  return z.object({ id: z.string() }).parse(body).id;
};

/** A line of just so many bytes, its line feed included. */
function line(n: number): string {
  const of = (content: string) => {
    const body = { model: 'chat-one', messages: [{ role: 'user', content }], max_tokens: 40 };
    return `${JSON.stringify({ custom_id: `line-${n}`, method: 'POST', url: '/v1/chat/completions', body })}\n`;
  };
  return of('gate '.repeat(lineBytes).slice(0, lineBytes - of('').length));
}

async function upload({ url }: ApiProcess, lines: number): Promise<string> {
  const form = new FormData();
  form.append('purpose', 'batch');
  form.append('file', new Blob(Array.from({ length: lines }, (_, at) => line(at + 1))), 'lines.jsonl');
  return idOf(await fetch(`${url}/v1/files`, { method: 'POST', headers: customer.headers, body: form }));
}

async function createBatch(api: ApiProcess, lines: number): Promise<string> {
  const wanted = {
    input_file_id: await upload(api, lines),
    endpoint: '/v1/chat/completions',
    completion_window: '24h',
  };
  return idOf(await api.open(customer.headers, wanted, '/v1/batches'));
}

const batchRow = z.object({ state: z.string(), done: z.number() });
const reached = (batch: string, isThere: (row: z.output<typeof batchRow>) => boolean) =>
  until(
    'the batch',
    async () => {
      const { rows } = await made.database.pool.query(
        `select state, (select count(*)::int from batch_lines where batch_id = b.id and state = 'completed') as done
         from batches b where id = $1`,
        [batch],
      );
      const row = batchRow.parse(rows[0]);
      return isThere(row) ? row : undefined;
    },
    waitMsMax,
  );
const hasEnded = ({ state }: { state: string }) => ['completed', 'failed', 'expired', 'cancelled'].includes(state);

test('a file of 200 MB is taken, checked and read within bounds of memory', async (t) => {
  const [api] = made.apis;
  assert.ok(api);
  // What is loaded and compiled by the first one stays, and so does room for garbage: Node.js 24 takes 65 MiB of it for a
  // file of 50 MB as for one of 200.
  const first = await reached(await createBatch(api, 500), hasEnded);
  assert.deepEqual(first, { state: 'completed', done: 500 });
  await upload(api, linesMost / 4);
  const processes = { api: api.running, worker };
  const before = { api: (await memoryMib(api.running))[0], worker: (await memoryMib(worker))[0] };
  await Promise.all(Object.values(processes).map(forgetPeak));

  const batch = await createBatch(api, linesMost);
  await reached(batch, ({ state, done }) => state === 'in_progress' && done >= sentLines);
  await api.open(customer.headers, undefined, `/v1/batches/${batch}/cancel`);
  const { state } = await reached(batch, hasEnded);
  assert.equal(state, 'cancelled');

  for (const name of ['api', 'worker'] as const) {
    const [now, peak] = await memoryMib(processes[name]);
    const grown = peak - before[name];
    t.diagnostic(`${name}: before ${before[name]} MiB, peak ${peak} MiB (+${grown}), after ${now} MiB`);
    assert.ok(grown <= growthMibMax[name], `the ${name} grew by ${grown} MiB`);
  }
});
