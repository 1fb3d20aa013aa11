/** `npm test`: every test that needs no more than Node and the Temporal server; or the files given. */
import { runScript } from './prepare.mjs';
import { runTests, testFilesBelow } from './run-tests.mjs';

/** Where the files are that take longest. */
const longest = [
  'test/end-to-end',
  'test/activities',
  'test/house-rules',
  'test/media',
  'test/temporal',
  'test/workflows',
  'test/storage',
  'test/api/console/webhooks',
  'test/batches',
];

/**
 * Workflows run in the thread of their test process: one of their own takes half a second of CPU to load what this one has,
 * for each gateway with a worker. `npm run test:full` and `npm run test:nodes` run them as a gateway does.
 */
const env = { TEMPORAL_DEBUG: process.env.TEMPORAL_DEBUG ?? 'true' };

/**
 * Files wait for their servers half of their time and longer, and these take a quarter: eight keep two cores busy, where six left
 * them idle for a tenth of a run.
 */
const atOnce = 8;

/** Four times what the slowest takes on two busy cores. */
const budgetMs = 150_000;

await runScript(async () => {
  const given = process.argv.slice(2);
  const files = given.length > 0 ? given : testFilesBelow('test', { except: 'test/full', first: longest });
  if (files.length === 0) throw new Error('There are no test files.');
  await runTests(files, {
    atOnce: Number(process.env.TOLLGATE_TEST_AT_ONCE || atOnce),
    budgetMsOf: () => budgetMs,
    env,
  });
});
