/** Thousands of random sequences by eight processes at once, killed and cut off at random: the ledger adds up at every moment. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drillLedger } from '../support/ledger-processes.ts';
import { seedOfRun } from '../support/ledger-steps.ts';

const seed = seedOfRun();
/** Each takes 30 ms of CPU. `TEST_SEQUENCES=10000` is for changes of the ledger itself. */
const sequences = Number(process.env['TEST_SEQUENCES'] || 2_000);

test(`${sequences} sequences by eight processes make and lose no money (TEST_SEED=${seed})`, async (context) => {
  const counts = await drillLedger({ seed, sequences, killEvery: 60, cutEvery: 10, lookEvery: 12 });
  context.diagnostic(`seed ${seed}: ${JSON.stringify(counts)}`);
  assert.equal(counts['sequences'], sequences);
});
