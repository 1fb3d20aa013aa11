/** `tollgate batches`, on a database in which batches stand in every way. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { newBatchId } from '../../../src/postgres/new-ids.ts';
import { freshDatabase, type TestDatabase } from '../../support/database.ts';
import { type Customer, newCustomer, newLedger } from '../../support/money.ts';
import { Installation } from '../../support/process.ts';

let db: TestDatabase;
let home: Installation;
let ada: Customer;
let bob: Customer;
let paused: string;
let failed: string;
let done: string;

before(async () => {
  db = await freshDatabase();
  const ledger = newLedger(db.database);
  home = await Installation.make({ DATABASE_URL: db.url, TOLLGATE_SECRET: 'a secret of the tests with 40 characters' });
  ada = await newCustomer(db.database, ledger, 10_000_000n);
  bob = await newCustomer(db.database, ledger, 10_000_000n);
  paused = await batchOf(ada, {
    state: 'in_progress',
    more: `paused = 'insufficient_balance', completed = 1, failed = 2, cost = 1500000`,
  });
  for (const [n, code] of ['upstream_error', 'upstream_error', 'outcome_unknown'].entries())
    await failedLine(paused, n + 2, code);
  const mistakes = [{ code: 'invalid_json', line: 7, message: 'Line 7 is no JSON.', param: null }];
  failed = await batchOf(bob, {
    state: 'failed',
    more: `failed_at = now(), total = 0, errors = '${JSON.stringify(mistakes)}'`,
  });
  done = await batchOf(bob, { state: 'completed', more: 'completed_at = now(), completed = 4' });
});
after(async () => {
  await home.remove();
  await db.drop();
});

async function batchOf(who: Customer, { state, more }: { state: string; more?: string }): Promise<string> {
  const id = newBatchId();
  const { pool } = db.database;
  await pool.query(
    `insert into batches (id, account_id, key_id, request_id, endpoint, input_file_id, window_seconds,
       output_expires_seconds, state, terms, total, created_at, in_progress_at, seen_at, expires_at)
     values ($1, $2, $3, 'req_1', '/v1/embeddings', 'file-1', 86400, 3600, $4, '{"sim-embedding": {}}', 4, now(),
       now() - interval '1 minute', now(), now() + interval '1 day')`,
    [id, who.account, who.key, state],
  );
  if (more !== undefined) await pool.query(`update batches set ${more} where id = $1`, [id]);
  return id;
}

const failedLine = (batch: string, n: number, code: string) =>
  db.database.pool.query(
    `insert into batch_lines (batch_id, n, custom_id, model, byte_offset, byte_length, state, error_code, finished_at)
     values ($1, $2, 'line', 'm', 0, 1, 'failed', $3, now())`,
    [batch, n, code],
  );

const listed = async (...args: string[]) => {
  const { data } = await home.json('batches', 'list', ...args);
  return (data as { id: string }[]).map(({ id }) => id);
};

describe('batches list', () => {
  test('shows all batches, the newest first, or those of an account or in a state', async () => {
    assert.deepEqual(await listed(), [done, failed, paused]);
    assert.deepEqual(await listed('--account', bob.account), [done, failed]);
    assert.deepEqual(await listed('--state', 'in_progress'), [paused]);
    const { data, has_more: hasMore } = await home.json('batches', 'list', '--limit', '1');
    assert.deepEqual([(data as unknown[]).length, hasMore], [1, true]);
  });

  test('says in a table why a batch is paused', async () => {
    const { code, stdout } = await home.run(['batches', 'list', '--account', ada.account]);
    assert.equal(code, 0);
    assert.match(stdout, /^ID +ACCOUNT +ENDPOINT +STATE +LINES +DONE +FAILED +COST \(CNY\) +CREATED +SEEN\n/);
    assert.match(stdout, /in_progress \(insufficient_balance\) +4 +1 +2 +1\.5 /);
  });

  test('refuses an unknown account and an unknown state', async () => {
    assert.equal((await home.run(['batches', 'list', '--account', 'acc_none'])).code, 1);
    assert.equal((await home.run(['batches', 'list', '--state', 'sleeping'])).code, 2);
  });
});

describe('batches show', () => {
  test('has the errors of lines by code, the most frequent first', async () => {
    const { line_errors: errors, models, status } = await home.json('batches', 'show', paused);
    assert.deepEqual(
      [status, models, errors],
      [
        'in_progress',
        ['sim-embedding'],
        [
          { code: 'upstream_error', lines: 2, first: 2 },
          { code: 'outcome_unknown', lines: 1, first: 4 },
        ],
      ],
    );
    const { stdout } = await home.run(['batches', 'show', paused]);
    assert.match(stdout, /lines +4: 1 completed, 2 failed/);
    assert.match(stdout, /pace +[\d.]+ lines\/min/);
    assert.match(stdout, /upstream_error +2 +2/);
  });

  test('has the mistakes of a file with their lines', async () => {
    const { stdout } = await home.run(['batches', 'show', failed]);
    assert.match(stdout, /7 +invalid_json +Line 7 is no JSON\./);
  });

  test('refuses a batch that is not there', async () => {
    assert.deepEqual(await home.run(['batches', 'show', 'batch_none']), {
      ...{ code: 1, stdout: '' },
      stderr: 'Batch batch_none not found.\n',
    });
  });
});

describe('batches cancel', () => {
  test('has no more lines sent, and is logged once with its reason', async () => {
    const id = await batchOf(ada, { state: 'in_progress' });
    const batch = await home.json('batches', 'cancel', id, '--reason', 'asked by phone');
    assert.deepEqual([batch['id'], batch['status']], [id, 'cancelling']);
    assert.equal((await home.run(['batches', 'cancel', id])).code, 0, 'doing so again changes nothing');
    const acts = (await home.json('acts', 'list', '--account', ada.account))['data'] as Record<string, unknown>[];
    const ofBatches = acts.filter(({ action }) => action === 'batch.cancelled');
    assert.deepEqual(
      ofBatches.map(({ subject, details, reason }) => [subject, details, reason]),
      [[null, { batch_id: id }, 'asked by phone']],
    );
    assert.match(String(ofBatches[0]?.['actor']), /^cli:./);
  });

  test('refuses a batch whose lines have all ended', async () => {
    assert.deepEqual(await home.run(['batches', 'cancel', done]), {
      ...{ code: 1, stdout: '' },
      stderr: `Batch ${done} can no longer be cancelled: its state is completed.\n`,
    });
    assert.equal((await home.run(['batches', 'cancel', 'batch_none'])).code, 1);
  });
});
