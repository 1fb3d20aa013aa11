/** The last bill of each provider, in the console of an operator. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Report } from '../../../src/reconciliation/report.ts';
import { keepReconciliation } from '../../../src/reconciliation/results.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { type ConsoleClient, signedIn } from '../../support/people.ts';

let gateway: TestGateway;
let operator: ConsoleClient;
before(async () => {
  gateway = await startTestGateway({ worker: false });
  operator = await signedIn(gateway, { memberships: [], isOperator: true });
});
after(() => gateway.stop());

const side = {
  ...{ rows: 1, calls: 1, input_tokens: null, cached_input_tokens: null, cache_write_tokens: null },
  ...{ output_tokens: 5, cost: '0.0000012345' },
};
const report: Report = {
  ...{ form: 'CSV', currency: 'USD', by: 'id', measure: 'cost' },
  ...{ billed: side, booked: { ...side, rows: 0, calls: 0, cost: null } },
  ...{ differing: '0.0000012345', billed_not_booked: 1, booked_not_billed: 0, differs: 0 },
  differences: [
    {
      ...{ kind: 'billed_not_booked', subject: 'msg_<b>1</b>', at: '2026-11-05T00:00:00.000Z', model: 'm' },
      ...{ fields: [], place: 'row 1', billed: side, booked: null },
    },
  ],
};
const period = { from: new Date('2026-11-01T00:00:00Z'), to: new Date('2026-12-01T00:00:00Z') };

test('an operator sees the last result of each provider', async () => {
  assert.deepEqual((await operator.get('/operator/reconciliations')).body['data'], []);
  const { database } = gateway.by;
  await keepReconciliation(database, { provider: 'acme', period, share: 1, tolerance: 0.01, report });
  await keepReconciliation(database, { provider: 'best', period, share: 0, tolerance: 0, report });

  const { status, body } = await operator.get('/operator/reconciliations');
  assert.equal(status, 200);
  const [acme, best] = body['data'] as Record<string, unknown>[];
  assert.ok(acme && best);
  const { made, ...facts } = acme;
  assert.ok(Math.abs(Number(made) - Date.now() / 1000) < 60);
  assert.deepEqual(facts, {
    ...{ object: 'reconciliation', provider: 'acme', from: 1_793_491_200, to: 1_796_083_200 },
    ...{ share: 1, tolerance: 0.01, agrees: false, report },
  });
  assert.deepEqual([best['provider'], best['agrees']], ['best', true]);
});
