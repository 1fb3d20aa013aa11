/** `npm test`: every test that needs no more than Node and the Temporal server; or the files given. */
import { runScript } from './prepare.mjs';
import { runTests, testFilesBelow } from './run-tests.mjs';

await runScript(async () => {
  const given = process.argv.slice(2);
  const files = given.length > 0 ? given : testFilesBelow('test', 'test/full');
  if (files.length === 0) throw new Error('There are no test files.');
  await runTests(files);
});
