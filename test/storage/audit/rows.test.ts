import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { deriveKeys } from '../../../src/config/secrets.ts';
import { createAccount } from '../../../src/accounts/accounts.ts';
import { GroupCommitter } from '../../../src/ledger/commit/group-commit.ts';
import { Ledger } from '../../../src/ledger/ledger.ts';
import { insertFile, markDeleted } from '../../../src/files/file-rows.ts';
import { newBatchId, newBlobKey, newFileId, newTaskId } from '../../../src/postgres/new-ids.ts';
import { assertAgrees, type Audited, auditedWorld } from '../../support/audited.ts';
import { admissionOf, failureOf, ledgerKey } from '../../support/money.ts';
import { whileTampered } from '../../support/tampering.ts';

describe('the audit of acts, facts, tasks and blobs', () => {
  let world: Audited;
  before(async () => {
    world = await auditedWorld();
  });
  after(() => world.remove());

  const says = async (options?: Parameters<Audited['audit']>[0]) =>
    (await world.audit(options)).findings.map(({ check, subject, says }) => `${check}: ${subject}: ${says}`);

  test('agrees with what the gateway wrote, and counts what it looked at', async () => {
    const report = await world.audit({ deep: true });
    assertAgrees(report);
    assert.deepEqual(report.looked, {
      acts: 14,
      'accounts and keys': 4,
      people: 1,
      tasks: 10,
      'charges of tasks': 4,
      // Two files and an image; uploads of four avatar-talk tasks; an answer that waits to be collected.
      'blobs that rows name': 6,
      'blobs in the store': 12,
    });
    assertAgrees(await world.audit({ since: new Date(Date.now() + 3_600_000) }));
  });

  test('finds the digest of a webhook address in the log, and never the address, which may hold a token', async () => {
    const { rows } = await world.home.database.pool.query<{ facts: string }>(
      `select facts::text as facts from acts where subject = $1 order by seq desc limit 1`,
      [world.customer.account],
    );
    assert.match(String(rows[0]?.facts), /"webhook_url": "sha256:[0-9a-f]{64}"/);
    const { rows: leaks } = await world.home.database.pool.query(
      `select 1 from acts a where a::text like '%example.com/hook%'`,
    );
    assert.equal(leaks.length, 0);
  });

  test('reports a task that succeeded and has no paid call that a provider of its terms took', async () => {
    const { image } = world.tasks;
    for (const change of [
      `outcome = 'unknown', job_id = null`,
      `outcome = 'refused', job_id = null`,
      `provider = 'x'`,
    ]) {
      const statements = [{ text: `update intents set ${change} where task_id = $1`, values: [image] }];
      await whileTampered(world.home, { says: change, table: 'intents', statements }, async () => {
        assert.deepEqual(await says(), [
          `tasks: ${image}: it succeeded, but no paid call of it was taken by a provider of its terms`,
        ]);
      });
    }
    assert.deepEqual(await says(), []);
  });

  test('accepts what was written under a secret that has been rotated since, and under no other', async () => {
    const { database } = world.home;
    const { first } = deriveKeys(['another secret, and one that is long enough']);
    const later = new Ledger(new GroupCommitter(database, first.ledger));
    await createAccount({ database, ledgerKey: first.ledger, actor: 'cli:ada' }, 'after the rotation');
    const id = newTaskId('image');
    await later.admitTask(admissionOf(world.customer, 5n, { id }));
    await later.releaseTask(failureOf(world.customer, id));
    assertAgrees(await world.audit({ ledgerKeys: [first.ledger, ledgerKey] }));
    assert.deepEqual(
      (await says()).map((found) => found.replace(/\d+/, 'N')),
      [
        'acts: act_N: what it says and the act before it do not give its link',
        `tasks: ${id}: what it was admitted with does not fit its seal`.replace(/\d+/, 'N'),
        `tasks: ${id}: how it ended does not fit its seal`.replace(/\d+/, 'N'),
      ],
    );
  });
});

