/** Cancelling races with completing, and both with themselves. `test/full` has the long form. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cancelRaces } from '../support/cancel-races.ts';

const seed = Number(process.env['TEST_SEED'] ?? Math.floor(Math.random() * 1e9));

test(`tasks that are cancelled round their ends end in one way, and are paid or not accordingly (TEST_SEED=${seed})`, async (t) => {
  const ends = await cancelRaces(20, seed);
  t.diagnostic(JSON.stringify(ends));
  assert.ok((ends['cancelled'] ?? 0) > 0 && (ends['succeeded'] ?? 0) > 0, JSON.stringify(ends));
});
