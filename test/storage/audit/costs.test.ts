/** The audit of costs: what it says of a cost that its entry's own words don't make. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { audit } from '../../../src/audit/audit.ts';
import { costsCheck } from '../../../src/audit/checks/entry-costs.ts';
import { vendorText } from '../../../src/domain/billing/vendor-text.ts';
import { micros } from '../../../src/domain/money.ts';
import { CallLedger } from '../../../src/ledger/call-ledger.ts';
import { GroupCommitter } from '../../../src/ledger/commit/group-commit.ts';
import { admittedCall, callPrice } from '../../support/calls.ts';
import { freshDatabase } from '../../support/database.ts';
import { ledgerKey, newCustomer, newLedger } from '../../support/money.ts';
import { whileTampered } from '../../support/tampering.ts';

test('reports a cost, a rate and an amount that were changed, and a cost where none may be', async () => {
  const home = await freshDatabase();
  const customer = await newCustomer(home.database, newLedger(home.database), 10_000_000n);
  const calls = new CallLedger(new GroupCommitter(home.database, ledgerKey));
  const cost = { amount: '0.02', currency: 'USD', rate: '7.1', source: 'vendor' } as const;
  const vendor = vendorText({ form: 'chat', usage: { cost: 0.02 }, cost });
  const origin = { provider: 'one', cost: micros(142_000n), vendor };
  await calls.settle(await admittedCall(calls, customer, 100n), { ...callPrice(100n), origin });
  const found = async () => (await audit({ database: home.database, ledgerKeys: [ledgerKey] }, [costsCheck])).findings;
  assert.deepEqual(await found(), []);
  for (const change of [
    `cost = cost + 1 where type = 'capture'`,
    `cost = null where type = 'capture'`,
    `vendor = replace(vendor, '7.1', '7.2') where type = 'capture'`,
    `vendor = replace(vendor, '"cost":0.02', '"cost":0.03') where type = 'capture'`,
    `vendor = 'none' where type = 'capture'`,
    `cost = 1 where type = 'hold'`,
  ]) {
    const statements = [{ text: `update entries set ${change}`, values: [] }];
    await whileTampered(home, { says: change, table: 'entries', statements }, async () => {
      assert.equal((await found()).length, 1, change);
    });
  }
  await home.drop();
});
