import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newJobId, submittedAt } from '../../src/simulator/job-id.ts';
import { imageJob, videoJob, talkJob } from '../support/jobs.ts';
import { finish, signal, withSimulator } from './simulator-support.ts';

test('a job is accepted with an id that carries the time, and is finished at once without latency', () =>
  withSimulator(async ({ simulator, clock }) => {
    const job = imageJob();
    const submission = await simulator.submit(job, signal);
    assert.ok(submission.outcome === 'accepted');
    assert.equal(submittedAt(submission.jobId, job.reference), clock.nowMs);
    assert.equal((await simulator.poll(submission.jobId, job, signal)).state, 'succeeded');
  }));

for (const [prompt, delayMs] of [
  ['a fox', 700],
  ['a fox [sim:delay=2s]', 2_000],
  ['[sim:delay=0.5s] a fox', 500],
  ['a [sim:delay=250ms] fox', 250],
  ['a fox [sim:delay=0s]', 0],
] as const) {
  test(`'${prompt}' takes ${delayMs} ms where the latency is 700 ms`, () =>
    withSimulator(
      async ({ simulator, clock }) => {
        const job = imageJob({ prompt });
        const jobId = newJobId(clock.nowMs, job.reference);
        if (delayMs > 0) {
          assert.deepEqual(await simulator.poll(jobId, job, signal), { state: 'processing', retryAfterMs: delayMs });
          clock.nowMs += delayMs - 1;
          assert.deepEqual(await simulator.poll(jobId, job, signal), { state: 'processing', retryAfterMs: 1 });
          clock.nowMs += 1;
        }
        assert.equal((await simulator.poll(jobId, job, signal)).state, 'succeeded');
      },
      { latency_ms: 700 },
    ));
}

test('a clock that was set back by seconds delays a job by them, and one set back by hours not at all', () =>
  withSimulator(async ({ simulator, clock }) => {
    const job = imageJob({ prompt: 'x [sim:delay=2s]' });
    const soon = newJobId(clock.nowMs + 4_000, job.reference);
    assert.deepEqual(await simulator.poll(soon, job, signal), { state: 'processing', retryAfterMs: 2_000 });
    const later = newJobId(clock.nowMs + 3_600_000, job.reference);
    assert.equal((await simulator.poll(later, job, signal)).state, 'succeeded');
  }));

test('a prompt can ask for a failure with its message, after the delay', () =>
  withSimulator(async ({ simulator, clock }) => {
    const job = imageJob({ prompt: 'a fox [sim:delay=1s] [sim:fail=out of paint]' });
    const jobId = newJobId(clock.nowMs, job.reference);
    assert.equal((await simulator.poll(jobId, job, signal)).state, 'processing');
    clock.nowMs += 1_000;
    const poll = await simulator.poll(jobId, job, signal);
    assert.ok(poll.state === 'failed');
    assert.deepEqual([poll.error.code, poll.error.message], ['upstream_error', 'out of paint']);
  }));

test('a prompt against the policy is refused, for good and with its param', () =>
  withSimulator(async ({ simulator }) => {
    const text = 'a fox [sim:policy]';
    const content = [{ type: 'image_url', url: 'http://x/' } as const, { type: 'text', text } as const];
    for (const [job, param] of [
      [imageJob({ prompt: text }), 'prompt'],
      [videoJob({ content }), 'content[1].text'],
      [talkJob({ templateName: text }), 'template_name'],
    ] as const) {
      const submission = await simulator.submit(job, signal);
      assert.ok(submission.outcome === 'refused');
      assert.equal(submission.fallOver, false);
      assert.deepEqual([submission.error.code, submission.error.param], ['content_policy_violation', param]);
    }
  }));

test('the fail rate fails its share of the references, the same ones every time, others with another seed', async () => {
  const failing = async (seed: number) => {
    const failed: number[] = [];
    await withSimulator(
      async ({ simulator }) => {
        for (let at = 0; at < 200; at++) {
          if ((await finish(simulator, imageJob({}, `tg-img_${at}`))).state === 'failed') failed.push(at);
        }
      },
      { fail_rate: 0.25, seed },
    );
    return failed;
  };
  const first = await failing(7);
  assert.ok(first.length > 25 && first.length < 75, `${first.length} of 200 failed`);
  assert.deepEqual(await failing(7), first);
  assert.notDeepEqual(await failing(8), first);
});

for (const jobId of ['', 'sim_', 'sim_abc', 'job-1', newJobId(1, 'tg-another'), '../etc/passwd']) {
  test(`'${jobId}' is no job of the simulator`, () =>
    withSimulator(async ({ simulator }) => {
      const poll = await simulator.poll(jobId, imageJob(), signal);
      assert.ok(poll.state === 'failed');
      assert.equal(poll.error.code, 'upstream_error');
    }));
}

test('cancelling is answered, whatever the job', () =>
  withSimulator(async ({ simulator, clock }) => {
    await simulator.cancel?.(newJobId(clock.nowMs, 'tg-img_1'), imageJob(), signal);
    assert.deepEqual(simulator.abilities, { idempotent: true, lookup: false, cancel: true, webhook: false });
  }));
