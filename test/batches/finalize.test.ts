/** The files of a batch appear once, whole and together, whatever happened to the attempts before. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, before, test } from 'node:test';
import pino from 'pino';
import { BatchScan } from '../../src/batches/batch-scan.ts';
import { finalizeBatch } from '../../src/batches/finalize-batch.ts';
import { endUnrunnable, listBatches, readBatch } from '../../src/batches/stored-batches.ts';
import type { BlobStore } from '../../src/blobs/blob-store.ts';
import { createFileBlobs } from '../../src/blobs/file-store.ts';
import { changeAccount } from '../../src/accounts/accounts.ts';
import { findFile, markDeleted } from '../../src/files/file-rows.ts';
import { newBatchId } from '../../src/postgres/new-ids.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';
import { administrator, type Customer, newCustomer, newLedger } from '../support/money.ts';
import { eventsOf } from '../support/webhooks.ts';

let made: TestDatabase;
let folder: string;
let blobs: BlobStore;
let who: Customer;
before(async () => {
  made = await freshDatabase();
  folder = await mkdtemp(join(tmpdir(), 'tollgate-batches-'));
  blobs = createFileBlobs(folder);
  who = await newCustomer(made.database, newLedger(made.database), 0n);
  await changeAccount(administrator(made.database), who.account, { webhookUrl: 'https://receiver.example/' });
});
after(async () => {
  await made.drop();
  await rm(folder, { recursive: true, force: true });
});

const tools = () => ({ database: made.database, blobs });
const unstopped = new AbortController().signal;

async function blobsLeft(): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of blobs.list('')) keys.push(key);
  return keys;
}
async function textOf(key: string): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of await blobs.read(key)) pieces.push(Buffer.from(piece as Uint8Array));
  return Buffer.concat(pieces).toString();
}
const customIds = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { custom_id: string }).custom_id);

type State = 'completed' | 'failed' | 'expired' | 'cancelled' | 'pending';

/** A batch of lines in these states; every third answer that there is is a blob. */
async function batchOf(states: readonly State[], state = 'in_progress', expiresIn = '1 hour'): Promise<string> {
  const id = newBatchId();
  const { pool } = made.database;
  await pool.query(
    `insert into batches (id, account_id, key_id, request_id, endpoint, input_file_id, window_seconds,
       output_expires_seconds, state, terms, total, created_at, expires_at)
     values ($1, $2, $3, 'req_1', '/v1/embeddings', 'file-1', 3600, 3600, $4, '{}', $5, now(), now() + $6::interval)`,
    [id, who.account, who.key, state, states.length, expiresIn],
  );
  for (const [at, lineState] of states.entries()) {
    const n = at + 1;
    const isAnswered = lineState === 'completed' || lineState === 'failed';
    const answer = isAnswered ? Buffer.from(JSON.stringify({ n })) : null;
    const blob = answer && n % 3 === 0 ? `batch-answers/${id}${n}` : null;
    if (blob && answer) await blobs.write(blob, Readable.from([answer]), { bytesMax: 1000 });
    await pool.query(
      `insert into batch_lines (batch_id, n, custom_id, model, byte_offset, byte_length, state, status_code, request_id,
         answer, answer_blob, cost, input_tokens, cached_tokens, output_tokens, reasoning_tokens, finished_at)
       values ($1, $2, $3, 'm', 0, 1, $4, $5, 'req_2', $6, $7, 5, 10, 1, 20, 2, case when $4 = 'pending' then null else now() end)`,
      [
        id,
        n,
        `line-${n}`,
        lineState,
        isAnswered ? (lineState === 'completed' ? 200 : 400) : null,
        blob ? null : answer,
        blob,
      ],
    );
  }
  return id;
}

async function filesOf(id: string) {
  const batch = await readBatch(made.database, id);
  const of = async (file: string | null | undefined) =>
    file ? await findFile(made.database, who.account, file) : undefined;
  return { batch, output: await of(batch?.outputFileId), errors: await of(batch?.errorFileId) };
}

test('good answers are output, all else is in the error file, each in the order of the lines', async () => {
  const id = await batchOf(['completed', 'failed', 'completed', 'expired', 'completed']);
  assert.equal(await finalizeBatch(tools(), id, unstopped), 'expired');
  const { batch, output, errors } = await filesOf(id);
  assert.deepEqual([batch?.completed, batch?.failed, batch?.cost, batch?.usage?.total_tokens], [3, 1, 25n, 150]);
  assert.deepEqual([output?.purpose, output?.filename], ['batch_output', `${id}_output.jsonl`]);
  assert.deepEqual(customIds(await textOf(output?.blob ?? '')), ['line-1', 'line-3', 'line-5']);
  const others = await textOf(errors?.blob ?? '');
  assert.deepEqual(customIds(others), ['line-2', 'line-4']);
  assert.match(others, /"status_code":400/);
  assert.match(others, /"code":"batch_expired"/);
});

