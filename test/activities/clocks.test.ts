/** Workers whose clocks differ from the database's: deadlines are kept all the same. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ScriptedProvider, startTaskRunner, type TaskRunner } from '../support/task-runner.ts';

const hourMs = 3_600_000;
const deadlineMs = 1_500;
const now = Date.now.bind(Date);

let runner: TaskRunner;
before(async () => {
  runner = await startTaskRunner({
    providers: {
      silent: new ScriptedProvider({ submit: () => ({ outcome: 'unknown', reason: 'the connection broke' }) }),
      endless: new ScriptedProvider({ poll: () => ({ state: 'processing', retryAfterMs: 50 }) }),
    },
  });
});
after(async () => {
  Date.now = now;
  await runner.stop();
});

for (const [where, shiftMs] of [
  ['an hour behind', -hourMs],
  ['an hour ahead', hourMs],
] as const) {
  for (const name of ['silent', 'endless']) {
    test(`the deadline of a provider that is ${name} is kept by a worker whose clock is ${where}`, async () => {
      Date.now = now; // the client's own deadlines go by it
      const id = await runner.start({ routes: [name], deadlineMs });
      Date.now = () => now() + shiftMs;
      const task = await runner.final(id);
      assert.equal(task.error?.code, 'upstream_timeout');
      const lastedMs = Number(task.finishedAt) - Number(task.createdAt);
      assert.ok(lastedMs >= deadlineMs, `it ended after ${lastedMs} ms`);
    });
  }
}
