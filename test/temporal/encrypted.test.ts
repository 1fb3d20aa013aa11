/** Tasks whose payloads are encrypted, on the real server: what Temporal can read of them, and switching it on while tasks run. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Client } from '@temporalio/client';
import type { TaskId } from '../../src/domain/ids.ts';
import { assertAudited } from '../support/cancelling.ts';
import { historyJson } from '../support/history.ts';
import { until } from '../support/process.ts';
import { image, part, ScriptedProvider, startTaskRunner } from '../support/task-runner.ts';
import { dataConverterOf } from '../../src/temporal/codec.ts';
import { TaskStarter } from '../../src/tasks/start/task-starter.ts';

const keys = [{ id: 'of-today', key: Buffer.alloc(32, 5) }];
let failuresLeft = 1;
const shaky = new ScriptedProvider({
  submit: () => {
    if (failuresLeft-- > 0) throw new TypeError('a fault of the test');
    return { outcome: 'accepted', jobId: 'job' };
  },
});
let isOpen = false;
const working = new ScriptedProvider({
  poll: () => (isOpen ? { state: 'succeeded', parts: [part(image)] } : { state: 'processing' }),
});
const runner = await startTaskRunner({ providers: { good: new ScriptedProvider(), shaky, working }, codecKeys: keys });
after(async () => {
  await assertAudited(runner);
  await runner.stop();
});
/** All that Temporal has of a task's workflow, as it has it. */
async function storedOf(id: TaskId): Promise<string> {
  const history = JSON.stringify(historyJson(await runner.client.workflow.getHandle(id).fetchHistory()));
  return (
    [...history.matchAll(/"([A-Za-z0-9+/]{4,}={0,2})"/g)]
      .map(([, data = '']) => Buffer.from(data, 'base64').toString('latin1'))
      .join('\n') + history
  );
}

test('Temporal stores neither arguments nor results, summaries, details or failures that can be read', async () => {
  const [id, broken] = [await runner.start({ routes: ['good'] }), await runner.start({ routes: ['shaky'] })];
  const ended = (await runner.client.workflow.getHandle(id).result()) as { state: string };
  assert.equal(ended.state, 'succeeded');
  assert.equal((await runner.final(broken)).state, 'failed');
  await runner.client.workflow.getHandle(broken).result();
  for (const task of [id, broken]) {
    const stored = await storedOf(task);
    assert.ok(stored.includes('of-today'), 'the id of the key');
    for (const word of [
      '"outcome"',
      'blobKey',
      'submitQueue',
      'submit to',
      'image by',
      'See the worker log',
      'failures.ts',
    ])
      assert.ok(!stored.includes(word), `${word} can be read`);
  }
  const described = await runner.client.workflow.getHandle(id).describe();
  assert.equal(await described.staticSummary(), 'image by sim-image');
});

test('a task that was started before it was switched on is finished', async () => {
  const { connection } = runner.client;
  const plain = new TaskStarter(new Client({ connection, namespace: 'default' }), runner.queues, { eager: false });
  const id = await runner.admit({ routes: ['working'] });
  await plain.start(await runner.facts(id));
  await until('a poll', () => working.asked.poll > 0 || undefined);
  isOpen = true;
  assert.equal((await runner.final(id)).state, 'succeeded');
  await runner.client.workflow.getHandle(id).result();
});

test('a process with other keys names the one that is missing', async () => {
  const id = await runner.start({ routes: ['good'] });
  await runner.client.workflow.getHandle(id).result();
  const { connection } = runner.client;
  const others = dataConverterOf([{ id: 'another', key: Buffer.alloc(32, 6) }]);
  const stranger = new Client({ connection, namespace: 'default', ...others });
  await assert.rejects(
    stranger.workflow.getHandle(id).result(),
    /TEMPORAL_CODEC_KEYS: the key 'of-today' that encrypted this is missing/,
  );
});
