import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import module from 'node:module';
import { after, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { freshDatabase, fromTestRun, type TestDatabase } from '../../support/database.ts';
import { Installation, ready, type Running, until } from '../../support/process.ts';

const key = 'sk-tg-a-key-that-the-operator-chose-for-this-test';

describe('the roles on servers of their own', () => {
  let database: TestDatabase;
  let home: Installation;
  before(async () => {
    database = await freshDatabase();
    home = await Installation.make({
      DATABASE_URL: database.url,
      TEMPORAL_ADDRESS: fromTestRun('TEMPORAL_ADDRESS'),
      TOLLGATE_SECRET: 'a secret of the tests with 40 characters',
      TOLLGATE_BOOTSTRAP_KEY: key,
      TOLLGATE_BOOTSTRAP_BALANCE: '3',
    });
  });
  after(async () => {
    await home.remove();
    await database.drop();
  });

  test('migrate makes an empty database ready, and again does no harm', async () => {
    await database.database.pool.query('drop schema public cascade; create schema public');
    const before = await home.run(['api']);
    assert.equal(before.code, 1);
    assert.match(before.stderr, /^[^\n]*tollgate migrate[^\n]*\n$/);
    for (const { code, stdout, stderr } of await Promise.all([home.run(['migrate']), home.run(['migrate'])])) {
      const lines = ['The database is up to date.', 'The search attributes are registered in the namespace default.'];
      assert.deepEqual({ code, stdout, stderr }, { code: 0, stdout: `${lines.join('\n')}\n`, stderr: '' });
    }
  });

  test('api accepts a task before any worker is there; worker runs it when it comes', async () => {
    const { api, call } = await startApi();
    const created = await call('POST', '/ai/v1/images/generations', { model: 'sim-image', prompt: 'Early' });
    assert.equal(created.status, 202);
    const { id } = created.body;
    assert.match(String(id), /^img_/);
    await pause(500); // longer than a task takes where a worker runs
    assert.equal((await call('GET', `/v1/images/generations/${String(id)}`)).body['status'], 'processing');
    assert.deepEqual(money(await call('GET', '/v1/account')), { balance: 2.8, held: 0.2 });

    const worker = home.spawn(['worker']);
    const task = await until('the end of the task', async () => {
      const { body } = await call('GET', `/v1/images/generations/${String(id)}`);
      return body['status'] === 'processing' ? undefined : body;
    });
    assert.equal(task['status'], 'succeeded');
    assert.deepEqual(money(await call('GET', '/v1/account')), { balance: 2.8, held: 0 });
    await stops(worker);
    await stops(api);
  });

  test('api asked to stop answers a waiting caller 202 and ends soon', async () => {
    const { api, call } = await startApi();
    const waiting = call('POST', '/v1/images/generations', { model: 'sim-image', prompt: 'Patience' });
    await until('the hold', async () => (money(await call('GET', '/v1/account')).held > 0 ? true : undefined));
    const askedAt = performance.now();
    api.signal('SIGTERM');
    const { status, body } = await waiting;
    assert.deepEqual([status, body['status'], typeof body['id']], [202, 'processing', 'string']);
    const { code, stderr } = await api.ended;
    assert.equal(code, 0, stderr);
    assert.ok(performance.now() - askedAt < 8_000, 'it waited for a connection that was kept but idle');
  });

  test('api does not make a second demo account where there is one', async () => {
    const { api } = await startApi();
    const list = await home.json('accounts', 'list');
    assert.deepEqual(
      (list['data'] as { name: string }[]).map(({ name }) => name),
      ['demo'],
    );
    await stops(api);
  });

  test('api loads nothing of the workers, as their native code shows', async () => {
    const { api } = await startApi();
    const worker = home.spawn(['worker']);
    await worker.printed(/the worker runs/);
    assert.deepEqual([await hasWorkersCode(api), await hasWorkersCode(worker)], [false, true]);
    await stops(worker);
    await stops(api);
  });

  test('the stack of an error names files and lines of src', async () => {
    const { stderr } = await home.run(['api'], { LOG_LEVEL: 'debug', DATABASE_URL: 'postgres://127.0.0.1:1/none' });
    assert.match(stderr, /ECONNREFUSED/);
    const named =
      'setSourceMapsSupport' in module ? /withCore \(\S+\/src\/cli\/roles\/with-core\.ts:\d+/ : /withCore \(/;
    assert.match(stderr, named);
  });

  test('two databases on one Temporal server have task queues of their own', async () => {
    const { rows } = await database.database.pool.query(`select value from installation where name = 'queue_prefix'`);
    const other = await freshDatabase();
    const apart = await Installation.make({ ...home.settings, DATABASE_URL: other.url });
    try {
      const worker = apart.spawn(['worker']);
      await worker.printed(/the worker runs/);
      const found = await other.database.pool.query(`select value from installation where name = 'queue_prefix'`);
      assert.match(String(rows[0]?.value), /^tollgate-\w+$/);
      assert.notEqual(found.rows[0]?.value, rows[0]?.value);
      await stops(worker);
    } finally {
      await apart.remove();
      await other.drop();
    }
  });

  test('another secret than the one that signed the database is refused', async () => {
    const { code, stderr } = await home.run(['api'], { TOLLGATE_SECRET: 'quite another secret with 40 characters.' });
    assert.equal(code, 2);
    assert.match(stderr, /TOLLGATE_SECRET: this database was sealed with another secret/);
  });

  async function startApi() {
    const api = home.spawn(['api']);
    const url = await api.printed(/"address":"(http:[^"]+)"/);
    await ready(url);
    const call = async (method: string, path: string, body?: unknown) => {
      const answer = await fetch(`${url}${path}`, {
        method,
        headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
    };
    return { api, call };
  }
});

/** Linux lists the files that a process has mapped. */
const hasWorkersCode = async ({ child }: Running): Promise<boolean> =>
  /core-bridge\/\S+\.node$/m.test(await readFile(`/proc/${child.pid}/maps`, 'utf8'));

const money = ({ body }: { body: Record<string, unknown> }) => ({
  balance: Number(body['balance']),
  held: Number(body['held']),
});

async function stops(running: Running): Promise<void> {
  running.signal('SIGTERM');
  const { code, stderr } = await running.ended;
  assert.equal(code, 0, stderr);
}
