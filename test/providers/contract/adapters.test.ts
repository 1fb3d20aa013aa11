/** The contract of task adapters: what each of them makes of its service's documented answers, and of none. */
import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { taskModelKinds } from '../../../src/domain/catalogue.ts';
import { judgeProbe } from '../../../src/domain/probes.ts';
import type { ErrorCode } from '../../../src/domain/errors.ts';
import type { Submission, TaskProvider } from '../../../src/providers/contract.ts';
import { providerKinds } from '../../../src/providers/registry.ts';
import type { CreateBehaviour, FixtureModel, ProviderFixture, Reply } from './fixture.ts';
import { fixtures } from './fixtures.ts';
import { ended, jobOf, providerOf } from './jobs.ts';
import { type NextCreate, openStandIn, type StandIn } from './stand-in.ts';

const files = { image: Buffer.from('an image'), video: Buffer.from('a video') };
const signal = new AbortController().signal;

test('every kind of provider with tasks has a fixture, for each kind of model that it serves', () => {
  const calling = providerKinds.filter(({ kind, tasks }) => tasks !== undefined && kind !== 'simulator');
  assert.deepEqual(fixtures.map(({ definition }) => definition.kind).sort(), calling.map(({ kind }) => kind).sort());
  for (const { definition, models } of fixtures) {
    const tasks = definition.serves.filter((kind) => taskModelKinds.some((task) => task === kind));
    assert.deepEqual([...new Set(models.map(({ kind }) => kind))].sort(), [...tasks].sort(), definition.kind);
  }
});