test('a file that would have no lines is not made', async () => {
  const id = await batchOf(['completed']);
  assert.equal(await finalizeBatch(tools(), id, unstopped), 'completed');
  const { batch, output } = await filesOf(id);
  assert.ok(output);
  assert.equal(batch?.errorFileId, null);
});

test('files appear once, however many attempts at them broke off or run at once, and the event is owed once', async () => {
  const stored = new Set(await blobsLeft());
  const id = await batchOf(Array.from({ length: 450 }, (_, at) => (at % 10 === 0 ? 'failed' : 'completed')));
  const answers = (await blobsLeft()).filter((key) => key.startsWith('batch-answers/') && !stored.has(key)).length;
  // Dies in the middle of the output, in the middle of the error file, and right before the end is written.
  const broken = (after: number): BlobStore => {
    let writes = 0;
    return {
      ...blobs,
      write: async (key, source, limits) => {
        const written = await blobs.write(key, source, limits);
        if (++writes === after) throw new Error('the process died');
        return written;
      },
    };
  };
  await assert.rejects(finalizeBatch({ ...tools(), blobs: broken(1) }, id, unstopped), /died/);
  await assert.rejects(finalizeBatch({ ...tools(), blobs: broken(2) }, id, unstopped), /died/);
  assert.equal((await readBatch(made.database, id))?.state, 'finalizing');
  assert.deepEqual(await Promise.all([1, 2, 3].map(() => finalizeBatch(tools(), id, unstopped))), [
    'completed',
    'completed',
    'completed',
  ]);
  const { rows } = await made.database.pool.query('select id from files where filename like $1', [`${id}%`]);
  assert.equal(rows.length, 2);
  const { output, errors } = await filesOf(id);
  const all = [...customIds(await textOf(output?.blob ?? '')), ...customIds(await textOf(errors?.blob ?? ''))];
  assert.equal(new Set(all).size, 450);
  assert.equal(all.length, 450);
  // The two that died left a blob each, whose writer could not remove it; the sweep does so.
  const left = (await blobsLeft()).filter((key) => !stored.has(key));
  assert.equal(left.length, answers + 2 + 2);
  const events = (await eventsOf(made.database, who.account)).filter(({ data }) => data['id'] === id);
  assert.deepEqual(
    events.map(({ type, data }) => [type, data['status'], data['output_file_id']]),
    [['batch.completed', 'completed', output?.id]],
  );
});

test('a batch that is being cancelled ends as cancelled with what was done, and its other lines are not run', async () => {
  const id = await batchOf(['completed', 'pending', 'pending'], 'cancelling');
  await assert.rejects(finalizeBatch(tools(), id, unstopped), /2 lines/);
  await endUnrunnable(made.database, id);
  assert.equal(await finalizeBatch(tools(), id, unstopped), 'cancelled');
  const { output, errors } = await filesOf(id);
  assert.deepEqual(customIds(await textOf(output?.blob ?? '')), ['line-1']);
  assert.match(await textOf(errors?.blob ?? ''), /"code":"batch_cancelled"[^\n]*\n[^\n]*"code":"batch_cancelled"/);
});

test('lines that were not sent when the time of a batch is over are expired, others in time are left alone', async () => {
  const late = await batchOf(['completed', 'pending'], 'in_progress', '-1 second');
  const early = await batchOf(['pending']);
  await endUnrunnable(made.database, late);
  await endUnrunnable(made.database, early);
  assert.equal(await finalizeBatch(tools(), late, unstopped), 'expired');
  await assert.rejects(finalizeBatch(tools(), early, unstopped), /1 lines/);
});

const noStarter = {
  start: () => assert.fail('nothing is started'),
  status: () => assert.fail('nothing is looked up'),
};

test('the lines of a batch go with the file that was made of them, and their answers too', async () => {
  const scan = new BatchScan({ ...tools(), starter: noStarter, log: pino({ level: 'silent' }) });
  const id = await batchOf(['completed', 'completed', 'completed', 'failed']);
  await finalizeBatch(tools(), id, unstopped);
  const { batch } = await filesOf(id);
  const left = async () => {
    await scan.removeOldLines(unstopped);
    const { rows } = await made.database.pool.query<{ n: number }>(
      'select n from batch_lines where batch_id = $1 order by n',
      [id],
    );
    return rows.map(({ n }) => n);
  };
  assert.deepEqual(await left(), [1, 2, 3, 4]);
  await markDeleted(made.database, who.account, batch?.outputFileId ?? '');
  assert.deepEqual(await left(), [4]);
  assert.ok(!(await blobsLeft()).includes(`batch-answers/${id}3`));
  await markDeleted(made.database, who.account, batch?.errorFileId ?? '');
  assert.deepEqual(await left(), []);
  assert.ok(
    (await listBatches(made.database, who.account, { limit: 100, after: undefined })).some((one) => one.id === id),
  );
});
