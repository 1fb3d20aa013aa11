/** The drill in short: a worker, a gateway, Temporal and PostgreSQL are killed once each under load, and every promise is kept. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drill } from './drill.ts';

const seed = Number(process.env['TEST_SEED'] ?? Math.floor(Math.random() * 1e9));

test(`four kills under load lose no task and charge none twice (TEST_SEED=${seed})`, async () => {
  const said: string[] = [];
  const { verdict, strikes } = await drill({
    ...{ rounds: 4, seed, victims: ['worker', 'api', 'temporal', 'postgres'] },
    ...{ apis: 1, workers: 2, callers: 4, misbehaviour: 0, clocksDiffer: false, waitsForSweep: false },
    say: (line) => said.push(line),
  });
  assert.deepEqual(verdict.broken, [], said.join('\n'));
  assert.equal(strikes.length, 4);
  assert.ok(verdict.accepted > 0 && verdict.accepted === verdict.final, said.join('\n'));
});