for (const fixture of fixtures) {
  describe(fixture.definition.kind, () => {
    for (const model of fixture.models) {
      test(`does a job of kind ${titleOf(model)}, asked as documented`, () =>
        using(fixture, async ({ provider, standIn }) => {
          standIn.images = model.upscales ? 1 : 2;
          const { job, facts } = jobOf(model);
          const submission = await provider.submit(job, signal);
          const result = await ended(provider, submission, job, signal);
          assert.ok(result.state === 'succeeded', JSON.stringify(result));
          const expected = model.kind === 'image' ? files.image : files.video;
          assert.equal(result.parts.length, model.kind === 'image' ? standIn.images : 1);
          for (const part of result.parts) assert.deepEqual(await buffer(await part.open(signal)), expected);
          assert.deepEqual(
            standIn.paid.map(({ json }) => json),
            [model.body(facts)],
          );
          for (const request of [...standIn.paid, ...standIn.asked]) fixture.assertSigned(request);
        }));
    }

    const refusals: [CreateBehaviour, ErrorCode, boolean][] = [
      ['refuses input', 'invalid_parameter', false],
      ['refuses policy', 'content_policy_violation', false],
      ['is busy', 'upstream_rate_limited', true],
      ['has an account failure', 'upstream_error', true],
    ];
    for (const [behaviour, code, fallOver] of refusals) {
      test(`a service that ${behaviour} is reported as ${code}`, () =>
        using(fixture, async (bench) => assertRefused(await created(bench, behaviour), fixture, { code, fallOver })));
    }

    test('the pause that a busy service asks for is kept, up to an hour', () =>
      using(fixture, async (bench) => {
        for (const [asked, believed] of [
          ['7', 7],
          ['99999999999', 3_600],
        ] as const) {
          bench.standIn.retryAfter = asked;
          const submission = await created(bench, 'is busy');
          assert.ok(submission.outcome === 'refused', submission.outcome);
          assert.equal(submission.error.retryAfterSeconds, believed);
        }
      }));

    for (const { name, reply, code, fallOver } of fixture.errors ?? []) {
      test(`${name} is reported as ${code}`, () =>
        using(fixture, async (bench) => assertRefused(await created(bench, { reply }), fixture, { code, fallOver })));
    }

    for (const next of ['breaks', 'loses', 'talks nonsense', 'stalls'] as const) {
      test(`a service that ${next} leaves the outcome unknown, and is asked once`, () =>
        using(
          fixture,
          async (bench) => {
            const submission = await created(bench, next);
            // What talks nonsense in the place of a result is found out when it is read.
            if (next === 'talks nonsense' && submission.outcome === 'finished') {
              const { job } = jobOf(first(fixture));
              assert.equal((await ended(bench.provider, submission, job, signal)).state, 'failed');
            } else assert.equal(submission.outcome, 'unknown', JSON.stringify(submission));
            assert.equal(bench.standIn.paid.length, 1);
          },
          { timeoutMs: 300, imageTimeoutMs: 300 },
        ));
    }

    test('answers that something in between has compressed are read: a paid result is not lost over it', () =>
      using(fixture, async ({ provider, standIn }) => {
        const { job } = jobOf(first(fixture));
        for (const coding of ['gzip', 'deflate', 'br'] as const) {
          standIn.coding = coding;
          const result = await ended(provider, await provider.submit(job, signal), job, signal);
          assert.equal(result.state, 'succeeded', `${coding}: ${JSON.stringify(result)}`);
        }
      }));

    test('a redirect is not followed', () =>
      using(fixture, async (bench) => {
        const submission = await created(bench, 'redirects');
        assert.ok(submission.outcome === 'refused', submission.outcome);
        assert.deepEqual([bench.standIn.paid.length, bench.standIn.asked.length], [1, 0]);
      }));

    test('a service that is not there refuses, and the next route may be tried', async () => {
      const gone = await openStandIn(fixture, files);
      await gone.close();
      const provider = providerOf(fixture, gone.baseUrl);
      const submission = await provider.submit(jobOf(first(fixture)).job, signal);
      assertRefused(submission, fixture, { code: 'upstream_error', fallOver: true });
      await provider.close?.();
    });

    test('the id of the call is kept for the operator', () =>
      using(fixture, async (bench) => {
        assert.equal((await created(bench, 'takes')).requestId, 'upstream-request-1');
        assert.equal((await created(bench, 'refuses input')).requestId, 'upstream-request-1');
      }));

    test('a probe costs nothing and shows whether the service answers and accepts the key', () =>
      using(fixture, async ({ provider, standIn }) => {
        const answer = await provider.probe?.(signal);
        assert.ok(answer);
        assert.equal(judgeProbe(answer), 'good', `status ${answer.status}`);
        assert.deepEqual([standIn.paid.length, standIn.asked.length], [0, 1]);
        standIn.replyNext(1, { status: 401, json: { detail: 'No such key', code: 50401, message: 'No such key' } });
        assert.equal(judgeProbe((await provider.probe?.(signal)) ?? { status: 0 }), 'bad');
        standIn.replyNext(1, { status: 503 });
        await assert.rejects(async () => provider.probe?.(signal));
      }));

    const polling = fixture.models.find(({ polls = true }) => polls);
    if (polling !== undefined) describeJobs(fixture, polling);
  });
}

