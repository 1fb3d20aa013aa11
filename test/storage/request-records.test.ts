/** Records of requests: written in groups, kept while the database is away, given up beyond a bound, dropped by the day. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pino from 'pino';
import type { AccountId, KeyId } from '../../src/domain/ids.ts';
import { micros } from '../../src/domain/money.ts';
import type { Database } from '../../src/postgres/database.ts';
import { newRequestId } from '../../src/postgres/new-ids.ts';
import { listRequests } from '../../src/request-records/read-requests.ts';
import { RequestRecorder } from '../../src/request-records/request-recorder.ts';
import type { RequestGroup } from '../../src/request-records/request-group.ts';
import type { RequestRecord } from '../../src/request-records/request-record.ts';
import { supplyRequestDays, writeRequests } from '../../src/request-records/write-requests.ts';
import { freshDatabase } from '../support/database.ts';

let database: Database;
let close: () => Promise<void>;
before(async () => {
  ({ database } = await freshDatabase({ isWhole: true }));
  close = () => database.close();
});
after(() => close());

const account = 'acc_of_records' as AccountId;
const record = (requestId: string, more: Partial<RequestRecord> = {}): RequestRecord => ({
  ...{ createdAt: new Date(), accountId: account, keyId: 'key_1' as KeyId, requestId, method: 'POST', path: '/v1/x' },
  ...{ model: 'm', status: 200, code: undefined, latencyMs: 7, firstTokenMs: undefined, isStream: false },
  ...{ provider: 'p', attempts: undefined, inputTokens: 3, cachedInputTokens: 0, outputTokens: 5, cost: micros(11n) },
  ...{ taskId: undefined, endUser: undefined, tag: undefined, client: 'test' },
  ...more,
});

interface Lost {
  count: number;
  reason: string;
}

function recorderThat(write: (group: RequestGroup) => Promise<void>, lost: Lost[] = []) {
  const onLost = (count: number, reason: string) => lost.push({ count, reason });
  return new RequestRecorder({ write, log: pino({ level: 'silent' }), onLost, everyMs: 3_600_000 });
}

const toDatabase = (group: RequestGroup) => writeRequests(database, group);

const idsOf = async (filter = {}) => {
  const all = await listRequests(database, { account, ...filter }, { limit: 100, after: undefined });
  return all.map(({ requestId }) => requestId);
};

test('what was added is written in its order, with everything that was noted', async () => {
  const recorder = recorderThat(toDatabase);
  recorder.add(
    record('one', {
      attempts: [{ provider: 'a', model: 'b', ms: 3, fault: 'away' }],
      endUser: 'me',
      tag: 'shop',
      code: 'c',
    }),
  );
  recorder.add(record('two', { model: undefined, inputTokens: undefined, cost: undefined, taskId: 'img_1' }));
  await recorder.written();
  const [two, one] = await listRequests(database, { account }, { limit: 2, after: undefined });
  assert.equal(two?.requestId, 'two');
  assert.deepEqual([two.model, two.inputTokens, two.cost, two.taskId], [null, null, null, 'img_1']);
  assert.equal(one?.requestId, 'one');
  assert.deepEqual(one.attempts, [{ provider: 'a', model: 'b', ms: 3, fault: 'away' }]);
  assert.deepEqual([one.endUser, one.tag, one.code, one.cost, one.outputTokens], ['me', 'shop', 'c', 11n, 5]);
  await recorder.close();
});

test('records wait while the database is away, and are there once it is back', async () => {
  const failure = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  let isAway = true;
  const lost: Lost[] = [];
  const recorder = recorderThat((group) => (isAway ? Promise.reject(failure) : toDatabase(group)), lost);
  recorder.add(record('waits'));
  for (let time = 0; time < 5; time += 1) await recorder.written();
  assert.ok(!(await idsOf()).includes('waits'));
  isAway = false;
  await recorder.written();
  assert.ok((await idsOf()).includes('waits'));
  assert.deepEqual(lost, []);
  await recorder.close();
});

test('beyond 20,000 that wait, and when the database refuses them three times, they are given up and counted', async () => {
  const lost: Lost[] = [];
  const recorder = recorderThat(() => Promise.reject(new Error('no such column')), lost);
  for (let n = 0; n < 20_002; n += 1) recorder.add(record(`r${n}`));
  assert.deepEqual(lost, [
    { count: 1, reason: 'full' },
    { count: 1, reason: 'full' },
  ]);
  while (lost.length < 3) await recorder.written();
  assert.equal(lost.at(-1)?.reason, 'refused');
  await recorder.close();
  const sum = lost.reduce((total, { count }) => total + count, 0);
  assert.equal(sum, 20_002);
});

test('a record that fits no row is given up by itself', async () => {
  const lost: Lost[] = [];
  const recorder = recorderThat(toDatabase, lost);
  for (const [id, latencyMs] of [
    ['before it', 1],
    ['too long', 2 ** 31],
    ['after it', 2],
  ] as const)
    recorder.add(record(id, { latencyMs }));
  await recorder.written();
  assert.deepEqual(lost, [{ count: 1, reason: 'refused' }]);
  const ids = await idsOf();
  assert.deepEqual(
    ['before it', 'too long', 'after it'].map((id) => ids.includes(id)),
    [true, false, true],
  );
  await recorder.close();
});

test('what comes behind records that were refused is written', async () => {
  const lost: Lost[] = [];
  let refusals = 3;
  const recorder = recorderThat(
    (group) => (refusals-- > 0 ? Promise.reject(new Error('no such column')) : toDatabase(group)),
    lost,
  );
  recorder.add(record('refused'));
  while (lost.length === 0) await recorder.written();
  recorder.add(record('behind it'));
  await recorder.written();
  assert.ok((await idsOf()).includes('behind it'));
  assert.deepEqual(lost, [{ count: 1, reason: 'refused' }]);
  await recorder.close();
});

test('a request is found by its id: by one of the gateway, by a caller’s own, and by one that a caller sent again', async () => {
  const [own, again] = [newRequestId(), newRequestId()];
  const later = new Date(Date.now() + 60_000);
  const recorder = recorderThat(toDatabase);
  for (const one of [
    record(own),
    record(again),
    record(again, { createdAt: later }),
    record('order-7', { tag: 'mine' }),
  ])
    recorder.add(one);
  await recorder.written();
  for (const [requestId, count] of [
    [own, 1],
    [again, 2],
    ['order-7', 1],
    [newRequestId(), 0],
    [`req_${'f'.repeat(12)}7fff8${'f'.repeat(15)}`, 0],
    [`req_-1${'0'.repeat(30)}`, 0],
    ['req_none', 0],
  ] as const) {
    assert.equal((await idsOf({ requestId })).length, count, requestId);
    const ofAll = await listRequests(database, { requestId }, { limit: 9, after: undefined });
    assert.equal(ofAll.length, count, requestId);
  }
  assert.deepEqual(await idsOf({ requestId: again, to: later }), [again]);
  assert.deepEqual(await idsOf({ requestId: 'order-7', tag: 'mine' }), ['order-7']);
  assert.deepEqual(await idsOf({ requestId: 'order-7', tag: 'other' }), []);
  const { rows } = await database.pool.query('select request_id from requests where is_id_given order by 1');
  assert.ok(!rows.some(({ request_id: id }) => id === own), 'an id of its time has no entry in the index');
  await recorder.close();
});

test('what comes while a group is written waits for the next one, and is never in two', async () => {
  const groups: number[] = [];
  let finish = (): void => undefined;
  const recorder = recorderThat((group) => {
    groups.push(group.size);
    return new Promise((resolve) => (finish = resolve));
  });
  recorder.add(record('first'));
  const written = recorder.flush();
  for (let n = 0; n < 3; n++) recorder.add(record(`later ${n}`));
  finish();
  await written;
  assert.deepEqual(groups, [1]);
  const rest = recorder.close();
  finish();
  await rest;
  assert.deepEqual(groups, [1, 3]);
});

test('days that are older than what is kept are dropped, and the coming ones made', async () => {
  const { pool } = database;
  const daysThere = async () => {
    const { rows } = await pool.query<{ name: string }>(
      "select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'requests'::regclass",
    );
    return rows.map(({ name }) => name).sort();
  };
  await pool.query(
    "create table requests_2020_01_01 partition of requests for values from ('2020-01-01') to ('2020-01-02')",
  );
  await pool.query('drop table requests_' + dayName(6));
  await supplyRequestDays(database, 30);
  const days = await daysThere();
  assert.ok(!days.includes('requests_2020_01_01'));
  for (let ahead = -1; ahead <= 7; ahead += 1) assert.ok(days.includes(`requests_${dayName(ahead)}`), String(ahead));
});

const dayName = (ahead: number) =>
  new Date(Date.now() + ahead * 86_400_000).toISOString().slice(0, 10).replaceAll('-', '_');
