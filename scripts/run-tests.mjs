/** Runs test files against one Temporal server and one PostgreSQL, which live as long as the run. */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { say } from './prepare.mjs';

/** All test files below a folder, without those below `except`. */
export function testFilesBelow(folder, except) {
  if (!fs.existsSync(folder)) return [];
  return fs
    .readdirSync(folder, { recursive: true })
    .map((name) => path.join(folder, name))
    .filter((file) => file.endsWith('.test.ts') && !(except && file.startsWith(except + path.sep)))
    .sort();
}

/**
 * Runs the files, or the arguments given on the command line in their place, and sets the exit code to the tests' own.
 * The last lines on stdout are the test runner's counts. The servers are stopped whatever happens; a kill -9 ends them too.
 * A file that takes longer than `minutesMax` has failed.
 */
export async function runTests(files, { minutesMax = 5 } = {}) {
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => interrupted.abort(signal));
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tollgate-test-'));
  const servers = [];
  try {
    const env = await startServers(folder, servers);
    if (!interrupted.signal.aborted)
      process.exitCode = await runNode(files, { env, minutesMax, signal: interrupted.signal });
  } finally {
    await Promise.allSettled(servers.map((server) => server.stop()));
    fs.rmSync(folder, { recursive: true, force: true });
  }
  if (interrupted.signal.aborted) process.exitCode = 130;
}

async function startServers(folder, servers) {
  const { findTemporal } = await import('../dist/embedded/temporal-binary.js');
  const { startTemporal } = await import('../dist/embedded/temporal-server.js');
  const { startPostgres } = await import('../dist/embedded/postgres-server.js');
  const cliPath = await findTemporal({ cliPath: process.env.TEMPORAL_CLI_PATH, say });
  const started = await Promise.allSettled([
    startTemporal({ cliPath, say }),
    startPostgres({ dataDir: folder, ephemeral: true, say: () => undefined }),
  ]);
  servers.push(...started.filter(({ status }) => status === 'fulfilled').map(({ value }) => value));
  for (const { status, reason } of started) if (status === 'rejected') throw reason;
  const [temporal, postgres] = servers;
  return {
    ...process.env,
    TOLLGATE_TEST_DATABASE_URL: postgres.url,
    TOLLGATE_TEST_TEMPORAL_ADDRESS: temporal.address,
    TOLLGATE_TEST_TEMPORAL_CLI: cliPath,
  };
}

/** Resolves with the exit code once the tests have ended; an interruption is passed on to them first. */
function runNode(files, { env, minutesMax, signal }) {
  const limit = `--test-timeout=${minutesMax * 60_000}`;
  const flags = ['--import', 'tsx', '--test', '--test-concurrency=2', limit, '--test-reporter=spec'];
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...flags, ...files], { env, stdio: 'inherit' });
    const passOn = () => child.kill('SIGTERM');
    signal.addEventListener('abort', passOn);
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}
