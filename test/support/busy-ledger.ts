/** A ledger that has seen everything: what the audit has to agree with as it is, and to tell a changed row of. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { vendorText } from '../../src/domain/billing/vendor-text.ts';
import { micros } from '../../src/domain/money.ts';
import { changeAccount } from '../../src/accounts/accounts.ts';
import type { Database } from '../../src/postgres/database.ts';
import { CallLedger } from '../../src/ledger/call-ledger.ts';
import { GroupCommitter } from '../../src/ledger/commit/group-commit.ts';
import { Ledger } from '../../src/ledger/ledger.ts';
import type { KeyId, TaskId } from '../../src/domain/ids.ts';
import { createApiKey, noLimits } from '../../src/accounts/api-keys.ts';
import { newTaskId } from '../../src/postgres/new-ids.ts';
import { admittedCall, callAdmissionOf, callPrice } from './calls.ts';
import { admissionOf, administrator, type Customer, failureOf, ledgerKey, newCustomer, successOf } from './money.ts';

export interface BusyLedger {
  ledger: Ledger;
  calls: CallLedger;
  /** Of every kind of move; is not in arrears. */
  busy: Customer;
  /** Made calls and tasks beyond its money; is in arrears. */
  poor: Customer;
  /** Has never moved anything. */
  idle: Customer;
  /** A key of `busy` that never called. */
  unusedKey: KeyId;
  /** The process whose calls are open. */
  owner: string;
  tasks: { running: TaskId; succeeded: TaskId; failed: TaskId };
}

/** Moves of every kind, through the real ledger. */
export async function makeBusyLedger(database: Database): Promise<BusyLedger> {
  const groups = new GroupCommitter(database, ledgerKey);
  const [ledger, calls] = [new Ledger(groups), new CallLedger(groups)];
  const by = administrator(database);
  const owner = randomUUID();
  await database.pool.query(`insert into owners (id, expires_at) values ($1, now() + interval '1 hour')`, [owner]);

  const busy = await newCustomer(database, ledger, 1_000_000n);
  const poor = await newCustomer(database, ledger, 100n);
  const idle = await newCustomer(database, ledger, 0n);
  const unused = await createApiKey(by, busy.account, { ...noLimits, name: 'unused', level: 'chat' });

  const tasks = { running: newTaskId('image'), succeeded: newTaskId('image'), failed: newTaskId('image') };
  for (const id of Object.values(tasks)) {
    assert.equal((await ledger.admitTask(admissionOf(busy, 500n, { id }))).admitted, 'new');
  }
  await ledger.settleTask(successOf(busy, tasks.succeeded, 300n));
  await ledger.releaseTask(failureOf(busy, tasks.failed));

  // Many at once, so that commits give the account several entries each.
  const vendor = vendorText({ id: oddText, model: 'upstream', tier: 'flex' });
  const origin = { provider: `of ${oddText}`, cost: micros(33n), vendor };
  const price = { ...callPrice(70n), lines: [line('input_token', 20n), line('output_token', 50n)], origin };
  const held = await Promise.all(Array.from({ length: 12 }, () => admittedCall(calls, busy, 100n, owner)));
  await Promise.all([
    ...held.slice(0, 6).map((hold) => calls.settle(hold, price)),
    ...held.slice(6, 8).map((hold) => calls.settle(hold, callPrice(100n))),
    ...held.slice(8, 10).map((hold) => calls.release(hold, 'upstream_error')),
  ]);
  const [swept] = held.slice(10);
  assert.ok(swept);
  await calls.release(swept, 'owner_lost');
  assert.equal(await calls.settle(swept, callPrice(40n)), 0n);
  const odd = { ...callAdmissionOf(busy, 10n, owner), model: oddText, requestId: `req_${oddText}` };
  const oddHold = await calls.admit(odd);
  assert.ok(oddHold.admitted === 'yes');
  await calls.settle(oddHold.hold, callPrice(0n));

  await ledger.adjust(busy.account, micros(-25n), `a correction: ${oddText}`);
  await ledger.adjust(busy.account, micros(5n), 'another');
  await changeAccount(by, busy.account, { lowBalance: micros(10n) });

  // Beyond the money, paid by a correction, and beyond it again.
  for (const amount of [30n, 20n]) {
    const hold = await admittedCall(calls, poor, amount, owner);
    await calls.settle(hold, callPrice(500n));
    if (amount === 30n) {
      await ledger.adjust(poor.account, micros(60n), 'on the house');
    }
  }
  await changeAccount(by, poor.account, { lowBalance: micros(50n) });
  return { ledger, calls, busy, poor, idle, unusedKey: unused.key.id, owner, tasks };
}

/** All that JSON writes otherwise than it is, and what it leaves. */
const oddText = '"\\/\b\f\n\r\t\u0001\u001f\u007f\u0085\u2028 é 門 🚪 </script> %s $1 $&';

const line = (unit: 'input_token' | 'output_token', amount: bigint) => ({
  ...{ unit, units: Number(amount), pricePerMillion: micros(1_000_000n), amount: micros(amount) },
});
