/** The paid call and what follows it, on the real Temporal server, with providers that misbehave in every way. */
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { after, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { MockActivityEnvironment } from '@temporalio/testing';
import pino from 'pino';
import type { Collected } from '../../src/activities/activity-types.ts';
import { settle } from '../../src/activities/end.ts';
import { collectActivities, submitActivities } from '../../src/activities/index.ts';
import { GatewayError } from '../../src/domain/errors.ts';
import type { Poll, Submission, TaskProvider } from '../../src/providers/contract.ts';
import { closeIntent, findIntent, openIntent } from '../../src/tasks/provider-calls/intents.ts';
import { newBlobKey } from '../../src/postgres/new-ids.ts';
import { listUnknownOutcomes, unknownCaseOf } from '../../src/tasks/provider-calls/intent-reports.ts';
import { findTask } from '../../src/tasks/rows/task-rows.ts';
import { wav } from '../support/media.ts';
import { type AdmissionOptions, assertLedgerAddsUp, failureOf, stateOf } from '../support/money.ts';
import {
  image,
  part,
  type Script,
  ScriptedProvider,
  silentVideo,
  startTaskRunner,
  type TaskRunner,
} from '../support/task-runner.ts';

// One runner for all: each test brings providers of its own, under names that workers listen for from the start.
const names = Array.from({ length: 60 }, (_, index) => `p${index}`);
const providers = new Map<string, ScriptedProvider>();
let used = 0;
const runner: TaskRunner = await startTaskRunner({
  lostAfterMs: 4_000,
  providers: Object.fromEntries(names.map((name) => [name, standIn(name)])),
});
after(async () => {
  await assertLedgerAddsUp(runner.db.database);
  await runner.stop();
});

type Submit = NonNullable<Script['submit']>;
const finished =
  (answer: Buffer): Submit =>
  () => ({ outcome: 'finished', answer: Readable.from([answer]) });
/** Reads an answer as two images. */
const twice: Script['resultOf'] = (answer) => ({
  state: 'succeeded',
  parts: [{ open: () => answer.read() }, { open: () => answer.read() }],
});
const unknown: Submit = () => ({ outcome: 'unknown', reason: 'the connection broke' });
const refused =
  (fallOver: boolean, message = 'No.'): Submit =>
  () => ({
    outcome: 'refused',
    error: new GatewayError('upstream_error', message),
    fallOver,
  });

describe('an answer that was lost', () => {
  test('ends the task at its deadline; it is sent once and its hold is given back', async () => {
    const { name, provider } = scripted({ submit: unknown });
    const id = await runner.start({ routes: [name], deadlineMs: 1_200 });
    const task = await runner.final(id);
    assert.deepEqual([task.state, task.error?.code], ['failed', 'upstream_timeout']);
    assert.ok(Number(task.finishedAt) - Number(task.createdAt) >= 1_200);
    assert.equal(provider.asked.submit, 1);
    assert.equal((await findIntent(runner.db.database, id, 0))?.outcome, 'unknown');
    assert.equal((await stateOf(runner.db.database, runner.customer)).held, 0n);
  });

  test('is looked up, and the job that is found is collected', async () => {
    let asked = 0;
    const find = () => {
      asked += 1;
      if (asked === 1) throw new Error('the list is not to be had');
      return asked < 3 ? undefined : 'the-job';
    };
    const { name, provider } = scripted({ abilities: { lookup: true }, submit: unknown, find });
    const id = await runner.start({ routes: [name], deadlineMs: 20_000 });
    assert.equal((await runner.final(id)).state, 'succeeded');
    assert.deepEqual([provider.asked.submit, provider.asked.find], [1, 3]);
    assert.equal((await findIntent(runner.db.database, id, 0))?.jobId, 'the-job');
  });

  test('that is never found ends at the deadline', async () => {
    const { name, provider } = scripted({ abilities: { lookup: true }, submit: unknown });
    const task = await runner.final(await runner.start({ routes: [name], deadlineMs: 1_000 }));
    assert.equal(task.error?.code, 'upstream_timeout');
    assert.equal(provider.asked.submit, 1);
    assert.ok(provider.asked.find >= 2);
  });

  test('is collected as soon as a hook has named the job, where the provider has hooks', async () => {
    const { name, provider } = scripted({ abilities: { webhook: true } });
    const id = await runner.admit({ routes: [name], deadlineMs: 20_000 });
    await openIntent(runner.db.database, id, 0, name);
    await closeIntent(runner.db.database, id, 0, { outcome: 'unknown', reason: 'the connection broke' });
    // What it is able to is asked after the intent was read, and before it is watched.
    const { abilities } = provider;
    const asked = new Promise<void>((resolve) => {
      Object.defineProperty(provider, 'abilities', { get: () => (resolve(), abilities) });
    });
    const { collect } = collectActivities(runner.deps);
    const collected = new MockActivityEnvironment().run(collect, { taskId: id, route: 0 });
    await asked;
    await closeIntent(runner.db.database, id, 0, { outcome: 'accepted', jobId: 'of the hook' });
    assert.equal(((await collected) as Collected).outcome, 'stored');
    assert.deepEqual([provider.asked.submit, provider.asked.find, provider.asked.poll], [0, 0, 1]);
  });

  test('is watched for a hook and looked up, where the provider has both', async () => {
    const abilities = { webhook: true, lookup: true };
    const [hooked, found] = [
      scripted({ abilities, submit: unknown }),
      scripted({ abilities, submit: unknown, find: () => 'j' }),
    ];
    const id = await runner.start({ routes: [hooked.name], deadlineMs: 20_000 });
    const other = await runner.start({ routes: [found.name] });
    await until(() => hooked.provider.asked.find > 0);
    await closeIntent(runner.db.database, id, 0, { outcome: 'accepted', jobId: 'of the hook' });
    assert.equal((await runner.final(id)).state, 'succeeded');
    assert.equal((await runner.final(other)).state, 'succeeded');
    assert.equal((await findIntent(runner.db.database, other, 0))?.jobId, 'j');
  });

  test('that no hook ever names ends at the deadline', async () => {
    const { name, provider } = scripted({ abilities: { webhook: true }, submit: unknown });
    const task = await runner.final(await runner.start({ routes: [name], deadlineMs: 1_000 }));
    assert.deepEqual([task.error?.code, provider.asked.submit, provider.asked.find], ['upstream_timeout', 1, 0]);
  });

  test('is completed by the attempt that learns of it later', async () => {
    const { name, provider } = scripted({ submit: unknown });
    const id = await runner.start({ routes: [name], deadlineMs: 60_000 });
    const { database } = runner.db;
    while ((await findIntent(database, id, 0))?.outcome !== 'unknown') await pause(20);
    await closeIntent(database, id, 0, { outcome: 'accepted', jobId: 'found late' });
    assert.equal((await runner.final(id)).state, 'succeeded');
    assert.deepEqual([provider.asked.submit, provider.asked.find], [1, 0]);
  });

  test('never falls over to the next route', async () => {
    const [first, second] = [scripted({ submit: unknown }), scripted({})];
    await runner.final(await runner.start({ routes: [first.name, second.name], deadlineMs: 300 }));
    assert.equal(second.provider.asked.submit, 0);
  });

  test('of an idempotent provider is sent again until there is one', async () => {
    let calls = 0;
    const submit = () => {
      calls += 1;
      return calls < 3
        ? ({ outcome: 'unknown', reason: 'lost' } as const)
        : ({ outcome: 'accepted', jobId: 'j' } as const);
    };
    const { name, provider } = scripted({ abilities: { idempotent: true }, submit });
    assert.equal((await runner.final(await runner.start({ routes: [name] }))).state, 'succeeded');
    assert.equal(provider.asked.submit, 3);
  });

  test('of an idempotent provider that is busy the second time never falls over: the first call may have been taken', async () => {
    let calls = 0;
    const submit = (): Submission => {
      calls += 1;
      if (calls === 1) return { outcome: 'unknown', reason: 'lost' };
      if (calls > 2) return { outcome: 'accepted', jobId: 'j' };
      return { outcome: 'refused', error: new GatewayError('upstream_rate_limited', 'Busy.'), fallOver: true };
    };
    const [first, second] = [scripted({ abilities: { idempotent: true }, submit }), scripted({})];
    assert.equal((await runner.final(await runner.start({ routes: [first.name, second.name] }))).state, 'succeeded');
    assert.deepEqual([first.provider.asked.submit, second.provider.asked.submit], [3, 0]);
  });

  test('of an idempotent provider that never answers ends at the deadline', async () => {
    const { name } = scripted({ abilities: { idempotent: true }, submit: unknown });
    const task = await runner.final(await runner.start({ routes: [name], deadlineMs: 1_000 }));
    assert.equal(task.error?.code, 'upstream_timeout');
  });
});

describe('an answer that would have been the result', () => {
  const reason = 'the provider answered 500';
  const message = 'The provider failed with an error of its own (HTTP 500), and its result is lost.';
  const answersWithResult = true;

  test('and was lost ends the task at once, is sent once and listed, and no other route is tried', async () => {
    const submit: Submit = () => ({ outcome: 'unknown', reason, error: new GatewayError('upstream_error', message) });
    const [first, second] = [scripted({ answersWithResult, submit }), scripted({})];
    const id = await runner.start({ routes: [first.name, second.name] });
    const task = await runner.final(id);
    assert.deepEqual([task.state, task.error], ['failed', { code: 'upstream_error', message, param: null }]);
    assert.ok(Number(task.finishedAt) - Number(task.createdAt) < 30_000);
    assert.deepEqual([first.provider.asked.submit, second.provider.asked.submit], [1, 0]);
    const { rows } = await runner.db.database.pool.query('select state from holds where subject = $1', [id]);
    assert.deepEqual(rows, [{ state: 'released' }]);
    const [listed] = await listUnknownOutcomes(runner.db.database, { task: id, limit: 1 }, new Date());
    assert.deepEqual([listed?.intent.outcome, listed?.intent.reason], ['unknown', reason]);
    assert.ok(listed && unknownCaseOf(listed) === 'lost');
  });

  test('and was lost by an attempt that died after it had written so ends the task, too', async () => {
    const { name, provider } = scripted({ answersWithResult });
    const id = await runner.admit({ routes: [name] });
    await openIntent(runner.db.database, id, 0, name);
    const error = { code: 'upstream_error', message, param: null, fallOver: false } as const;
    await closeIntent(runner.db.database, id, 0, { outcome: 'unknown', reason, error });
    await runner.starter.start(await runner.facts(id));
    assert.deepEqual((await runner.final(id)).error, { code: 'upstream_error', message, param: null });
    assert.equal(provider.asked.submit, 0);
  });

  for (const [name, script] of [
    ['and whose sender died', { answersWithResult }],
    ['and for whose job a provider without look-up is asked', {}],
  ] as const) {
    test(`${name} ends the task at its deadline, however long the call might have taken`, async () => {
      const { name, provider } = scripted(script);
      const id = await runner.admit({ routes: [name], deadlineMs: 1_500, timeoutMs: 300_000 });
      await openIntent(runner.db.database, id, 0, name);
      await runner.starter.start(await runner.facts(id));
      const task = await runner.final(id);
      assert.equal(task.error?.code, 'upstream_timeout');
      assert.ok(Number(task.finishedAt) - Number(task.createdAt) >= 1_500);
      assert.equal(provider.asked.submit, 0);
      assert.equal((await findIntent(runner.db.database, id, 0))?.outcome, 'unknown');
    });
  }

  test('and does not come is no longer waited for when the deadline has passed', async () => {
    const submit: Submit = (signal) =>
      new Promise((resolve) => {
        const error = new GatewayError('upstream_timeout', 'Too late.');
        signal.addEventListener('abort', () => resolve({ outcome: 'unknown', reason: 'aborted', error }));
      });
    const { name } = scripted({ answersWithResult, submit });
    const id = await runner.start({ routes: [name], deadlineMs: 1_500, timeoutMs: 300_000 });
    assert.equal((await runner.final(id)).error?.message, 'Too late.');
  });
});

describe('a job that its provider does not know', () => {
  test('for a moment is not lost', async () => {
    let polls = 0;
    const poll = (): Poll => (++polls < 4 ? { state: 'missing' } : { state: 'succeeded', parts: [part(image)] });
    const { name } = scripted({ poll });
    assert.equal((await runner.final(await runner.start({ routes: [name] }))).state, 'succeeded');
  });

  test('for minutes is lost: it is cancelled all the same, and listed for the operator', async () => {
    const { name, provider } = scripted({ poll: () => ({ state: 'missing' }) });
    const id = await runner.start({ routes: [name] });
    const task = await runner.final(id);
    assert.deepEqual(
      [task.error?.code, task.error?.message],
      ['upstream_error', 'The provider no longer knows the task.'],
    );
    await runner.client.workflow.getHandle(id).result();
    assert.equal(provider.asked.cancel, 1);
    const [listed] = await listUnknownOutcomes(runner.db.database, { task: id, limit: 1 }, new Date());
    assert.equal(listed?.intent.reason, "left to end by itself: its provider didn't know it");
    assert.ok(unknownCaseOf(listed) === 'left');
  });
});

describe('a refusal', () => {
  test('that is the fault of the route falls over to the next one', async () => {
    const [first, second] = [scripted({ submit: refused(true) }), scripted({})];
    const id = await runner.start({ routes: [first.name, second.name] });
    assert.equal((await runner.final(id)).state, 'succeeded');
    assert.deepEqual([first.provider.asked.submit, second.provider.asked.submit], [1, 1]);
    assert.equal((await findIntent(runner.db.database, id, 0))?.outcome, 'refused');
  });

  test('that is the fault of the request does not', async () => {
    const submit: Submit = () => ({
      outcome: 'refused',
      error: new GatewayError('content_policy_violation', 'Not that.', { param: 'prompt' }),
      fallOver: false,
    });
    const [first, second] = [scripted({ submit }), scripted({})];
    const task = await runner.final(await runner.start({ routes: [first.name, second.name] }));
    assert.deepEqual(task.error, { code: 'content_policy_violation', message: 'Not that.', param: 'prompt' });
    assert.equal(second.provider.asked.submit, 0);
  });

  test('of all routes ends with the last one', async () => {
    const [first, second] = [scripted({ submit: refused(true, 'one') }), scripted({ submit: refused(true, 'two') })];
    const task = await runner.final(await runner.start({ routes: [first.name, second.name] }));
    assert.deepEqual([task.state, task.error?.message], ['failed', 'two']);
  });
});

test('a create in flight is not aborted by a cancellation, and the job that it answers is stopped', async () => {
  let answer = (): void => undefined;
  let sentWith: AbortSignal | undefined;
  let heard = (): void => undefined;
  const asked = new Promise<void>((resolve) => (heard = resolve));
  const submit: Submit = (signal) => {
    sentWith = signal;
    heard();
    return new Promise((resolve) => (answer = () => resolve({ outcome: 'accepted', jobId: 'late' })));
  };
  const { name, provider } = scripted({ submit });
  const id = await runner.admit({ routes: [name] });
  const environment = new MockActivityEnvironment();
  const submitted = environment.run(submitActivities(runner.deps).submit, { taskId: id, route: 0 });
  await asked;
  environment.cancel('CANCELLED');
  assert.equal(sentWith?.aborted, false);
  await runner.deps.ledger.releaseTask(failureOf(runner.customer, id, 'cancelled'));
  answer();
  assert.deepEqual(await submitted, { outcome: 'ended' });
  assert.deepEqual([provider.asked.submit, provider.asked.cancel], [1, 1]);
  assert.equal((await findIntent(runner.db.database, id, 0))?.jobId, 'late');
});

describe('a job that was accepted for a task that had ended', () => {
  test('stays with the intent when it can not be cancelled, and the attempt ends all the same', async () => {
    const { id, provider, submitted } = await endedMeanwhile();
    provider.cancel = () => {
      provider.asked.cancel += 1;
      return Promise.reject(new Error('too late'));
    };
    const logged = await submitted();
    assert.deepEqual(logged.outcome, { outcome: 'ended' });
    assert.deepEqual([provider.asked.submit, provider.asked.cancel], [1, 1]);
    const intent = await findIntent(runner.db.database, id, 0);
    assert.deepEqual([intent?.outcome, intent?.jobId], ['accepted', 'late']);
    const [first, second, last, ...more] = logged.lines;
    assert.deepEqual([first?.['level'], first?.['jobId'], first?.['taskId']], [40, 'late', id]);
    assert.deepEqual([second?.['level'], second?.['jobId'], second?.['taskId']], [50, 'late', id]);
    assert.equal((second?.['err'] as { message?: unknown }).message, 'too late');
    assert.deepEqual([last?.['msg'], last?.['outcome'], last?.['taskId']], ['step', 'ended', id]);
    assert.deepEqual(more, []);
  });

  test('is cancelled by the attempt that sent it, although a hook named it before', async () => {
    const { id, provider, submitted } = await endedMeanwhile();
    await closeIntent(runner.db.database, id, 0, { outcome: 'accepted', jobId: 'late' });
    assert.deepEqual((await submitted()).outcome, { outcome: 'ended' });
    assert.equal(provider.asked.cancel, 1);
    const { rows } = await runner.db.database.pool.query('select * from intents where task_id = $1', [id]);
    assert.deepEqual([rows[0]?.job_id, rows[0]?.upstream_request_id], ['late', 'the-call']);
  });

  /** A task that was cancelled while its create is in flight; `submitted` lets that be answered. */
  async function endedMeanwhile() {
    let answer = (): void => undefined;
    let heard = (): void => undefined;
    const asked = new Promise<void>((resolve) => (heard = resolve));
    const submit: Submit = () => {
      heard();
      return new Promise(
        (resolve) => (answer = () => resolve({ outcome: 'accepted', jobId: 'late', requestId: 'the-call' })),
      );
    };
    const { name, provider } = scripted({ submit });
    const id = await runner.admit({ routes: [name] });
    const lines: Record<string, unknown>[] = [];
    const log = pino(
      { level: 'info' },
      { write: (line: string) => lines.push(JSON.parse(line) as Record<string, unknown>) },
    );
    const { submit: activity } = submitActivities({ ...runner.deps, log });
    const running = new MockActivityEnvironment().run(activity, { taskId: id, route: 0 });
    await asked;
    await runner.deps.ledger.releaseTask(failureOf(runner.customer, id, 'cancelled'));
    const submitted = async () => {
      answer();
      return { outcome: await running, lines };
    };
    return { id, provider, submitted };
  }
});

describe('a result', () => {
  const failing = async (script: Script, options: AdmissionOptions = {}) => {
    const { name } = scripted(script);
    const task = await runner.final(await runner.start({ routes: [name], ...options }));
    assert.deepEqual([task.state, task.cost, task.files], ['failed', null, null]);
    const left: string[] = [];
    for await (const { key } of runner.deps.blobs.list(`results/${task.id}`)) left.push(key);
    return { code: task.error?.code, left };
  };
  const answering = (...files: Buffer[]): Script => ({
    poll: () => ({ state: 'succeeded', parts: files.map(part) }),
  });

  test('that is no media fails as an upstream error and is not kept', async () => {
    assert.deepEqual(await failing(answering(Buffer.from('<html>oops'))), { code: 'upstream_error', left: [] });
  });
  test('that is of another kind than was asked for fails as an upstream error and is not kept', async () => {
    const voice = wav({ seconds: 1, samplesPerSecond: 8_000 });
    assert.deepEqual(await failing(answering(image, voice)), { code: 'upstream_error', left: [] });
    const still = await failing(answering(image), { kind: 'avatar_talk' });
    assert.deepEqual(still, { code: 'upstream_error', left: [] });
  });
  test('without a file fails as an upstream error', async () => {
    assert.equal((await failing(answering())).code, 'upstream_error');
  });
  test('that lasts longer than the model may fails as an upstream error', async () => {
    const { code } = await failing(answering(await silentVideo(2)), { kind: 'avatar_talk', maxSeconds: 1 });
    assert.equal(code, 'upstream_error');
  });
  test('of exactly the longest time is charged by the millisecond', async () => {
    const { name } = scripted(answering(await silentVideo(1.5)));
    const task = await runner.final(await runner.start({ routes: [name], kind: 'avatar_talk', maxSeconds: 1.5 }));
    assert.deepEqual([task.state, task.durationMs, task.cost], ['succeeded', 1500, 15n]);
  });
  test("that is longer than it was asked for is charged for that length and 10 %; the rest is the operator's", async () => {
    const { name } = scripted(answering(await silentVideo(3)));
    const wanted = { routes: [name], kind: 'avatar_talk', askedSeconds: 1 } as const;
    const task = await runner.final(await runner.start(wanted));
    assert.deepEqual([task.state, task.durationMs, task.cost], ['succeeded', 3000, 11n]);
    const { rows } = await runner.db.database.pool.query(
      `select d_revenue::text as amount, reason from entries where task_id = $1 and type = 'write_off'`,
      [task.id],
    );
    assert.deepEqual(rows, [{ amount: '19', reason: 'implausible_usage' }]);
    assert.equal((await stateOf(runner.db.database, runner.customer)).in_arrears, false);
  });
  test('prices nothing by terms that were changed since the admission: the task fails and costs nothing', async () => {
    const { pool } = runner.db.database;
    const { name } = scripted({
      submit: async (signal, job) => {
        await pool.query(
          `update tasks set terms = jsonb_set(terms, '{price,perImage}', '"19000000000"') where terms #>> '{routes,0,provider}' = $1`,
          [name],
        );
        return finished(image)(signal, job);
      },
      resultOf: twice,
    });
    const task = await runner.final(await runner.start({ routes: [name] }));
    assert.deepEqual([task.state, task.error?.code, task.cost], ['failed', 'internal_error', null]);
    const { rows } = await pool.query('select type from entries where task_id = $1 order by seq', [task.id]);
    assert.deepEqual(rows, [{ type: 'hold' }, { type: 'release' }]);
  });
  test('is charged by terms that were sealed before the secret was rotated, while the old one is listed', async () => {
    const { deps, db } = runner;
    const newer = Buffer.alloc(32, 9);
    const ended = async (ledgerKeys: readonly Buffer[]) => {
      const taskId = await runner.admit({ routes: ['none'] }); // no worker has it
      const blobKey = newBlobKey(`results/${taskId}`);
      const { bytes, sha256 } = await deps.blobs.write(blobKey, Readable.from([image]), { bytesMax: 1_000 });
      await settle({ ...deps, ledgerKeys }, { taskId, files: [{ blobKey, mediaType: 'image/png', bytes, sha256 }] });
      const task = await findTask(db.database, taskId);
      return [task?.state, task?.cost];
    };
    assert.deepEqual(await ended([newer, ...deps.ledgerKeys]), ['succeeded', 10n]);
    assert.deepEqual(await ended([newer]), ['failed', null]);
  });
  test('that came with the answer to the create is stored and charged', async () => {
    const { name, provider } = scripted({ submit: finished(image), resultOf: twice });
    const task = await runner.final(await runner.start({ routes: [name] }));
    assert.deepEqual([task.state, task.files?.length, task.cost, provider.asked.poll], ['succeeded', 2, 20n, 0]);
  });
  test('that came with the answer to the create and is no media fails', async () => {
    assert.equal((await failing({ submit: finished(Buffer.from('nonsense')) })).code, 'upstream_error');
  });
  test('that can never be read fails at the deadline', async () => {
    const broken = { open: () => Promise.reject(new Error('reset by peer')) };
    const poll: NonNullable<Script['poll']> = () => ({ state: 'succeeded', parts: [broken] });
    assert.equal((await failing({ poll }, { deadlineMs: 1_000 })).code, 'upstream_timeout');
  });
});

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await isSo()); tries++) {
    assert.ok(tries < 1_000, 'waited for 10 s');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

function standIn(name: string): TaskProvider {
  const now = () => {
    const provider = providers.get(name);
    if (!provider) throw new Error(`no script for ${name}`);
    return provider;
  };
  return {
    get abilities() {
      return now().abilities;
    },
    submit: (job, signal) => now().submit(job, signal),
    poll: (id, job, signal) => now().poll(id, job, signal),
    answersWithResult: () => now().answersWithResult(),
    resultOf: (answer) => now().resultOf(answer),
    find: () => now().find(),
    cancel: (id) => now().cancel(id),
  };
}

function scripted(script: Script): { name: string; provider: ScriptedProvider } {
  const name = names[used++];
  if (name === undefined) throw new Error('more names are needed');
  const provider = new ScriptedProvider(script);
  providers.set(name, provider);
  return { name, provider };
}
