/** Tasks lie in months of their kind, by the time in their ids, and statements go only to the months they are about. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import pino from 'pino';
import { taskIdPrefixes, type TaskId } from '../../src/domain/ids.ts';
import { type TaskKind, taskKinds } from '../../src/domain/tasks/task-states.ts';
import { ensurePartitions, missingPartitions, supplyPartitions } from '../../src/postgres/database.ts';
import { migrateDatabase } from '../../src/postgres/migrations.ts';
import { sweepLock } from '../../src/ledger/sweep.ts';
import { claimFetch } from '../../src/tasks/rows/fetch-claims.ts';
import { openIntent } from '../../src/tasks/provider-calls/intents.ts';
import { requestOfTask } from '../../src/tasks/rows/task-requests.ts';
import { finalAmong, findTask, markStarted } from '../../src/tasks/rows/task-rows.ts';
import { PartitionSupply } from '../../src/runtime/partition-supply.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';
import { admissionOf, type Customer, failureOf, newCustomer, newLedger } from '../support/money.ts';

let db: TestDatabase;
let who: Customer;
before(async () => {
  db = await freshDatabase({ isWhole: true });
  who = await newCustomer(db.database, newLedger(db.database), 1_000n);
});
after(() => db.drop());

const query = <T extends Record<string, unknown>>(text: string, values: unknown[] = []) =>
  db.database.pool.query<T>(text, values);
const now = new Date();
const monthAhead = (months: number) => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, 1));
const nameOf = (at: Date) => at.toISOString().slice(0, 7).replace('-', '_');
let count = 0;
const idAt = (kind: TaskKind, at: Date) =>
  `${taskIdPrefixes[kind]}${at.getTime().toString(16).padStart(12, '0')}7${String(++count).padStart(19, '0')}` as TaskId;

/** Writes a task's row under any id, as a copy of one that was admitted. */
async function writeTask(id: string): Promise<string | undefined> {
  const answer = await newLedger(db.database).admitTask(admissionOf(who, 1n));
  assert.ok(answer.admitted === 'new');
  const { rows } = await query<{ part: string }>(
    `insert into tasks (id, kind, account_id, key_id, request_id, model, request, terms, transfer_id, hold_amount, created_at,
       request_digest, seal)
     select $1, kind, account_id, key_id, request_id, model, request, terms, transfer_id, hold_amount, created_at,
       request_digest, seal
     from tasks where id = $2 returning tableoid::regclass::text as part`,
    [id, answer.taskId],
  );
  return rows[0]?.part;
}

describe('a task', () => {
  for (const kind of taskKinds) {
    test(`(${kind}) lies in its month from the first millisecond to the last, in UTC`, async () => {
      const next = monthAhead(1);
      const ids = [idAt(kind, new Date(next.getTime() - 1)), idAt(kind, next)];
      assert.deepEqual(
        [await writeTask(ids[0] ?? ''), await writeTask(ids[1] ?? '')],
        [`tasks_${kind}_${nameOf(now)}`, `tasks_${kind}_${nameOf(next)}`],
      );
      for (const id of ids) assert.equal((await findTask(db.database, id))?.id, id);
    });
  }

  test('of a month without a partition is taken all the same, and that month stays without', async () => {
    const far = monthAhead(9);
    const id = idAt('video', far);
    assert.equal(await writeTask(id), 'tasks_video_rest');
    assert.equal((await findTask(db.database, id))?.id, id);
    await query('select tollgate_ensure_partitions(10)');
    const made = async (at: Date) =>
      (await query('select to_regclass($1)::text as name', [`tasks_video_${nameOf(at)}`])).rows;
    assert.deepEqual(await made(far), [{ name: null }]);
    assert.deepEqual(await made(monthAhead(10)), [{ name: `tasks_video_${nameOf(monthAhead(10))}` }]);
  });

  for (const [what, id, part] of [
    ['from before the first month', idAt('image', new Date('2020-01-01')), 'tasks_image_rest'],
    ['of a kind that has no months', 'new_01a00000000070000000000000000000', 'tasks_rest'],
    ['whose id has no time of ours', 'img_ffff', 'tasks_rest'],
  ] as const) {
    test(`${what} is taken all the same`, async () => {
      assert.equal(await writeTask(id), part);
      assert.equal((await query('select 1 from tasks where id = $1', [id])).rowCount, 1);
    });
  }

  test('is there once, whatever its month', async () => {
    const id = idAt('image', monthAhead(1));
    await writeTask(id);
    await assert.rejects(writeTask(id), /duplicate key/);
  });

  test('that is named by an intent has to be there, and stays', async () => {
    const id = idAt('avatar_talk', monthAhead(1));
    await assert.rejects(openIntent(db.database, id, 0, 'p'));
    await assert.rejects(
      query(
        `insert into intents (task_id, route, nonce, provider, sent_before) values ($1, 0, gen_random_uuid(), 'p', now())`,
        [id],
      ),
      /intents_task_id_tasks_id_fk/,
    );
    await writeTask(id);
    await openIntent(db.database, id, 0, 'p');
    await assert.rejects(query('delete from tasks where id = $1', [id]), /intents_task_id_tasks_id_fk/);
  });
});