function describeJobs(fixture: ProviderFixture, model: FixtureModel): void {
  const { job } = jobOf(model);

  for (const [behaviour, code] of [
    ['fails', 'upstream_error'],
    ['fails by policy', 'content_policy_violation'],
  ] as const) {
    test(`a job that ${behaviour} is reported as ${code}`, () =>
      using(fixture, async ({ provider, standIn }) => {
        standIn.jobsEnd(behaviour);
        const result = await ended(provider, await provider.submit(job, signal), job, signal);
        assert.ok(result.state === 'failed', result.state);
        assert.equal(result.error.code, code);
        assert.doesNotMatch(result.error.message, /127\.0\.0\.1|https?:/);
      }));
  }

  test('a poll that fails at the service is repeated', () =>
    using(fixture, async ({ provider, standIn }) => {
      const jobId = await accepted(provider, model);
      standIn.replyNext(1, { status: 429, headers: { 'retry-after': '3' } });
      const busy = { state: 'processing', hasFailed: true, retryAfterMs: 3_000 };
      assert.deepEqual(await provider.poll(jobId, job, signal), busy);
      for (const status of [500, 401]) {
        standIn.replyNext(1, { status });
        assert.deepEqual(await provider.poll(jobId, job, signal), { state: 'processing', hasFailed: true });
      }
      standIn.replyNext(1, { text: '<html>' });
      assert.equal((await provider.poll(jobId, job, signal)).state, 'processing');
    }));

  test('a job that the service does not know is missing', () =>
    using(fixture, async ({ provider, standIn }) => {
      const jobId = await accepted(provider, model);
      standIn.jobs.clear();
      assert.deepEqual(await provider.poll(jobId, job, signal), { state: 'missing' });
    }));

  test('what the service itself refuses at a poll is the end of its job', () =>
    using(fixture, async ({ provider, standIn }) => {
      const jobId = await accepted(provider, model);
      const [[create], [taken]] = [standIn.paid, [...standIn.jobs.values()]];
      assert.ok(create && taken);
      standIn.replyNext(1, fixture.created(create, taken, 'refuses input'));
      assert.equal((await provider.poll(jobId, job, signal)).state, 'failed');
    }));

  test('an error that is not in the format of the service leaves the job processing', () =>
    using(fixture, async ({ provider, standIn }) => {
      const jobId = await accepted(provider, model);
      const others: Reply[] = [
        { text: '<title>default backend - 404</title>' },
        { json: {} },
        { json: { error: 'x' } },
      ];
      for (const status of [404, 410, 400, 405, 421, 422, 451, 302, 307]) {
        for (const reply of others) {
          // Of a service whose result is behind a second call, too.
          for (let before = 0; before < 3; before++) {
            standIn.replyNext(1, { status, ...reply });
            const { state } = await provider.poll(jobId, job, signal);
            assert.equal(state, 'processing', JSON.stringify({ status, ...reply }));
          }
        }
      }
      const result = await ended(provider, { outcome: 'accepted', jobId }, job, signal);
      assert.equal(result.state, 'succeeded');
    }));

  const { abilities } = providerOf(fixture, `http://127.0.0.1:1${fixture.basePath}`);
  if (abilities.cancel) {
    test('a job is cancelled, and cancelling one that is not there is no error', () =>
      using(fixture, async ({ provider, standIn }) => {
        const jobId = await accepted(provider, model);
        assert.equal(await provider.cancel?.(jobId, job, signal), true);
        assert.deepEqual(
          [...standIn.jobs.values()].map(({ isCancelled }) => isCancelled),
          [true],
        );
        standIn.jobs.clear();
        assert.equal(await provider.cancel?.(jobId, job, signal), true);
      }));

    for (const status of [401, 429, 503]) {
      test(`a cancelling that is answered ${status} is worth another try`, () =>
        using(fixture, async ({ provider, standIn }) => {
          const jobId = await accepted(provider, model);
          standIn.replyNext(1, { status, json: {} });
          await assert.rejects(async () => provider.cancel?.(jobId, job, signal));
          assert.equal(await provider.cancel?.(jobId, job, signal), true);
        }));
    }
  }
  if (abilities.lookup) {
    test('a job whose create was lost is found, and only that', () =>
      using(fixture, async ({ provider, standIn }) => {
        await accepted(provider, model, 'tg-task_2');
        standIn.creates('loses');
        assert.equal((await provider.submit(job, signal)).outcome, 'unknown');
        const jobId = await provider.find?.(job, signal);
        assert.ok(jobId !== undefined);
        assert.equal((await ended(provider, { outcome: 'accepted', jobId }, job, signal)).state, 'succeeded');
        assert.equal(await provider.find?.(jobOf(model, 'tg-task_3').job, signal), undefined);
      }));

    test('a job whose create was lost is found although the gateway has another address by now', () =>
      using(fixture, async ({ provider, standIn }) => {
        standIn.creates('loses');
        assert.equal((await provider.submit(job, signal)).outcome, 'unknown');
        const moved = { ...job, hookUrl: 'http://moved.example/hooks/1', isHook: (url: string) => url === job.hookUrl };
        assert.ok((await provider.find?.(moved, signal)) !== undefined);
      }));
  }
  if (abilities.webhook) {
    test('the webhook call at the end of a job has its id', () =>
      using(fixture, async ({ provider, standIn }) => {
        const jobId = await accepted(provider, model);
        const [taken] = [...standIn.jobs.values()];
        const hook = taken && fixture.hookOf?.(taken);
        assert.ok(hook !== undefined);
        assert.equal(hook.url, job.hookUrl);
        assert.equal(provider.jobIdOf?.(hook.body), jobId);
        for (const nonsense of [undefined, null, 'x', [], {}, { id: 7 }])
          assert.equal(provider.jobIdOf(nonsense), undefined);
      }));
  }
  if (abilities.idempotent) {
    test('a create is the same, word by word, when it is sent again', () =>
      using(fixture, async ({ provider, standIn }) => {
        standIn.creates('loses', 'takes');
        await provider.submit(job, signal);
        await provider.submit(job, signal);
        const [one, two] = standIn.paid;
        assert.deepEqual([two?.text, keyOf(two)], [one?.text, keyOf(one)]);
        assert.equal(standIn.jobs.size, 1);
      }));
  }
}

