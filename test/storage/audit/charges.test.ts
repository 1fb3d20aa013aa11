import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { micros } from '../../../src/domain/money.ts';
import { vendorText } from '../../../src/domain/billing/vendor-text.ts';
import { cappedAt } from '../../../src/domain/billing/token-lines.ts';
import { audit } from '../../../src/audit/audit.ts';
import { chargesCheck } from '../../../src/audit/checks/charge-sums.ts';
import { CallLedger } from '../../../src/ledger/call-ledger.ts';
import { GroupCommitter } from '../../../src/ledger/commit/group-commit.ts';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import { newTaskId } from '../../../src/postgres/new-ids.ts';
import { freshDatabase, type TestDatabase } from '../../support/database.ts';
import { admissionOf, type Customer, ledgerKey, newCustomer, newLedger, successOf } from '../../support/money.ts';
import { holdOfBounds, priceOfCounts } from '../../support/token-prices.ts';
import { whileTampered } from '../../support/tampering.ts';
import { callAdmissionOf } from '../../support/calls.ts';

describe('the audit of charges', () => {
  let home: TestDatabase;
  let ledger: Ledger;
  let customer: Customer;
  before(async () => {
    home = await freshDatabase();
    ledger = newLedger(home.database);
    customer = await newCustomer(home.database, ledger, 10_000_000n);
  });
  after(() => home.drop());

  const says = async () =>
    (await audit({ database: home.database, ledgerKeys: [ledgerKey] }, [chargesCheck])).findings.map(
      ({ says }) => says,
    );

  /** A task held at 100 an image and settled at this price, as a fault in the gateway might. */
  async function settled(price: bigint): Promise<string> {
    const id = newTaskId('image');
    const { admitted } = await ledger.admitTask(admissionOf(customer, 100n, { id }));
    assert.equal(admitted, 'new');
    await ledger.settleTask(successOf(customer, id, price));
    return id;
  }

  test('reports a task that was charged otherwise than its terms and files say', async () => {
    await settled(100n);
    assert.deepEqual(await says(), []);
    await settled(40n);
    assert.deepEqual(await says(), [
      'by its terms and files it costs 100 micro-units; 40 were captured and 0 written off',
    ]);
  });

  test('reports a call whose lines do not make its charge, or whose price is not that of its hold', async () => {
    const known = (await says()).length;
    const calls = new CallLedger(new GroupCommitter(home.database, ledgerKey));
    const price = { unit: 'token', inputPerMillion: micros(1_500_000n), outputPerMillion: micros(8_000_000n) } as const;
    const { lines, total } = holdOfBounds(price, { input: 1001, output: 500 });
    const admitted = await calls.admit({ ...callAdmissionOf(customer, total), lines });
    assert.ok(admitted.admitted === 'yes');
    await calls.settle(admitted.hold, {
      ...priceOfCounts(price, { fresh: 777, output: 33 }),
      ...{ priceVersion: 'v1', usageSource: 'upstream' },
    });
    assert.equal((await says()).length, known);
    const capture = `type = 'capture' and task_id is null`;
    for (const change of [
      `lines = jsonb_set(lines, '{0,amount}', '"1"')`,
      `lines = jsonb_set(lines, '{1,units}', '34')`,
      `lines = jsonb_set(lines, '{1,price_per_million}', '"9000000"')`,
      `lines = lines - 1`,
      `price_version = 'v2'`,
    ]) {
      const statements = [{ text: `update entries set ${change} where ${capture}`, values: [] }];
      await whileTampered(home, { says: change, table: 'entries', statements }, async () => {
        assert.equal((await says()).length, known + 1, change);
      });
    }
  });

  test('takes an estimate that was cut at its hold for right, and one that was cut otherwise for wrong', async () => {
    const known = (await says()).length;
    const calls = new CallLedger(new GroupCommitter(home.database, ledgerKey));
    const price = { unit: 'token', inputPerMillion: micros(2_000_000n), outputPerMillion: micros(8_000_000n) } as const;
    const { lines, total } = holdOfBounds(price, { input: 10, output: 5 });
    const admitted = await calls.admit({ ...callAdmissionOf(customer, total), lines });
    assert.ok(admitted.admitted === 'yes');
    const cut = cappedAt(total, priceOfCounts(price, { fresh: 10, output: 777 }));
    await calls.settle(admitted.hold, { ...cut, priceVersion: 'v1', usageSource: 'estimated' });
    assert.equal((await says()).length, known);
    const own = `type = 'capture' and request_id = '${admitted.hold.requestId}'`;
    for (const change of [
      `usage_source = 'upstream'`,
      `lines = jsonb_set(jsonb_set(lines, '{0,amount}', '"19"'), '{1,amount}', '"41"')`,
    ]) {
      const statements = [{ text: `update entries set ${change} where ${own}`, values: [] }];
      await whileTampered(home, { says: change, table: 'entries', statements }, async () => {
        assert.equal((await says()).length, known + 1, change);
      });
    }
  });

  test('reports a call whose lines do not count what the usage says that is kept with them', async () => {
    const known = (await says()).length;
    const calls = new CallLedger(new GroupCommitter(home.database, ledgerKey));
    const price = {
      ...({ unit: 'token', inputPerMillion: micros(2_000_000n), outputPerMillion: micros(8_000_000n) } as const),
      perToolCall: { web_search: micros(5n) },
    };
    const bounds = { input: 1000, output: 500, toolCalls: { web_search: 3 } };
    const { lines, total } = holdOfBounds(price, bounds);
    const admitted = await calls.admit({ ...callAdmissionOf(customer, total), lines });
    assert.ok(admitted.admitted === 'yes');
    const usage = { input_tokens: 100, output_tokens: 10, input_tokens_details: { cached_tokens: 20 } };
    const toolCalls = { web_search: 2 };
    const origin = { provider: 'vendor', vendor: vendorText({ form: 'responses', usage, toolCalls }) };
    const counts = { fresh: 80, cacheRead: 20, output: 10, toolCalls };
    const settled = { ...priceOfCounts(price, counts), priceVersion: 'v1', usageSource: 'upstream', origin } as const;
    await calls.settle(admitted.hold, settled);
    assert.equal((await says()).length, known);
    const own = `type = 'capture' and request_id = '${admitted.hold.requestId}'`;
    for (const change of [
      `vendor = replace(vendor, '"cached_tokens":20', '"cached_tokens":30')`,
      `vendor = replace(vendor, '"output_tokens":10', '"output_tokens":11')`,
      `vendor = replace(vendor, '"web_search":2', '"web_search":3')`,
      `vendor = replace(vendor, '"responses"', '"chat"')`,
      `vendor = 'nothing'`,
      `lines = lines - 3`,
    ]) {
      const statements = [{ text: `update entries set ${change} where ${own}`, values: [] }];
      await whileTampered(home, { says: change, table: 'entries', statements }, async () => {
        assert.equal((await says()).length, known + 1, change);
      });
    }
  });
});
