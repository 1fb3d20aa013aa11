/** The drill at length: kills, a full disk, providers that are late, answer twice or never, and clocks that are set back. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drill } from '../drills/drill.ts';
import { victims } from '../drills/strikes.ts';

const seed = Number(process.env['TEST_SEED'] ?? Math.floor(Math.random() * 1e9));

test(`every promise is kept under fifteen blows of all kinds (TEST_SEED=${seed})`, async () => {
  const said: string[] = [];
  const { verdict, strikes } = await drill({
    ...{ rounds: 15, seed, victims, apis: 2, workers: 2, callers: 6, misbehaviour: 0.3 },
    ...{ clocksDiffer: true, waitsForSweep: true },
    say: (line) => said.push(line),
  });
  assert.deepEqual(verdict.broken, [], said.join('\n'));
  assert.equal(strikes.length, 15);
  assert.ok(verdict.accepted > 0 && verdict.accepted === verdict.final, said.join('\n'));
});
