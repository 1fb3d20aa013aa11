/** Random sequences of what may happen to money, over the ledger's own decisions: whatever comes, nothing is made or lost. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { micros } from '../../src/domain/money.ts';
import { type Accident, memoryActor, MemoryGroups, ProcessDied } from './ledger-memory.ts';
import { assertRowsAddUp, standOf } from './ledger-rows.ts';
import { type Actor, arbitraryStep, seedOfRun, type Step, takeStep, type Reported } from './ledger-steps.ts';
import type { Customer } from './money.ts';

const opening = micros(150n);

/** A test of so many sequences. */
export function testLedgerSequences(sequences: number): void {
  const seed = seedOfRun();
  const from = `(TEST_SEED=${seed})`;
  test(`no sequence makes or loses money, charges twice or miscounts ${from}`, async (context) => {
    const seen = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(fc.array(arbitraryTurn, { minLength: 4, maxLength: 16, size: 'max' }), async (turns) => {
        const groups = new MemoryGroups();
        const customers = customersOf(groups);
        const actor = memoryActor(groups);
        for (const account of groups.rows.accounts.values()) await actor.ledger.credit(account.id, opening, 'opening');
        const charged = new Set<string>();
        for (const { steps, laterMs, accident } of turns) {
          groups.now = new Date(groups.now.getTime() + laterMs);
          groups.accident = accident;
          const before = standOf(groups.rows);
          const reported = await Promise.all(steps.map((step) => taken(actor, customers, step)));
          assertRowsAddUp(groups.rows, groups.now);
          if (accident !== 'died after' && reported.every(({ that }) => that === 'refused')) {
            assert.deepEqual(standOf(groups.rows), before, 'what is refused changes nothing');
          }
          for (const { that, id, code } of reported) {
            const what = code ?? that;
            seen.set(what, (seen.get(what) ?? 0) + 1);
            if (that !== 'call charged' && that !== 'task succeeded') continue;
            assert.ok(!charged.has(id), `${id} is charged once`);
            charged.add(id);
          }
        }
      }),
      { numRuns: sequences, seed, includeErrorInReport: true },
    );
    context.diagnostic(
      `${sequences} sequences ${from}: ${[...seen].map(([what, count]) => `${what} ${count}`).join(', ')}`,
    );
    for (const what of [
      'task succeeded',
      'task failed',
      'call charged',
      'insufficient_balance',
      'call_limit_exceeded',
    ]) {
      assert.ok((seen.get(what) ?? 0) > sequences / 100, `enough of ${what}`);
    }
  });
}

/** Two accounts with two keys each; the second key of each has every limit. */
function customersOf(groups: MemoryGroups): Customer[] {
  return [0, 1].flatMap(() => {
    const account = groups.newAccount();
    const limits = {
      callLimits: [
        { calls: 2, per: 'minute' as const },
        { calls: 4, per: 'day' as const },
      ],
      spendLimit: { amount: micros(90n), per: 'hour' as const },
      maxRunningTasks: 2,
    };
    return [
      { account, key: groups.newKey(account) },
      { account, key: groups.newKey(account, limits) },
    ];
  });
}

/** What is asked at once, after some time, and what befalls its commit. */
interface Turn {
  steps: Step[];
  laterMs: number;
  accident: Accident | undefined;
}

const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000];
const arbitraryTurn: fc.Arbitrary<Turn> = fc.record({
  steps: fc.oneof(
    { arbitrary: fc.tuple(arbitraryStep), weight: 3 },
    { arbitrary: fc.array(arbitraryStep, { minLength: 2, maxLength: 5 }), weight: 1 },
  ),
  laterMs: fc.constantFrom(0, 0, 0, second, 20 * second, minute, hour, day, 31 * day),
  accident: fc.option(fc.constantFrom<Accident>('lost before', 'lost after', 'died before', 'died after'), {
    nil: undefined,
    freq: 2,
  }),
});

/** A process that died returns nothing, and its caller asks again. */
async function taken(actor: Actor, customers: readonly Customer[], step: Step): Promise<Reported> {
  try {
    return await takeStep(actor, customers, step);
  } catch (error) {
    if (error instanceof ProcessDied) return taken(actor, customers, step);
    throw error;
  }
}
