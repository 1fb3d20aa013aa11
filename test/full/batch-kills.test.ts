/** A batch under kills of every process that it needs: each line ends once, and is charged just what its answer cost. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drillBatch } from '../drills/batch-drill.ts';

test('3,000 lines under eight kills of worker, API, Temporal and PostgreSQL end once each, charged as their answers are stored', async () => {
  const said: string[] = [];
  const verdict = await drillBatch({
    ...{ lines: 3_000, everySeconds: 4, blowsMax: 8, perSecondMax: 60 },
    say: (line) => said.push(line),
  });
  assert.deepEqual(verdict.broken, [], said.join('\n'));
  assert.ok(verdict.sentTwice > 0, `no kill has hit a line that was sent:\n${said.join('\n')}`);
});