describe('partitions', () => {
  /** As an operator would: one that foreign keys lead to can't be dropped as it is. */
  const drop = async (kind: TaskKind, at: Date): Promise<string> => {
    const name = `tasks_${kind}_${nameOf(at)}`;
    await query(`alter table tasks_${kind} detach partition ${name}`);
    await query(`drop table ${name}`);
    return name;
  };
  const partitions = async () =>
    (await query<{ name: string }>(`select oid::regclass::text as name from pg_class where relispartition order by 1`))
      .rows;

  test('are made once by several at once', async () => {
    const before = await partitions();
    await drop('image', monthAhead(2));
    await Promise.all([1, 2, 3, 4].map(() => ensurePartitions(db.database.pool)));
    assert.deepEqual(await partitions(), before);
  });

  test('are left to the next time while a reader takes long, and writes go on', async () => {
    const name = await drop('image', monthAhead(2));
    const reader = await db.database.longRunning.connect();
    try {
      await reader.query('begin isolation level repeatable read');
      await reader.query('select count(*) from tasks');
      await ensurePartitions(db.database.pool);
      assert.ok(!(await partitions()).some((each) => each.name === name));
      const answer = await newLedger(db.database).admitTask(admissionOf(who, 1n));
      assert.equal(answer.admitted, 'new');
      await reader.query('commit');
    } finally {
      reader.release();
    }
    await ensurePartitions(db.database.pool);
    assert.ok((await partitions()).some((each) => each.name === name));
  });

  test('are made while the holds of processes that died are swept', async () => {
    const name = await drop('image', monthAhead(2));
    const sweep = await db.database.longRunning.connect();
    try {
      await sweep.query('select pg_advisory_lock($1)', [sweepLock]);
      await ensurePartitions(db.database.pool);
    } finally {
      sweep.release(new Error('its lock goes with it'));
    }
    assert.ok((await partitions()).some((each) => each.name === name));
  });

  test('are made by an API process as well', async () => {
    const name = await drop('image', monthAhead(2));
    await new PartitionSupply(db.database, pino({ level: 'silent' }), () => 30).close();
    assert.ok((await partitions()).some((each) => each.name === name));
  });

  test('whose rest is too large to be looked through in passing are left to a migration', async () => {
    await writeTask(idAt('image', monthAhead(12)));
    const name = await drop('image', monthAhead(1));
    await query('select tollgate_ensure_partitions(2, 0)');
    assert.deepEqual(await missingPartitions(db.database.pool), [name]);
    await migrateDatabase(db.url);
    assert.deepEqual(await missingPartitions(db.database.pool), []);
  });

  test('of a month that has rows in the rest can not be made, and are named', async () => {
    const name = await drop('video', monthAhead(1));
    await writeTask(idAt('video', monthAhead(1)));
    assert.deepEqual(await supplyPartitions(db.database), [name]);
  });
});

describe('a statement opens no partition but that of its task:', () => {
  let id: TaskId;
  const here = `tasks_image_${nameOf(now)}`;
  before(async () => {
    const ledger = newLedger(db.database);
    const answer = await ledger.admitTask(admissionOf(who, 1n));
    assert.ok(answer.admitted === 'new');
    id = answer.taskId;
    await findTask(db.database, id);
    await markStarted(db.database, [id]);
    await requestOfTask(db.database, id);
    await claimFetch(db.database, id, 1_000);
    await openIntent(db.database, id, 0, 'p');
    await ledger.releaseTask(failureOf(who, id));
    await finalAmong(db.database, [id]);
  });

  for (const [name, values] of [
    ['find-task', () => [id, null]],
    ['request-of-task', () => [id]],
    ['mark-started-one', () => [id]],
    ['claim-fetch', () => [id, null, 1, 1]],
  ] as const) {
    test(name, async () => {
      assert.deepEqual(await scannedBy(db.database.keyed, name, values()), [here]);
    });
  }

  for (const [name, values] of [
    ['lock-task-for-intent', () => [id]],
    ['lock-task', () => [`{${id}}`]],
    ['end-task', () => [JSON.stringify([{ id }]), '1']],
  ] as const) {
    test(name, async () => {
      const scanned = await scannedBy(db.database.pipelined, name, values());
      assert.deepEqual(
        scanned.filter((table) => table.startsWith('tasks')),
        [here],
      );
    });
  }

  test('final-among, which is given several, looks into those of each', async () => {
    assert.deepEqual(await scannedBy(db.database.keyed, 'final-among', [`{${id}}`], 'analyze,'), [here]);
  });
});

/** The tables that a statement which this pool has prepared reads, as its plan is cut down for these values. */
async function scannedBy(
  pool: pg.Pool,
  name: string,
  values: readonly (string | number | null)[],
  options = '',
): Promise<string[]> {
  const client = await pool.connect();
  try {
    const literals = values.map((value) => (value === null ? 'null' : pg.escapeLiteral(String(value))));
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(
      `explain (${options} costs off) execute "${name}" (${literals.join(', ')})`,
    );
    const lines = rows.map((row) => row['QUERY PLAN']).filter((line) => !line.includes('never executed'));
    return lines.flatMap((line) => /Scan (?:using \S+ )?on ((?:tasks|holds|entries)\S*)/.exec(line)?.[1] ?? []);
  } finally {
    client.release();
  }
}
