/** The money of chat calls: one hold, one settlement, whatever comes twice or too late. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { micros } from '../../src/domain/money.ts';
import { CallLedger } from '../../src/ledger/call-ledger.ts';
import { GroupCommitter } from '../../src/ledger/commit/group-commit.ts';
import { admittedCall, callAdmissionOf, callPrice, entriesOf } from '../support/calls.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';
import { assertLedgerAddsUp, ledgerKey, newCustomer, newLedger, stateOf } from '../support/money.ts';

let made: TestDatabase;
let calls: CallLedger;
before(async () => {
  made = await freshDatabase();
  calls = new CallLedger(new GroupCommitter(made.database, ledgerKey));
});
after(() => made.drop());

const customer = (balance = 1000n) => newCustomer(made.database, newLedger(made.database), balance);

test('a call that is settled twice is charged once; the second time is a write-off of the operator', async () => {
  const who = await customer();
  const hold = await admittedCall(calls, who, 100n);
  assert.equal(await calls.settle(hold, callPrice(40n)), 40n);
  assert.equal(await calls.settle(hold, callPrice(40n)), 0n);
  assert.deepEqual(await entriesOf(made.database, who), ['credit', 'hold', 'capture', 'release', 'write_off']);
  assert.equal((await stateOf(made.database, who)).available, 960n);
});

test('a release after a settlement, or a second release, changes nothing', async () => {
  const who = await customer();
  const settled = await admittedCall(calls, who, 100n);
  await calls.settle(settled, callPrice(40n));
  await calls.release(settled, 'upstream_error');
  const released = await admittedCall(calls, who, 100n);
  await calls.release(released, 'upstream_error');
  await calls.release(released, 'upstream_error');
  const { available, held, in_arrears } = await stateOf(made.database, who);
  assert.deepEqual([available, held, in_arrears], [960n, 0n, false]);
});

test('a settlement whose hold was swept books a write-off only, and stops no caller', async () => {
  const who = await customer();
  const hold = await admittedCall(calls, who, 100n);
  await calls.release(hold, 'owner_lost');
  assert.equal(await calls.settle(hold, callPrice(40n)), 0n);
  assert.deepEqual(await entriesOf(made.database, who), ['credit', 'hold', 'release', 'write_off']);
  const { available, held, in_arrears } = await stateOf(made.database, who);
  assert.deepEqual([available, held, in_arrears], [1000n, 0n, false]);
  await calls.release(await admittedCall(calls, who, 100n), 'upstream_error');
});

test('a call that is settled three times is written off once', async () => {
  const who = await customer();
  const hold = await admittedCall(calls, who, 100n);
  for (const charged of [40n, 0n, 0n]) assert.equal(await calls.settle(hold, callPrice(40n)), charged);
  assert.deepEqual(await entriesOf(made.database, who), ['credit', 'hold', 'capture', 'release', 'write_off']);
});

test('a price beyond the balance puts the account in arrears, and it is refused until it is credited', async () => {
  const who = await customer(100n);
  const hold = await admittedCall(calls, who, 60n);
  assert.equal(await calls.settle(hold, callPrice(150n)), 100n);
  const state = await stateOf(made.database, who);
  assert.deepEqual([state.available, state.held, state.in_arrears], [0n, 0n, true]);
  const refused = await calls.admit(callAdmissionOf(who, 0n));
  assert.ok(refused.admitted === 'no');
  assert.equal(refused.refusal.code, 'insufficient_balance');
  await newLedger(made.database).credit(who.account, micros(100n), 'paid');
  assert.equal((await calls.admit(callAdmissionOf(who, 10n))).admitted, 'yes');
});

test('the spend of a key is what was charged, not what was held', async () => {
  const who = await customer();
  await calls.settle(await admittedCall(calls, who, 100n), callPrice(40n));
  await calls.release(await admittedCall(calls, who, 100n), 'upstream_error');
  const open = await admittedCall(calls, who, 7n);
  const { counters } = await stateOf(made.database, who);
  assert.deepEqual([counters.spent.total, counters.calls.total], [47n, 3n]);
  await calls.release(open, 'upstream_error');
});

test('a thousand calls at once hold no more than there is', async () => {
  const who = await customer(500n);
  const answers = await Promise.all(Array.from({ length: 1000 }, () => calls.admit(callAdmissionOf(who, 1n))));
  const admitted = answers.flatMap((answer) => (answer.admitted === 'yes' ? [answer.hold] : []));
  assert.equal(admitted.length, 500);
  await Promise.all(admitted.map((hold) => calls.settle(hold, callPrice(1n))));
  assert.equal((await stateOf(made.database, who)).available, 0n);
});

test('one Idempotency-Key admits one call of a group; its settlement binds the answer, a release frees the key', async () => {
  const who = await customer();
  const idempotency = { key: randomUUID(), bodyHash: Buffer.alloc(32, 1) };
  const admission = { ...callAdmissionOf(who, 10n), idempotency };
  const ask = async () => {
    const answer = await calls.admit(admission);
    return answer.admitted === 'before' ? answer.answer : answer.admitted === 'yes' ? answer.hold : answer.refusal.code;
  };
  const answers = await Promise.all(Array.from({ length: 20 }, ask));
  const holds = answers.filter((answer) => typeof answer === 'object' && answer !== null);
  assert.equal(holds.length, 1);
  const [hold] = holds;
  assert.ok(hold);
  await calls.release(hold, 'upstream_error');
  const again = await calls.admit(admission);
  assert.ok(again.admitted === 'yes', 'the key is free again');
  await calls.settle(again.hold, { ...callPrice(5n), answer: 'answers/x' });
  assert.equal(await ask(), 'answers/x');
  const other = await calls.admit({ ...admission, idempotency: { ...idempotency, bodyHash: Buffer.alloc(32, 2) } });
  assert.ok(other.admitted === 'no');
  assert.equal(other.refusal.code, 'idempotency_key_reused');
});

test('the ledger adds up', () => assertLedgerAddsUp(made.database));
