/** Chat calls for the tests of the ledger. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { micros } from '../../src/domain/money.ts';
import type { Database } from '../../src/postgres/database.ts';
import type { CallAdmission, CallHold, CallLedger, CallPrice } from '../../src/ledger/call-ledger.ts';
import type { Customer } from './money.ts';

/** A call that holds so many micro-units, for this process or the owner named. */
export const callAdmissionOf = (
  { account, key }: Customer,
  hold: bigint,
  owner: string = randomUUID(),
): CallAdmission => ({
  account,
  key,
  requestId: `req_${randomUUID()}`,
  model: 'sim-chat',
  request: { needs: 'chat', model: 'sim-chat', maintenance: false, hold: micros(hold), currency: 'CNY', isTask: false },
  lines: callPrice(hold).lines,
  priceVersion: 'v1',
  overrunFactor: 1000,
  owner,
});

/** The hold of a call that is let in. */
export async function admittedCall(calls: CallLedger, who: Customer, hold: bigint, owner?: string): Promise<CallHold> {
  const admitted = await calls.admit(callAdmissionOf(who, hold, owner));
  assert.ok(admitted.admitted === 'yes');
  return admitted.hold;
}

/** What such a hold names. */
export const callSale = { unit: 'token', units: '1.000', priceVersion: 'v1' } as const;

export const callPrice = (total: bigint): CallPrice => ({
  total: micros(total),
  lines: [{ unit: 'output_token', units: 1, pricePerMillion: micros(total * 1_000_000n), amount: micros(total) }],
  usageSource: 'upstream',
  priceVersion: 'v1',
});

/** The types of an account's entries, oldest first. */
export async function entriesOf(database: Database, { account }: Customer): Promise<string[]> {
  const { rows } = await database.pool.query<{ type: string }>(
    'select type from entries where account_id = $1 order by seq',
    [account],
  );
  return rows.map(({ type }) => type);
}
