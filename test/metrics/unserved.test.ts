/** Tasks for a provider that no worker serves: an API whose configuration is older may accept them. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ProcessMetrics } from '../../src/observability/metrics/metric-registry.ts';
import { newTaskId } from '../../src/postgres/new-ids.ts';
import { showUnserved } from '../../src/runtime/scraped-gauges.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';
import { parseMetrics } from '../support/metrics.ts';
import { admissionOf, newCustomer, newLedger, successOf } from '../support/money.ts';

let home: TestDatabase;
before(async () => {
  home = await freshDatabase();
});
after(() => home.drop());

test('a worker shows the tasks of providers that it does not serve, and nothing waiting for those that it does', async () => {
  const ledger = newLedger(home.database);
  const customer = await newCustomer(home.database, ledger, 1_000_000n);
  const [one, ended] = [newTaskId('image'), newTaskId('image')];
  for (const routes of [['gone', 'there'], ['gone'], ['there']])
    await ledger.admitTask(admissionOf(customer, 100n, { routes }));
  await ledger.admitTask(admissionOf(customer, 100n, { id: ended, routes: ['gone'] }));
  await ledger.settleTask(successOf(customer, ended, 100n));
  await ledger.admitTask(admissionOf(customer, 100n, { id: one, routes: ['gone'] }));
  await home.database.pool.query(`update tasks set terms = '"none"' where id = $1`, [one]);

  const metrics = new ProcessMetrics();
  showUnserved({ metrics, database: home.database, warn: (_, error) => assert.ifError(error) }, () => ['there', 'new']);
  const samples = parseMetrics(await metrics.metrics()).get('tollgate_tasks_unserved')?.samples ?? [];
  assert.deepEqual(Object.fromEntries(samples.map(({ labels, value }) => [labels['provider'], value])), {
    gone: 2,
    there: 0,
    new: 0,
  });
});
