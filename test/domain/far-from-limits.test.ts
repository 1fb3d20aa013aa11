/** When a refusal is practically impossible: each bound, met and just missed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isFarFromLimits, type KeyState, noCounts } from '../../src/domain/billing/admission.ts';
import { micros } from '../../src/domain/money.ts';

const now = new Date('2026-11-21T08:00:00Z');
const account = { status: 'active' as const, available: micros(1_000n), held: micros(0n), seq: 0n, inArrears: false };
const key: KeyState = {
  level: 'chat',
  revoked: false,
  callLimits: [],
  spendLimit: null,
  maxRunningTasks: null,
  queue: false,
  models: null,
  expiresAt: null,
  counters: { countedAt: now, calls: noCounts, spent: noCounts, since: noCounts, clockBackAt: null, runningTasks: 0 },
};
const counted = (calls: bigint, spent = 0n) => ({
  ...key.counters,
  calls: { ...noCounts, day: calls },
  spent: { ...noCounts, day: spent },
});
const perDay = (calls: number) => [{ calls, per: 'day' as const }];
const spending = (amount: bigint) => ({ amount: micros(amount), per: 'day' as const });

for (const [what, holding, changes, expected] of [
  ['ten times what is held', 100n, {}, true],
  ['less than ten times', 101n, {}, false],
  ['a hundred calls left', 1n, { callLimits: perDay(500), counters: counted(400n) }, true],
  ['99 calls left', 1n, { callLimits: perDay(500), counters: counted(401n) }, false],
  ['a tenth of the calls left', 1n, { callLimits: perDay(5_000), counters: counted(4_500n) }, true],
  ['less than a tenth of the calls', 1n, { callLimits: perDay(5_000), counters: counted(4_501n) }, false],
  ['a tenth of the spending left', 1n, { spendLimit: spending(500n), counters: counted(0n, 450n) }, true],
  ['less than a tenth of the spending', 1n, { spendLimit: spending(500n), counters: counted(0n, 451n) }, false],
  ['spending left for ten of it', 10n, { spendLimit: spending(500n), counters: counted(0n, 400n) }, true],
  ['spending left for fewer', 11n, { spendLimit: spending(500n), counters: counted(0n, 400n) }, false],
] as const) {
  test(`${what}: ${expected ? 'far' : 'near'}`, () => {
    const rows = { account, key: { ...key, ...changes }, holding: micros(holding) };
    assert.equal(isFarFromLimits(rows, now), expected);
  });
}
