/** `npm run test:nodes`: what every kind of request goes through, on each supported line of Node.js but this process's; or the files given. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { majorOf, nodeOf, nodeVersions } from './node-lines.mjs';
import { runScript, say } from './prepare.mjs';
import { testFilesBelow } from './run-tests.mjs';

/** What goes through HTTP, streams, cryptography, wasm and Temporal's native module; scans and audits use no more of Node than these. */
const quick = [
  ...['chat', 'responses', 'image', 'avatar-talk', 'task-webhooks'].map((name) => `test/end-to-end/${name}.test.ts`),
  ...['test/workflows/replay.test.ts', 'test/storage/ledger.test.ts', 'test/storage/file-blobs.test.ts', 'test/net'],
  ...['test/api/files.test.ts', 'test/api/hostile-bodies.test.ts', 'test/media/probe'],
  ...[
    'test/temporal/codec',
    'test/temporal/encrypted',
    'test/temporal/serving-connection',
    'test/logging',
    'test/domain',
  ],
];

await runScript(async () => {
  const given = process.argv.slice(2);
  const all = testFilesBelow('test', { except: 'test/full' });
  const files = given.length > 0 ? given : quick.flatMap((name) => all.filter((file) => file.startsWith(name)));
  const others = nodeVersions.filter((version) => majorOf(version) !== majorOf(process.versions.node));
  say(`Testing on Node.js ${others.join(' and ')} ...`);
  const passed = await Promise.all(others.map((version) => passesOn(version, files)));
  const failed = others.filter((_, at) => !passed[at]);
  if (failed.length > 0) throw new Error(`Tests failed on Node.js ${failed.join(' and ')}.`);
});

/** Prints what the tests printed when they end, so that the lines of two don't mix. */
async function passesOn(version, files) {
  const env = { ...process.env, TEMPORAL_DEBUG: 'false' }; // a thread of its own is Node's, too
  const child = spawn(nodeOf(version), ['scripts/test.mjs', ...files], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => output.push(part));
  const [status] = await once(child, 'close');
  say(`On Node.js ${version}:`);
  process.stdout.write(Buffer.concat(output));
  return status === 0;
}
