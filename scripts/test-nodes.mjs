/** `npm run test:nodes`: what every kind of request goes through, on each supported line of Node.js but this process's; or the files given. */
import { majorOf, nodeOf, nodeVersions } from './node-lines.mjs';
import { passes } from './passes.mjs';
import { runScript, say } from './prepare.mjs';
import { testFilesBelow } from './run-tests.mjs';

/**
 * What goes through HTTP, streams, cryptography, wasm and Temporal's native module; scans and audits use no more of Node than
 * these, and webhooks of tasks no more than webhooks posted alone.
 */
const quick = [
  ...['chat', 'responses', 'image', 'avatar-talk'].map((name) => `test/end-to-end/${name}.test.ts`),
  ...['test/workflows/replay.test.ts', 'test/storage/ledger.test.ts', 'test/storage/file-blobs.test.ts', 'test/net'],
  ...['test/api/files.test.ts', 'test/api/hostile-bodies.test.ts', 'test/media/probe', 'test/logging'],
  ...['test/temporal/codec', 'test/temporal/encrypted', 'test/temporal/serving-connection'],
  ...['test/domain/requests', 'test/domain/translate', 'test/domain/usage'],
];

await runScript(async () => {
  const given = process.argv.slice(2);
  const all = testFilesBelow('test', { except: 'test/full' });
  const files = given.length > 0 ? given : quick.flatMap((name) => all.filter((file) => file.startsWith(name)));
  const others = nodeVersions.filter((version) => majorOf(version) !== majorOf(process.versions.node));
  say(`Testing on Node.js ${others.join(' and ')} ...`);
  const env = {
    ...process.env,
    TEMPORAL_DEBUG: 'false', // a thread of its own is Node's, too
    TOLLGATE_TEST_AT_ONCE: '4', // of each line, side by side: a process takes a second of CPU to load the gateway
  };
  const passed = await Promise.all(
    others.map((version) => passes(`Node.js ${version}`, nodeOf(version), ['scripts/test.mjs', ...files], env)),
  );
  const failed = others.filter((_, at) => !passed[at]);
  if (failed.length > 0) throw new Error(`Tests failed on Node.js ${failed.join(' and ')}.`);
});
