/** Temporal and PostgreSQL of the test's own, killed and frozen under load: 503 meanwhile, and all goes on without a restart. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { builtInConfiguration } from '../../src/config/built-in.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { assertLedgerAddsUp } from '../support/money.ts';
import { type OwnServers, startOwnServers } from '../support/own-servers.ts';
import { until } from '../support/process.ts';

const most = 30;
let own: OwnServers;
let gateway: TestGateway;
before(async () => {
  own = await startOwnServers();
  gateway = await startTestGateway({
    configuration: `${builtInConfiguration}\nlimits: { waiting_tasks: ${most} }\n`,
    servers: own.servers,
  });
});
after(async () => {
  await gateway.stop();
  await own.stop();
});

const create = (prefer = 'wait=0') =>
  gateway.post('/v1/images/generations', { model: 'sim-image', prompt: 'A drill' }, { Prefer: prefer });
const chat = () =>
  gateway.post('/v1/chat/completions', { model: 'sim-chat', messages: [{ role: 'user', content: 'Hello' }] });
const isReady = () =>
  until('readiness', async () => {
    const { status, body } = await gateway.get('/readyz');
    return status === 200 && body['status'] === 'ok' ? true : undefined;
  });

async function assertAllWorks(): Promise<void> {
  assert.equal((await until('a call', async () => orUndefined(await chat()))).status, 200);
  const waited = await until('a task', async () => orUndefined(await create('wait=60')));
  assert.equal(waited.status, 200, JSON.stringify(waited.body));
  await until('the end of all holds', async () => ((await gateway.money()).held === 0 ? true : undefined));
  await assertLedgerAddsUp(gateway.core.database, gateway.core.secrets.first.ledger);
}

/** Refusals are over once the lease is renewed and the tasks that waited are started. */
const orUndefined = <T extends { status: number }>(answer: T): T | undefined =>
  answer.status === 503 ? undefined : answer;

async function taskCount(): Promise<number> {
  return (await gateway.core.database.pool.query('select 1 from tasks')).rowCount ?? 0;
}

test('Temporal killed: tasks are accepted up to the bound, and run when it is back', { timeout: 180_000 }, async () => {
  await isReady();
  await assertAllWorks();
  await own.temporal.kill();
  const accepted: string[] = [];
  const waiting = await create('wait=2');
  assert.equal(waiting.status, 202);
  accepted.push(String(waiting.body['id']));
  await until('the bound', async () => {
    const { status, body } = await create();
    if (status === 503) return true;
    accepted.push(String(body['id']));
    return undefined;
  });
  assert.equal(accepted.length, most);
  assert.equal((await gateway.money()).held, most * 0.2);
  assert.equal((await chat()).status, 200, 'chat needs no Temporal');
  assert.equal((await gateway.get('/readyz')).body['status'], 'degraded');
  await own.temporal.startAgain();
  for (const id of accepted) {
    assert.equal((await gateway.finished(`/v1/images/generations/${id}`)).body['status'], 'succeeded');
  }
  await isReady();
  await assertAllWorks();
});

for (const [what, takeAway] of [
  [
    'killed',
    async () => {
      await own.postgres.kill();
      return () => own.postgres.startAgain();
    },
  ],
  [
    'frozen',
    async () => {
      const thaw = await own.postgres.freeze();
      return () => {
        thaw();
        return Promise.resolve();
      };
    },
  ],
] as const) {
  describe(`PostgreSQL ${what}`, () => {
    test(
      'is reported as 503 within seconds, and chat, tasks, waiting callers, scans and the ledger go on when it is back',
      { timeout: 240_000 },
      async () => {
        await assertAllWorks();
        const before = await taskCount();
        const waiting = Array.from({ length: 5 }, () => create('wait=120'));
        await until('five tasks', async () => ((await taskCount()) === before + 5 ? true : undefined));
        const bringBack = await takeAway();
        // A check of readiness that was under way when the server went may still say that all is well.
        const isNoticed = async () => ((await gateway.get('/readyz')).status === 503 ? true : undefined);
        await until('readiness to be lost', isNoticed, 10_000);
        const startedAt = performance.now();
        while (performance.now() - startedAt < 15_000) {
          const answers = await Promise.all([chat(), create(), gateway.get('/v1/account'), gateway.get('/v1/tasks')]);
          for (const { status, body } of answers) assert.equal(status, 503, JSON.stringify(body));
          assert.equal((await gateway.get('/readyz')).status, 503);
          assert.equal((await gateway.get('/healthz')).status, 200);
          assert.equal((await gateway.get('/metrics')).status, 200);
        }
        await bringBack();
        await isReady();
        for (const { status, body } of await Promise.all(waiting)) {
          assert.ok(status === 200 || status === 202, `${status} ${JSON.stringify(body)}`);
          const path = `/v1/images/generations/${String(body['id'])}`;
          assert.equal((await gateway.finished(path)).body['status'], 'succeeded');
        }
        await assertAllWorks();
      },
    );
  });
}
