import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { assertAgrees, type Audited, auditedWorld, type TaskName } from '../support/audited.ts';
import { type Tampering, tamperingsOf, type Target, whileTampered } from '../support/tampering.ts';

/** What the checks of money find, and not those of rows. */
const moneyColumns = {
  accounts: ['available', 'held', 'in_arrears', 'is_low', 'seq', 'chain'],
  api_keys: [
    ...['minute', 'hour', 'day', 'month', 'total'].flatMap((per) => [`calls_${per}`, `spent_${per}`, `since_${per}`]),
    'counted_at',
    'clock_back_at',
    'running_tasks',
  ],
};

/** Columns of a task that only the engine uses: they have no seal, and possible values are not reported. */
const marks = [
  'dequeued_at',
  'started_at',
  'seen_at',
  'cancel_pending',
  'fetch_owner',
  'fetch_until',
  'removed_at',
  'failure',
];

describe('a row that was changed, removed or added by hand is found', () => {
  let world: Audited;
  before(async () => {
    world = await auditedWorld();
  });
  after(() => world.remove());

  async function assertFound(tampering: Pick<Tampering, 'says' | 'table' | 'statements'>): Promise<void> {
    await whileTampered(world.home, tampering, async () => {
      const { agrees, findings } = await world.audit();
      assert.equal(agrees, false, `${tampering.says} was not found`);
      const hash = await world.home.database.pool.query("select encode(hash, 'hex') as hash from api_keys");
      const reported = JSON.stringify(findings);
      assert.ok(
        !reported.includes('example.com') && hash.rows.every((row) => !reported.includes(String(row.hash))),
        reported,
      );
    });
  }

  async function assertAllFound(target: Target, except: readonly string[] = []): Promise<void> {
    assertAgrees(await world.audit());
    const all = await tamperingsOf(world.home, target, { except });
    assert.ok(all.length > 2);
    for (const tampering of all) await assertFound(tampering);
    assertAgrees(await world.audit());
  }

  test('of accounts', async () => {
    for (const { account } of [world.customer, world.idle]) {
      await assertAllFound({ table: 'accounts', where: 'id = $1', values: [account] }, moneyColumns.accounts);
    }
  });

  test('of keys, with and without entries', async () => {
    for (const { key } of [world.customer, world.idle]) {
      await assertAllFound({ table: 'api_keys', where: 'id = $1', values: [key] }, moneyColumns.api_keys);
    }
  });

  test('of the recording of bodies', async () => {
    const { account } = world.customer;
    await assertAllFound({ table: 'body_recordings', where: 'account_id = $1', values: [account] });
  });

  test('of the audit log, and its head', async () => {
    const { rows } = await world.home.database.pool.query<{ seq: bigint }>(
      `select min(seq) as seq from acts union select max(seq) from acts union select seq from acts where details is not null`,
    );
    for (const { seq } of rows) {
      const all = await tamperingsOf(
        world.home,
        { table: 'acts', where: 'seq = $1', values: [seq] },
        { copied: { seq: '999' } },
      );
      for (const tampering of all) await assertFound(tampering);
    }
    await assertAllFound({ table: 'chains', where: `name = 'acts'` }, ['name']);
  });

  const names: TaskName[] = ['accepted', 'running', 'withdrawn', 'image', 'claimed', 'removed', 'failed', 'cancelled'];
  for (const name of names) {
    test(`of tasks: ${name}`, async () => {
      await assertAllFound({ table: 'tasks', where: 'id = $1', values: [world.tasks[name]] }, marks);
    });
  }

  const implausible: [TaskName, string][] = [
    ['running', `started_at = created_at - interval '1 microsecond'`],
    ['running', `started_at = clock_timestamp() + interval '1 hour'`],
    ['running', 'queued = true'],
    ['running', `dequeued_at = created_at - interval '1 microsecond'`],
    ['running', `dequeued_at = started_at + interval '1 microsecond'`],
    ['accepted', `started_at = null, dequeued_at = clock_timestamp() + interval '1 hour'`],
    ['running', `seen_at = created_at + interval '1 second'`],
    ['running', `seen_at = clock_timestamp() + interval '1 minute'`],
    ['image', `seen_at = finished_at + interval '1 minute'`],
    ['running', 'cancel_pending = true'],
    ['image', 'cancel_pending = true'],
    ['failed', 'cancel_pending = true'],
    ['claimed', 'fetch_owner = null'],
    ['claimed', 'fetch_until = null'],
    ['claimed', `fetch_until = fetch_until + interval '1 hour'`],
    ['claimed', `fetch_until = finished_at`],
    ['image', `fetch_owner = gen_random_uuid(), fetch_until = clock_timestamp() + interval '30 seconds'`],
    ['running', `fetch_owner = gen_random_uuid(), fetch_until = clock_timestamp()`],
    ['removed', `fetch_owner = gen_random_uuid(), fetch_until = clock_timestamp() + interval '30 seconds'`],
    ['removed', `removed_at = null`],
    ['removed', `removed_at = finished_at - interval '1 microsecond'`],
    ['removed', `removed_at = clock_timestamp() + interval '1 hour'`],
    ['removed', `request = '{}'`],
    ['avatar', 'removed_at = clock_timestamp()'],
    ['accepted', 'removed_at = clock_timestamp()'],
    ['avatar', 'request = null, uploads = null'],
    ['accepted', `state = 'running'`],
    ['withdrawn', `state = 'accepted'`],
    ['running', `failure = '["x"]'`],
    ['failed', `failure = '{"code":"upstream_error","message":"No.","param":null}'`],
  ];
  for (const [name, change] of implausible) {
    test(`of tasks: ${name}, ${change}`, async () => {
      const text = `update tasks set ${change} where id = $1`;
      const statements = [{ text, values: [world.tasks[name]] }];
      await assertFound({ says: change, table: 'tasks', statements });
      assertAgrees(await world.audit());
    });
  }

  const others: [table: string, text: string, of: TaskName][] = [
    ['holds', 'delete from holds where subject = $1', 'running'],
    ['holds', `update holds set state = 'released' where subject = $1`, 'image'],
    ['holds', `update holds set owner = gen_random_uuid() where subject = $1`, 'running'],
    ['holds', `update holds set created_at = created_at + interval '1 microsecond' where subject = $1`, 'failed'],
    ['entries', `delete from entries where task_id = $1 and type = 'capture'`, 'image'],
    ['entries', `delete from entries where task_id = $1 and type = 'release'`, 'cancelled'],
    ['entries', `update entries set model = 'x' where task_id = $1 and type = 'hold'`, 'accepted'],
    ['entries', `update entries set task_id = task_id || 'x' where task_id = $1 and type = 'hold'`, 'accepted'],
    ['entries', `update entries set d_available = d_available + 1 where type = 'adjustment' and $1 <> ''`, 'image'],
    ['entries', `update entries set reason = 'x' where type = 'credit' and $1 <> ''`, 'image'],
    ['entries', `delete from entries where type = 'credit' and $1 <> ''`, 'image'],
    ['intents', 'delete from intents where task_id = $1', 'running'],
  ];
  for (const [table, text, of] of others) {
    test(`of ${table}, as far as tasks and acts tell: ${text}`, async () => {
      const statements = [{ text, values: [world.tasks[of]] }];
      await assertFound({ says: text, table, statements });
      assertAgrees(await world.audit());
    });
  }
});
