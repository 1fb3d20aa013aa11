/** `npm run test:nodes`: what every kind of request goes through, on each supported Node.js that this process is not; or the files given. */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { runScript, say } from './prepare.mjs';
import { testFilesBelow } from './run-tests.mjs';

/** The supported lines besides the oldest, which runs all tests. The npm package `node` brings each. */
const versions = ['22.23.3', '24.21.0'];
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
  for (const version of versions.filter((version) => version !== process.versions.node)) {
    const node = nodeOf(version);
    say(`Testing on Node.js ${version} ...`);
    const env = { ...process.env, TEMPORAL_DEBUG: 'false' }; // a thread of its own is Node's, too
    const { status } = spawnSync(node, ['scripts/test.mjs', ...files], { stdio: 'inherit', env });
    if (status !== 0) throw new Error(`Tests failed on Node.js ${version}.`);
  }
});

/** The path of that Node.js, installed below .run at its first use. */
function nodeOf(version) {
  const folder = path.resolve('.run', 'node', version);
  const node = path.join(folder, 'node_modules', 'node', 'bin', 'node');
  if (spawnSync(node, ['--version']).stdout?.toString().trim() === `v${version}`) return node;
  say(`Installing Node.js ${version} ...`);
  const args = [
    'install',
    '--prefix',
    folder,
    '--no-save',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    `node@${version}`,
  ];
  const { status } = spawnSync('npm', args, { stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error(`npm could not install node@${version}.`);
  return node;
}
