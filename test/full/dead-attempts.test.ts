/** What follows an attempt that died between its intent and an answer; two of these wait for half a minute. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { openIntent } from '../../src/tasks/provider-calls/intents.ts';
import { type AdmissionOptions, assertLedgerAddsUp } from '../support/money.ts';
import { type Script, ScriptedProvider, startTaskRunner } from '../support/task-runner.ts';

const providers = {
  idempotent: new ScriptedProvider({ abilities: { idempotent: true } }),
  plain: new ScriptedProvider({}),
  asked: new ScriptedProvider({ abilities: { lookup: true }, find: () => 'found' } satisfies Script),
};
const runner = await startTaskRunner({ providers });
after(async () => {
  await assertLedgerAddsUp(runner.db.database);
  await runner.stop();
});

describe('an attempt that died after it had opened the intent', { concurrency: true }, () => {
  const dead = async (name: keyof typeof providers, options: AdmissionOptions = {}) => {
    const id = await runner.admit({ routes: [name], timeoutMs: 200, ...options });
    assert.equal((await openIntent(runner.db.database, id, 0, name)).opened, 'now');
    // As if the attempt had died 20 seconds ago.
    await runner.db.database.pool.query('update intents set sent_before = clock_timestamp() where task_id = $1', [id]);
    await runner.starter.start(await runner.facts(id));
    return { id, provider: providers[name] };
  };

  test('is followed by the same call again where the provider is idempotent', async () => {
    const { id, provider } = await dead('idempotent');
    assert.equal((await runner.final(id)).state, 'succeeded');
    assert.equal(provider.asked.submit, 1);
  });

  test('is never sent again where it is not, and fails at the deadline', async () => {
    const { id, provider } = await dead('plain', { deadlineMs: 2_000 });
    const task = await runner.final(id);
    assert.deepEqual([task.state, task.error?.code, provider.asked.submit], ['failed', 'upstream_timeout', 0]);
  });

  test('is looked up where the provider can tell', async () => {
    const { id, provider } = await dead('asked');
    assert.equal((await runner.final(id)).state, 'succeeded');
    assert.deepEqual([provider.asked.submit, provider.asked.find], [0, 1]);
  });
});
