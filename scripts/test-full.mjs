/**
 * `npm run test:full`: the tests that need more (other programs, other clients) or take long; or the files given. With
 * `--install` it only installs what they need.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { findComposeReader, findS3Server, findTemporalServer } from './go-programs.mjs';
import { runScript, say } from './prepare.mjs';
import { runTests, testFilesBelow } from './run-tests.mjs';

const onlyInstall = '--install';

/**
 * Files with a process each, because they measure it, set its environment, load it, or wait in it for long. They begin in
 * this order: the longest first, and those that wait beside those that work. All others share a few processes, as importing
 * the gateway takes 0.8 s of CPU, and come last, so that no core waits for a long one at the end.
 */
const alone = [
  ...['production/production', 'agents', 'openapi', 'production', 'broken-downloads', 'rolling-restart', 'docs.'],
  ...['docs-samples', 'drills', 'done-after-all', 'ledger-processes', 'batch-kills', 'avatar-talk-timer'],
  ...['api-processes', 'cancel-races', 'servers-away', 'temporal', 'provider-kills', 'gateway-kills', 'upload-memory'],
  ...['dead-attempts', 'batch-memory', 's3/upload-memory', 'container-heap', 'chat-', 'simulator-memory', 'bench'],
  ...['fuzz', 'traces', 'test-pool'],
].map((name) => `test/full/${name}`);

/** Programs that judge what the gateway delivers, with the Debian packages that bring them. A browser without a font for Chinese shows boxes. */
const judges = [
  { check: ['ffprobe', '-version'], package: 'ffmpeg' },
  { check: ['python3', '-c', 'import ensurepip, venv'], package: 'python3-venv' },
  { check: ['java', '-version'], package: 'openjdk-17-jdk-headless' },
  { check: ['haproxy', '-v'], package: 'haproxy' },
  { check: ['pg_isready', '--version'], package: 'postgresql-client' },
  { check: ['chromium-headless-shell', '--version'], package: 'chromium-headless-shell' },
  { check: ['fc-list', '--quiet', ':lang=zh-cn'], package: 'fonts-wqy-microhei' },
];

await runScript(async () => {
  const given = process.argv.slice(2).filter((argument) => argument !== onlyInstall);
  const files = given.length > 0 ? given : testFilesBelow('test/full', { first: alone });
  // What waits for a network or for one core goes beside the others' compilers.
  const temporals = findTemporals(files.some((file) => file.includes('production')));
  temporals.catch(() => undefined); // awaited below
  await installMissing();
  process.env.TOLLGATE_TEST_S3_SERVER = await findS3Server();
  Object.assign(process.env, await temporals);
  if (process.argv.includes(onlyInstall)) return;
  const needsOwnProcess = (file) => alone.some((start) => file.startsWith(start));
  const budgetMsOf = (file) => (needsOwnProcess(file) ? 1_500_000 : 600_000); // behind one that hangs others wait
  // Some wait for a minute, so that four left two cores idle for a fourteenth of a run.
  await runTests(files, { atOnce: 5, needsOwnProcess, budgetMsOf });
});

/** The environment that says where they are. */
async function findTemporals(withProduction) {
  const { findTemporal } = await import('../dist/embedded/temporal-binary.js');
  const cli = findTemporal({ cliPath: process.env.TEMPORAL_CLI_PATH, say });
  if (!withProduction) {
    await cli;
    return {};
  }
  const [server, reader] = await Promise.all([findTemporalServer(cli), findComposeReader(), cli]);
  return { TOLLGATE_TEST_TEMPORAL_SERVER: server, TOLLGATE_TEST_COMPOSE_READER: reader };
}

async function installMissing() {
  const missing = judges.filter(({ check: [program, ...rest] }) => spawnSync(program, rest).status !== 0);
  if (missing.length === 0) return;
  const names = missing.map(({ package: name }) => name);
  say(`Installing ${names.join(', ')} ...`);
  for (const args of [
    ['update', '-qq'],
    ['install', '-y', '-qq', '--no-install-recommends', ...names],
  ]) {
    const child = spawn('apt-get', args, { stdio: ['ignore', 'ignore', 2] });
    const [status] = await once(child, 'close').catch(() => []); // there is no such program
    if (status !== 0) throw new Error(`Install ${names.join(', ')} by hand and try again.`);
  }
}
