/**
 * A process of the test pool: runs one test file after the other as its parent names them. Each file is a suite of its own:
 * its hooks run around its tests alone, and its failure leaves the next alone.
 */
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import { register as transformModules } from 'tsx/esm/api';
import { register as transformRequired } from 'tsx/cjs/api';
import { testTracking } from './test-tracking.mjs';

// Loaded after the module that looks for its hook.
const { describe } = await import('node:test');

// What was transformed in earlier runs is found in the system's own folder; what tests write goes into the run's.
transformRequired();
transformModules();
const { TOLLGATE_TEST_TMPDIR: temporary } = process.env;
if (temporary !== undefined) process.env.TMPDIR = temporary;

process.on('message', (file) => {
  testTracking.on();
  void describe(file, async () => {
    await import(pathToFileURL(path.resolve(file)).href);
    testTracking.off();
  });
});
process.on('disconnect', () => process.exit());
// node:test keeps an error that no test can be named for until the process ends, which here is too late.
for (const event of ['uncaughtException', 'unhandledRejection'])
  process.on(event, (error) => process.send({ type: 'strayed', reason: inspect(error) }));
// A deprecation is printed once a process, before whichever file comes first.
process.on('warning', (warning) => {
  if (warning.name === 'DeprecationWarning') process.send({ type: 'strayed', reason: inspect(warning) });
});
