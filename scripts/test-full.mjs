/** `npm run test:full`: the tests that need more (browser, other clients, an S3 server) or take long; or the files given. */
import { runScript } from './prepare.mjs';
import { runTests, testFilesBelow } from './run-tests.mjs';

await runScript(async () => {
  const given = process.argv.slice(2);
  const files = given.length > 0 ? given : testFilesBelow('test/full');
  if (files.length > 0) return runTests(files);
  process.stdout.write('There are no tests in test/full yet.\n0 passed, 0 failed\n');
});