interface Bench {
  fixture: ProviderFixture;
  provider: TaskProvider;
  standIn: StandIn;
}

async function using(
  fixture: ProviderFixture,
  use: (bench: Bench) => Promise<void>,
  settings: Parameters<typeof providerOf>[2] = {},
): Promise<void> {
  const standIn = await openStandIn(fixture, files);
  const provider = providerOf(fixture, standIn.baseUrl, settings);
  try {
    await use({ fixture, provider, standIn });
  } finally {
    await provider.close?.();
    await standIn.close();
  }
}

async function created({ fixture, provider, standIn }: Bench, next: NextCreate): Promise<Submission> {
  standIn.creates(next);
  const submission = await provider.submit(jobOf(first(fixture)).job, signal);
  return submission;
}

async function accepted(provider: TaskProvider, model: FixtureModel, reference?: string): Promise<string> {
  const submission = await provider.submit(jobOf(model, reference).job, signal);
  assert.ok(submission.outcome === 'accepted', JSON.stringify(submission));
  return submission.jobId;
}

function assertRefused(
  submission: Submission,
  { secrets }: ProviderFixture,
  expected: { code: ErrorCode; fallOver: boolean },
): void {
  assert.ok(submission.outcome === 'refused', JSON.stringify(submission));
  const { error, fallOver } = submission;
  assert.deepEqual({ code: error.code, fallOver }, expected);
  assert.ok(error.message.length > 10);
  assert.doesNotMatch(error.message, /127\.0\.0\.1|https?:/);
  for (const secret of Object.values(secrets)) assert.ok(!error.message.includes(secret));
}

function titleOf({ kind, upscales, isFromText, form, masks, isOfVideos }: FixtureModel): string {
  const more = [
    ...[upscales && 'upscaling', isFromText && 'from text', form, masks && 'with a mask'],
    isOfVideos && 'with a size, a seed and a last frame',
  ];
  return [kind, ...more.filter((part) => typeof part === 'string')].join(', ');
}

function first({ models }: ProviderFixture): FixtureModel {
  const [model] = models;
  assert.ok(model !== undefined);
  return model;
}

const keyOf = (request: { headers: Readonly<Record<string, string | string[] | undefined>> } | undefined) =>
  request?.headers['idempotency-key'];
