/** The audit in the hands of an operator: its history, a run on demand, and a Temporal that is away. */
import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { keepAudit } from '../../../src/audit/audit-results.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { type ConsoleClient, signedIn } from '../../support/people.ts';
import { until } from '../../support/process.ts';

type Record_ = Record<string, unknown>;

describe('an audit', () => {
  let gateway: TestGateway;
  let operator: ConsoleClient;
  before(async () => {
    gateway = await startTestGateway();
    operator = await signedIn(gateway, { memberships: [], isOperator: true });
  });
  after(() => gateway.stop());

  const audits = async (query = '') => (await operator.get(`/operator/audits${query}`)).body['data'] as Record_[];

  test('runs when it is asked for, and its result is there then', async () => {
    assert.deepEqual(await audits(), []);
    const { state, next } = (await operator.get('/operator/audit-run')).body;
    assert.equal(state, 'idle');
    assert.ok(typeof next === 'number' && next > Date.now() / 1000 - 60);
    const asked = await Promise.all([1, 2].map(() => operator.call('POST', '/operator/audit-run')));
    for (const { status, body } of asked) {
      assert.equal(status, 200, JSON.stringify(body));
      assert.match(String(body['state']), /^(started|running)$/);
    }
    const audit = await until('the result of the audit', async () => (await audits())[0]);
    assert.deepEqual([audit['agrees'], audit['finding_count'], audit['since'], audit['left_out']], [true, 0, null, []]);
    assert.ok(Number((audit['looked'] as Record_)['entries']) >= 1);
    const whole = await operator.get(`/operator/audits/${String(audit['id'])}`);
    assert.deepEqual([whole.status, whole.body['findings']], [200, []]);
    await until('the end of the run', async () =>
      (await operator.get('/operator/audit-run')).body['state'] === 'idle' ? true : undefined,
    );
  });

  test('that found something shows it, and the history is read by pages', async () => {
    const startedAt = new Date(Date.now() + 1_000);
    const findings = [{ check: 'balances', subject: 'acc_x', says: 'has <b>1</b> too much' }];
    const report = { startedAt, finishedAt: startedAt, since: undefined, agrees: false, looked: { entries: 3 } };
    await keepAudit(
      gateway.core.database,
      gateway.by.ledgerKey,
      { ...report, findingCount: 7, findings },
      { leftOut: ['workflows'] },
    );
    const first = (await operator.get('/operator/audits?limit=1')).body;
    const [newest] = first['data'] as Record_[];
    assert.deepEqual([newest?.['agrees'], newest?.['finding_count'], newest?.['left_out']], [false, 7, ['workflows']]);
    const whole = await operator.get(`/operator/audits/${String(newest?.['id'])}`);
    assert.deepEqual(whole.body['findings'], findings);
    await gateway.core.database.pool.query(
      `update audits set agrees = true, report = report || '{"finding_count": 0, "findings": []}' where id = $1::uuid`,
      [newest?.['id']],
    );
    const [forged] = await audits('?limit=1');
    assert.deepEqual([forged?.['id'], forged?.['agrees'], forged?.['finding_count']], [newest?.['id'], false, 1]);
    const { body } = await operator.get(`/operator/audits/${String(newest?.['id'])}`);
    assert.match(String((body['findings'] as Record_[])[0]?.['says']), /does not fit its seal/);
    const older = await audits(`?limit=1&cursor=${String(first['next_cursor'])}`);
    assert.equal(older[0]?.['agrees'], true);
    for (const id of ['nothing', '00000000-0000-0000-0000-000000000000'])
      assert.equal((await operator.get(`/operator/audits/${id}`)).status, 404);
  });
});

test('with Temporal away, or before any worker, a run is refused in words, and the history is still there', async () => {
  const fresh = await startTestGateway({ worker: false });
  try {
    const operator = await signedIn(fresh, { memberships: [], isOperator: true });
    assert.equal((await operator.get('/operator/audit-run')).body['state'], 'missing');
    assert.equal((await operator.call('POST', '/operator/audit-run')).status, 503);
    const nowhere = await closedPort();
    const servers = { databaseUrl: fresh.databaseUrl, temporalAddress: `127.0.0.1:${nowhere}` };
    const cut = await startTestGateway({ worker: false, servers });
    try {
      const there = await signedIn(cut, { memberships: [], isOperator: true });
      assert.equal((await there.get('/operator/audit-run')).body['state'], 'away');
      const refused = await there.call('POST', '/operator/audit-run');
      assert.deepEqual([refused.status, refused.headers.get('Retry-After')], [503, '5']);
      assert.match(JSON.stringify(refused.body), /Temporal, which runs the audit, is unreachable/);
      assert.equal((await there.get('/operator/audits')).status, 200);
    } finally {
      await cut.stop();
    }
  } finally {
    await fresh.stop();
  }
});

/** A port on which no process listens. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  assert.ok(address !== null && typeof address === 'object');
  return address.port;
}
