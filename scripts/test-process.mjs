/**
 * A process of the test pool: runs one test file after the other as its parent names them. Each file is a suite of its own:
 * its hooks run around its tests alone, and its failure leaves the next alone.
 */
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import { growBetweenCollections } from '../dist/runtime/heap-growth.js';
import { testTracking } from './test-tracking.mjs';

growBetweenCollections(); // as the gateway does, which runs in it

// Loaded after the module that looks for its hook.
const { describe } = await import('node:test');

process.on('message', ({ file, code }) => {
  testTracking.on();
  void describe(file, async () => {
    await import(pathToFileURL(code).href);
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
