/** Lines of batches that are tasks: made with their lines, ended by their own workflows, and collected. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { batchOf, openTestLines, type TestBatch, type TestLines } from '../support/batches.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { assertLedgerAddsUp } from '../support/money.ts';

let gateway: TestGateway;
let lines: TestLines;
before(async () => {
  gateway = await startTestGateway({
    configuration: `
providers: { sim: { kind: simulator } }
batches: { running_tasks: 2 }
models:
  - id: paint
    kind: image
    routes: [{ provider: sim, model: sim-image }]
    price: { per_image: 0.2 }
  - id: clip
    kind: video
    routes: [{ provider: sim, model: sim-video-fast }]
    price: { per_second: 0.1 }
`,
  });
  lines = await openTestLines(gateway);
});
after(async () => {
  const { database, secrets } = gateway.core;
  await assertLedgerAddsUp(database, secrets.first.ledger);
  await lines.close();
  await gateway.stop();
});

const size = { size: '1024x1024', n: 1 };
async function finish(batch: TestBatch): Promise<void> {
  while ((await lines.slice(batch)).left > 0);
}

describe('a line of a batch that is a task', () => {
  test('ends with the record of its task, its cost and its links, or with the status of its error', async () => {
    const one = await gateway.newKey({ balance: '10' });
    const batch = await batchOf(gateway, one, 'images/generations', [
      { model: 'paint', prompt: 'A gate', ...size },
      { model: 'paint', prompt: '[sim:fail=no paint]', ...size },
      { model: 'paint', prompt: '[sim:policy]', ...size },
      { model: 'paint', ...size },
    ]);
    await finish(batch);
    const [good, failed, refused, wrong] = await batch.lines();
    assert.deepEqual([good?.state, good?.status, good?.cost, good?.sends], ['completed', 200, 0.2, 1]);
    assert.equal(good?.answer['id'], good?.taskId);
    const link: unknown = good?.answer['data'][0].url;
    assert.equal((await fetch(String(link))).status, 200, 'its link leads to the image');
    assert.deepEqual([failed?.state, failed?.status, failed?.cost], ['failed', 502, 0]);
    assert.equal(failed?.answer['error'].code, 'upstream_error');
    assert.deepEqual([refused?.state, refused?.status], ['failed', 400]);
    assert.deepEqual([wrong?.state, wrong?.status, wrong?.taskId], ['failed', 400, null]);
    const { completed, cost } = await batch.row();
    assert.deepEqual({ completed, cost }, { completed: 1, cost: 0.2 });
    const { rows } = await gateway.core.database.pool.query('select key from idempotency_keys where account_id = $1', [
      one.account,
    ]);
    assert.ok(rows.some(({ key }) => key === `batch:${batch.id}:1`));
  });

  test('may be a video in the form of OpenAI, and no more run at once than the settings allow', async () => {
    const one = await gateway.newKey({ balance: '10' });
    const body = { model: 'clip', prompt: 'A gate opens', seconds: '5' };
    const batch = await batchOf(gateway, one, 'videos', [body, body, body]);
    const brief = await openTestLines(gateway, { sliceMs: 500 });
    let most = 0;
    for (let left = 3; left > 0;) {
      ({ left } = await brief.slice(batch));
      most = Math.max(most, (await batch.lines()).filter(({ state }) => state === 'sent').length);
    }
    await brief.close();
    assert.ok(most <= 2, `${most} tasks ran at once`);
    for (const { state, answer } of await batch.lines()) {
      assert.equal(state, 'completed');
      assert.equal(answer['object'], 'video');
      assert.equal(answer['status'], 'completed');
    }
  });
});
