/** A hold whose commit was never answered: its call is refused, and what was held all the same comes back. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDatabase } from '../../src/postgres/database.ts';
import { CallLedger } from '../../src/ledger/call-ledger.ts';
import { GroupCommitter } from '../../src/ledger/commit/group-commit.ts';
import { Owner } from '../../src/ledger/sweep.ts';
import { admittedCall } from '../support/calls.ts';
import { freshDatabase } from '../support/database.ts';
import { openLine } from '../support/line.ts';
import { assertLedgerAddsUp, ledgerKey, newCustomer, newLedger, stateOf } from '../support/money.ts';
import { until } from '../support/process.ts';

test('a hold that was made while its call was refused is given back while its process lives', async () => {
  const made = await freshDatabase();
  const line = await openLine(made.url);
  const database = openDatabase(line.url, { onIdleError: () => undefined });
  const calls = new CallLedger(new GroupCommitter(database, ledgerKey, 60_000));
  const times = { renewalMs: 200, leaseSeconds: 60, admitsMsMax: 30_000, streamsMsMax: 50_000, sweepEveryMs: 100 };
  const owner = new Owner({ database, calls, times, onError: () => undefined, onSwept: () => undefined });
  try {
    await owner.open();
    const who = await newCustomer(made.database, newLedger(made.database), 1000n);
    await calls.release(await admittedCall(calls, who, 10n, owner.id), 'upstream_error'); // from here on the rows are known
    line.mute();
    await assert.rejects(admittedCall(calls, who, 10n, owner.id), { code: 'not_ready' });
    assert.equal((await stateOf(made.database, who)).held, 10n, 'the statement was carried out');
    await line.restore();
    await until('the hold', async () => ((await stateOf(made.database, who)).held === 0n ? true : undefined));
    assert.equal((await stateOf(made.database, who)).available, 1000n);
    await assertLedgerAddsUp(made.database);
    await owner.close();
  } finally {
    await database.close();
    await line.close();
    await made.drop();
  }
});
