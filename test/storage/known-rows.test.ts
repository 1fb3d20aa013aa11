/** Groups decided over the rows that this process knows: whatever others changed meanwhile counts all the same. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { micros } from '../../src/domain/money.ts';
import { CallLedger } from '../../src/ledger/call-ledger.ts';
import { GroupCommitter } from '../../src/ledger/commit/group-commit.ts';
import { admittedCall, callAdmissionOf, callPrice, entriesOf } from '../support/calls.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';
import { assertLedgerAddsUp, type Customer, ledgerKey, newCustomer, newLedger, stateOf } from '../support/money.ts';

let made: TestDatabase;
before(async () => {
  made = await freshDatabase();
});
after(() => made.drop());

const process = () => new CallLedger(new GroupCommitter(made.database, ledgerKey));
const change = (text: string, id: string) => made.database.pool.query(text, [id]);

/** A process that knows the customer's rows from its own last commit. */
async function knowing(who: Customer): Promise<CallLedger> {
  const calls = process();
  await calls.release(await admittedCall(calls, who, 1n), 'upstream_error');
  return calls;
}

describe('what another connection changed is seen by the next call', () => {
  for (const [what, text, code] of [
    ['a revoked key', 'update api_keys set revoked_at = now() where id = $1', 'invalid_api_key'],
    ['an expired key', `update api_keys set expires_at = now() - interval '1 s' where id = $1`, 'invalid_api_key'],
    ['a lower level', `update api_keys set level = 'read' where id = $1`, 'permission_denied'],
    ['an allow-list', `update api_keys set models = '{other}' where id = $1`, 'model_not_allowed'],
    [
      'a call limit',
      `update api_keys set call_limits = '[{"calls": 1, "per": "total"}]' where id = $1`,
      'call_limit_exceeded',
    ],
    [
      'a suspended account',
      `update accounts set status = 'suspended' where id = (select account_id from api_keys where id = $1)`,
      'account_suspended',
    ],
  ] as const) {
    test(what, async () => {
      const who = await newCustomer(made.database, newLedger(made.database), 100n);
      const calls = await knowing(who);
      await change(text, who.key);
      const answer = await calls.admit(callAdmissionOf(who, 10n));
      assert.ok(answer.admitted === 'no');
      assert.equal(answer.refusal.code, code);
    });
  }

  test('money that another process has spent', async () => {
    const who = await newCustomer(made.database, newLedger(made.database), 100n);
    const [first, second] = [await knowing(who), await knowing(who)];
    await admittedCall(second, who, 95n);
    const answer = await first.admit(callAdmissionOf(who, 10n));
    assert.ok(answer.admitted === 'no');
    assert.equal(answer.refusal.code, 'insufficient_balance');
  });

  test('money that another process has brought', async () => {
    const who = await newCustomer(made.database, newLedger(made.database), 5n);
    const calls = await knowing(who);
    await newLedger(made.database).credit(who.account, micros(10n), 'test');
    assert.equal((await calls.admit(callAdmissionOf(who, 15n))).admitted, 'yes');
  });
});

test('three processes on money for ten calls admit exactly ten of sixty, and settle each once', async () => {
  const who = await newCustomer(made.database, newLedger(made.database), 100n);
  const processes = await Promise.all([knowing(who), knowing(who), knowing(who)]);
  const answers = await Promise.all(
    Array.from({ length: 60 }, async (_, index) => {
      const calls = processes[index % 3] ?? process();
      const answer = await calls.admit(callAdmissionOf(who, 10n));
      return answer.admitted === 'yes' ? { calls, hold: answer.hold } : undefined;
    }),
  );
  const admitted = answers.filter((answer) => answer !== undefined);
  assert.equal(admitted.length, 10);
  await Promise.all(admitted.map(({ calls, hold }) => calls.settle(hold, callPrice(4n))));
  assert.deepEqual([(await stateOf(made.database, who)).available, admitted.length], [60n, 10]);
  await assertLedgerAddsUp(made.database);
});

test('a settlement that waits for others is booked once a caller asks for the account', async () => {
  const who = await newCustomer(made.database, newLedger(made.database), 100n);
  const calls = await knowing(who);
  const hold = await admittedCall(calls, who, 10n);
  let isBooked = false;
  const booked = calls.settle(hold, callPrice(4n)).then(() => (isBooked = true));
  assert.equal(isBooked, false);
  await calls.settled(who.account);
  assert.deepEqual((await entriesOf(made.database, who)).slice(-3), ['hold', 'capture', 'release']);
  await booked;
  await calls.settled(who.account);
});
