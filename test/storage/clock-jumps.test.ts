/** Keys whose database's clock jumped: they are served within a minute, their limits hold, and the audit agrees. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, beforeEach, describe, test } from 'node:test';
import { audit } from '../../src/audit/audit.ts';
import { moneyChecks } from '../../src/audit/checks/all-checks.ts';
import type { Database } from '../../src/postgres/database.ts';
import type { KeyLimits } from '../../src/domain/accounts/key-rules.ts';
import { micros } from '../../src/domain/money.ts';
import { type CallHold, CallLedger } from '../../src/ledger/call-ledger.ts';
import { GroupCommitter } from '../../src/ledger/commit/group-commit.ts';
import type { LedgerWatch } from '../../src/ledger/commit/ledger-watch.ts';
import { newTaskId } from '../../src/postgres/new-ids.ts';
import { openedBefore, setClock } from '../support/aged-database.ts';
import { callAdmissionOf, callPrice } from '../support/calls.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';
import { admissionOf, type Customer, ledgerKey, newCustomer, newLedger, stateOf, successOf } from '../support/money.ts';

let home: TestDatabase;
let database: Database;
const owner = randomUUID();
const found: number[] = [];
const watch: LedgerWatch = {
  committed: ({ clockBackMs }) => {
    if (clockBackMs > 0) found.push(clockBackMs);
  },
  took: () => undefined,
  failed: () => undefined,
};
before(async () => {
  home = await freshDatabase();
  database = await openedBefore(home, '0 seconds');
  await home.database.pool.query(`insert into owners (id, expires_at) values ($1, 'infinity')`, [owner]);
});
after(async () => {
  await database.close();
  await home.drop();
});
beforeEach(async () => {
  found.length = 0;
  await clockAhead(0);
});

const rightMs = Date.parse('2026-10-15T12:30:05Z');
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** It stands still meanwhile. A process remembers it for seconds, so another goes on. */
const clockAhead = (ms: number) => setClock(home, new Date(rightMs + ms).toISOString());
const limited = (limits: Partial<KeyLimits>) => newCustomer(database, newLedger(database), 1_000_000n, limits);

async function called(who: Customer): Promise<CallHold | { code: string; retryAfterSeconds: number | undefined }> {
  const calls = new CallLedger(new GroupCommitter(database, ledgerKey, undefined, watch));
  const answer = await calls.admit(callAdmissionOf(who, 100n, owner));
  if (answer.admitted === 'yes') return answer.hold;
  assert.ok(answer.admitted === 'no');
  return answer.refusal;
}
const isHold = (answer: Awaited<ReturnType<typeof called>>): answer is CallHold => 'transferId' in answer;

async function admittedCalls(who: Customer, count: number): Promise<CallHold[]> {
  const holds: CallHold[] = [];
  for (let nth = 0; nth < count; nth++) {
    const answer = await called(who);
    assert.ok(isHold(answer), `call ${nth + 1} is admitted`);
    holds.push(answer);
  }
  return holds;
}

async function assertRefused(who: Customer): Promise<void> {
  const answer = await called(who);
  assert.ok(!isHold(answer));
  assert.equal(answer.code, 'call_limit_exceeded');
  assert.ok(answer.retryAfterSeconds !== undefined && answer.retryAfterSeconds <= 60, `${answer.retryAfterSeconds} s`);
}

async function assertAuditAgrees(): Promise<void> {
  for (const since of [undefined, new Date(0)]) {
    const { findings } = await audit({ database, ledgerKeys: [ledgerKey] }, moneyChecks, { since });
    assert.deepEqual(findings, []);
  }
}

for (const [name, jump] of [
  ['an hour', hourMs],
  ['a day', 24 * hourMs],
] as const) {
  describe(`a clock that is ahead by ${name}, and then right`, () => {
    test('hands what a key did over to the present minute', async () => {
      const who = await limited({ callLimits: [{ calls: 5, per: 'minute' }] });
      await clockAhead(jump);
      await admittedCalls(who, 4);
      await clockAhead(0);
      await admittedCalls(who, 1);
      await assertRefused(who);
      assert.equal(found.length, 1);
      await assertAuditAgrees();
      await clockAhead(minuteMs);
      await admittedCalls(who, 5);
      await assertRefused(who);
      await assertAuditAgrees();
    });

    test('serves a key within a minute whose limit was used up', async () => {
      const who = await limited({ callLimits: [{ calls: 5, per: 'minute' }] });
      await clockAhead(jump);
      await admittedCalls(who, 5);
      await clockAhead(0);
      await assertRefused(who);
      await assertRefused(who);
      assert.equal(found.length, 1, 'it is kept once');
      await assertAuditAgrees();
      await clockAhead(minuteMs);
      await admittedCalls(who, 5);
      await assertRefused(who);
      await assertAuditAgrees();
    });

    test('corrects what calls and tasks of before it were held for, and nothing else', async () => {
      const who = await limited({ spendLimit: { amount: micros(1000n), per: 'hour' } });
      await clockAhead(jump);
      const [first, second] = await admittedCalls(who, 2);
      const task = newTaskId('image');
      assert.equal((await newLedger(database).admitTask(admissionOf(who, 300n, { id: task }))).admitted, 'new');
      await clockAhead(0);
      await admittedCalls(who, 1);
      const calls = new CallLedger(new GroupCommitter(database, ledgerKey));
      assert.ok(first && second);
      await calls.settle(first, callPrice(10n));
      await newLedger(database).settleTask(successOf(who, task, 30n));
      await assertAuditAgrees();
      const { rows } = await database.pool.query<{ spent_hour: bigint }>(
        'select spent_hour from api_keys where id = $1',
        [who.key],
      );
      assert.equal(rows[0]?.spent_hour, 10n + 100n + 30n + 100n);
      // When that time has really come, what is settled then is none of its spending.
      await clockAhead(jump);
      await admittedCalls(who, 1);
      await calls.settle(second, callPrice(1n));
      await assertAuditAgrees();
      assert.equal((await stateOf(database, who)).held, 200n);
    });
  });
}

test('a clock that is behind by an hour, and then right, blocks a key for no longer than a minute', async () => {
  const who = await limited({ callLimits: [{ calls: 3, per: 'minute' }] });
  await admittedCalls(who, 2);
  await clockAhead(-hourMs);
  await admittedCalls(who, 1);
  await assertRefused(who);
  await assertAuditAgrees();
  await clockAhead(-hourMs + minuteMs);
  await admittedCalls(who, 3);
  await assertRefused(who);
  await clockAhead(minuteMs);
  await admittedCalls(who, 3);
  await assertAuditAgrees();
});
