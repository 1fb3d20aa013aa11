/** How many calls or tasks are admitted of any number that come at once, over the ledger's own decisions. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { micros } from '../../src/domain/money.ts';
import { callAdmissionOf } from './calls.ts';
import { memoryActor, MemoryGroups } from './ledger-memory.ts';
import { assertRowsAddUp } from './ledger-rows.ts';
import { seedOfRun } from './ledger-steps.ts';
import { admissionOf } from './money.ts';

/** Tests that try so many sets of bounds, for calls and for tasks each. */
export function testAdmissionCounts(runs: number): void {
  const seed = seedOfRun();
  describe(`exactly as many as may be are admitted of any number at once (TEST_SEED=${seed})`, () => {
    const given = fc.record({
      asked: fc.integer({ min: 1, max: 60 }),
      price: fc.integer({ min: 1, max: 9 }),
      money: fc.nat(200),
      spend: fc.option(fc.integer({ min: 1, max: 200 })),
      calls: fc.option(fc.integer({ min: 1, max: 50 })),
      running: fc.option(fc.integer({ min: 1, max: 20 })),
      /** In groups of so many. */
      together: fc.integer({ min: 1, max: 60 }),
    });

    for (const what of ['calls', 'tasks'] as const) {
      test(what, () =>
        fc.assert(
          fc.asyncProperty(given, async ({ asked, price, money, spend, calls, running, together }) => {
            const groups = new MemoryGroups();
            const actor = memoryActor(groups);
            const account = groups.newAccount();
            const key = groups.newKey(account, {
              callLimits: calls === null ? [] : [{ calls, per: 'day' }],
              spendLimit: spend === null ? null : { amount: micros(BigInt(spend)), per: 'month' },
              maxRunningTasks: running,
            });
            await actor.ledger.credit(account, micros(BigInt(money)), 'for a test');
            let admitted = 0;
            for (let left = asked; left > 0; left -= together) {
              const answers = await Promise.all(
                Array.from({ length: Math.min(left, together) }, async () => {
                  const who = { account, key };
                  if (what === 'tasks') return (await actor.ledger.admitTask(admissionOf(who, BigInt(price)))).admitted;
                  return (await actor.calls.admit(callAdmissionOf(who, BigInt(price)))).admitted;
                }),
              );
              admitted += answers.filter((answer) => answer !== 'no').length;
            }
            const mayBe = [asked, Math.floor(money / price), calls, spend === null ? null : Math.floor(spend / price)];
            if (what === 'tasks') mayBe.push(running);
            assert.equal(admitted, Math.min(...mayBe.filter((count) => count !== null)));
            assert.equal(groups.rows.holds.size, admitted);
            assertRowsAddUp(groups.rows, groups.now);
          }),
          { numRuns: runs, seed, includeErrorInReport: true },
        ),
      );
    }
  });
}
