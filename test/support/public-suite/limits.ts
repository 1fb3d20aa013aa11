/** The public suite's part about limits: exact to the call, the unit of money and the task, however many APIs are asked at once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Answer } from '../gateway.ts';
import { type Caller, newCaller, type Site } from './site.ts';

const chats = '/v1/chat/completions';
const images = '/v1/images/generations';
const ask = { model: 'sim-chat', messages: [{ role: 'user', content: 'Hello' }] };

export function testLimits(site: () => Site): void {
  for (const [per, calls] of [
    ['hour', 17],
    ['total', 5],
  ] as const) {
    test(`of sixty calls at once over all APIs ${calls} a ${per} go through, and no more`, async () => {
      await untilFarFromTheHour();
      const caller = await newCaller(site(), { call_limits: [{ calls, per }] });
      const answers = await atOnce(site(), caller, 60, (one) => one.post(chats, ask));
      assert.deepEqual(tally(answers), { '200': calls, '429 call_limit_exceeded': 60 - calls });
      for (const { status, headers } of answers)
        if (status === 429) {
          const wait = headers.get('retry-after') ?? headers.get('x-ratelimit-reset');
          assert.equal(Number(wait) > 0, per === 'hour');
          assert.ok(Number(headers.get('retry-after') ?? 0) <= 60);
        }
    });
  }

  test('of forty images at once as many are taken as the spend limit pays for', async () => {
    const caller = await newCaller(site(), { spend_limit: { amount: 1.5, per: 'month' } });
    const body = { model: 'sim-image', prompt: 'A gate' };
    const answers = await atOnce(site(), caller, 40, (one) => one.post(images, body, { Prefer: 'wait=0' }));
    assert.deepEqual(tally(answers), { '202': 7, '429 spend_limit_exceeded': 33 }); // of 0.2 CNY each
    for (const { status, body: record } of answers)
      if (status === 202)
        assert.equal((await caller.finished(`${images}/${String(record['id'])}`))['status'], 'succeeded');
  });

  test('of thirty images at once as many run as may run, and others when these have ended', async () => {
    const caller = await newCaller(site(), { max_running_tasks: 4 });
    const long = { model: 'sim-image', prompt: 'A gate [sim:delay=120s]' };
    const create = (one: Caller) => one.post(images, long, { Prefer: 'wait=0' });
    const answers = await atOnce(site(), caller, 30, create);
    assert.deepEqual(tally(answers), { '202': 4, '429 concurrency_limit_exceeded': 26 });
    const running = answers.filter(({ status }) => status === 202).map(({ body }) => `${images}/${String(body['id'])}`);
    for (const path of running) assert.equal((await caller.send('DELETE', path)).status, 200);
    const again = await create(caller);
    assert.equal(again.status, 202, JSON.stringify(again.body));
    assert.equal((await caller.send('DELETE', `${images}/${String(again.body['id'])}`)).status, 200);
  });
}

/** Sends so many at once, in turns to all APIs. */
function atOnce(
  { apis }: Site,
  caller: Caller,
  count: number,
  send: (one: Caller) => Promise<Answer>,
): Promise<Answer[]> {
  return Promise.all(Array.from({ length: count }, (_, at) => send(caller.at(apis[at % apis.length] ?? ''))));
}

/** How many answers there were of each status. */
function tally(answers: readonly Answer[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status, body } of answers) {
    const what = status < 300 ? String(status) : `${status} ${String(body['error']?.code)}`;
    counts[what] = (counts[what] ?? 0) + 1;
  }
  return counts;
}

/** A window that ends among the calls would let more of them through, and rightly. */
async function untilFarFromTheHour(): Promise<void> {
  const left = 3_600_000 - (Date.now() % 3_600_000);
  if (left < 30_000) await new Promise((resolve) => setTimeout(resolve, left + 1_000));
}