describe('the audit of blobs', () => {
  let world: Audited;
  before(async () => {
    world = await auditedWorld();
  });
  after(() => world.remove());

  const findings = async (deep = false) =>
    (await world.audit({ deep })).findings.map(({ subject, says }) => `${subject}: ${says}`);
  const keyOf = async (task: string, column = `files -> 0 ->> 'blobKey'`) => {
    const { rows } = await world.home.database.pool.query<{ key: string }>(
      `select ${column} as key from tasks where id = $1`,
      [task],
    );
    return rows[0]?.key ?? assert.fail('no such blob');
  };
  const replaced = async (key: string, content: string) => {
    await world.blobs.remove(key);
    await world.store(key, Buffer.from(content));
  };

  test('reports a result that is gone, has another size or, looked at deeply, other bytes', async () => {
    const { image } = world.tasks;
    const key = await keyOf(image);
    await world.blobs.remove(key);
    assert.deepEqual(await findings(), [`${image}: a blob is not in the store: ${key}`]);
    await replaced(key, 'short');
    assert.match((await findings()).join(), /^img_\w+: a blob has 5 bytes where its row says \d+: results/);
    await replaced(key, `the content of ${key}`.toUpperCase());
    assert.deepEqual(await findings(), []);
    assert.deepEqual(await findings(true), [`${image}: a blob has other bytes than its row says: ${key}`]);
    await replaced(key, `the content of ${key}`);
    assert.deepEqual(await findings(true), []);
  });

  test('reports an upload and an answer to be collected that are gone', async () => {
    const upload = await keyOf(world.tasks.accepted, `uploads -> 'audio' ->> 'blobKey'`);
    const answer = await keyOf(world.tasks.finished, '(select blob_keys[1] from intents where task_id = tasks.id)');
    await world.blobs.remove(upload);
    await world.blobs.remove(answer);
    assert.deepEqual(
      new Set(await findings()),
      new Set([
        `${world.tasks.accepted}: a blob is not in the store: ${upload}`,
        `${world.tasks.finished}: a blob is not in the store: ${answer}`,
      ]),
    );
    await replaced(upload, `the content of ${upload}`);
    await replaced(answer, `the content of ${answer}`);
  });

  test('reports a kept file whose bytes are gone, or are others in number', async () => {
    const { customer, home } = world;
    const { blobKey: blob, bytes } = await world.store(newBlobKey('files'));
    const { id } = await insertFile(home.database.pool, {
      ...{ id: newFileId(), accountId: customer.account, keyId: customer.key, purpose: 'user_data' },
      ...{ filename: 'a.txt', bytes, blob, keptSeconds: null },
    });
    assert.deepEqual(await findings(), []);
    await world.blobs.remove(blob);
    assert.deepEqual(await findings(), [`${id}: a blob is not in the store: ${blob}`]);
    await replaced(blob, 'short');
    assert.deepEqual(await findings(), [`${id}: a blob has 5 bytes where its row says ${bytes}: ${blob}`]);
    await world.blobs.remove(blob);
    await markDeleted(home.database, customer.account, id);
    assert.deepEqual(await findings(), []);
    await home.database.pool.query('delete from files');
  });

  test('reports an answer of a batch whose bytes are gone, as long as its output is kept', async () => {
    const { customer, home } = world;
    const { blobKey: blob } = await world.store(newBlobKey('batch-answers'));
    const batch = newBatchId();
    await home.database.pool.query(
      `with made as (
         insert into batches (id, account_id, key_id, request_id, endpoint, input_file_id, window_seconds,
           output_expires_seconds, terms, created_at, expires_at)
         values ($1, $2, $3, 'r', '/v1/chat/completions', 'file', 86400, 86400, '{}', now(), now()) returning id)
       insert into batch_lines (batch_id, n, custom_id, model, byte_offset, byte_length, state, finished_at, answer_blob)
       select id, 1, 'a', 'm', 0, 1, 'completed', now(), $4 from made`,
      [batch, customer.account, customer.key, blob],
    );
    assert.deepEqual(await findings(), []);
    await world.blobs.remove(blob);
    assert.deepEqual(await findings(), [`${batch}: a blob is not in the store: ${blob}`]);
    await home.database.pool.query(`update batches set output_file_id = 'file-that-went' where id = $1`, [batch]);
    assert.deepEqual(await findings(), []);
    await home.database.pool.query('delete from batch_lines');
    await home.database.pool.query('delete from batches');
  });

  test('reports blobs that no row names once they are older than a day and the sweep has had its time', async () => {
    const keys = ['uploads/unknown', `results/${world.tasks.image}/left`, 'answers/unknown', 'elsewhere/file'];
    for (const key of keys) await world.store(key);
    assert.deepEqual(await findings(), []);
    const list = world.blobs.list.bind(world.blobs);
    world.blobs.list = async function* (prefix) {
      for await (const { key } of list(prefix)) yield { key, changedAtMs: Date.now() - 26.1 * 3_600_000 };
    };
    assert.deepEqual(new Set(await findings()), new Set(keys.map((key) => `${key}: no row names it`)));
    world.blobs.list = list;
    for (const key of keys) await world.blobs.remove(key);
  });

  test('reports what was removed and is still there, but not while the removal may be under way', async () => {
    const { removed } = world.tasks;
    const key = await keyOf(removed);
    await world.store(key);
    assert.deepEqual(await findings(), []);
    await world.home.database.pool.query(
      `update tasks set created_at = created_at - interval '3 hours', finished_at = finished_at - interval '3 hours',
         removed_at = removed_at - interval '2 hours 1 minute' where id = $1`,
      [removed],
    );
    const found = await findings();
    assert.ok(found.includes(`${removed}: it was removed, but a blob is still in the store: ${key}`), found.join('\n'));
  });

  test('does not tell what was fetched while it looked', async () => {
    const { avatar } = world.tasks;
    const key = await keyOf(avatar);
    const size = world.blobs.size.bind(world.blobs);
    world.blobs.size = async (asked) => {
      if (asked === key) {
        await world.home.database.pool.query(
          'update tasks set removed_at = clock_timestamp(), request = null, uploads = null where id = $1',
          [avatar],
        );
        await world.blobs.remove(key);
      }
      return size(asked);
    };
    const found = await findings();
    assert.ok(!found.some((each) => each.includes(key)), found.join('\n'));
    world.blobs.size = size;
  });
});
