/** The long form of `test/workflows/cancel-races.test.ts`. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cancelRaces } from '../support/cancel-races.ts';

const seed = Number(process.env['TEST_SEED'] ?? Math.floor(Math.random() * 1e9));

test(`five hundred tasks that are cancelled round their ends end in one way (TEST_SEED=${seed})`, async (t) => {
  const ends = await cancelRaces(500, seed);
  t.diagnostic(JSON.stringify(ends));
  for (const state of ['cancelled', 'succeeded', 'failed']) assert.ok((ends[state] ?? 0) > 0, JSON.stringify(ends));
});
