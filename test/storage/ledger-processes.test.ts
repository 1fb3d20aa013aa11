/** A hundred random sequences by eight processes at once, killed and cut off at random: the ledger adds up at every moment. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drillLedger } from '../support/ledger-processes.ts';
import { seedOfRun } from '../support/ledger-steps.ts';

const seed = seedOfRun();

test(`100 sequences by eight processes make and lose no money (TEST_SEED=${seed})`, async (context) => {
  const counts = await drillLedger({ seed, sequences: 100, killEvery: 30, cutEvery: 10, lookEvery: 20 });
  context.diagnostic(`seed ${seed}: ${JSON.stringify(counts)}`);
  assert.equal(counts['sequences'], 100);
});
