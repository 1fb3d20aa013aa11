/** Runs test files against one Temporal server and one PostgreSQL, which live as long as the run. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { cpuMsOfServer } from './cpu-time.mjs';
import { say } from './prepare.mjs';
import { runPool } from './test-pool.mjs';
import { testReport } from './test-report.mjs';

/** Files of the databases of some test files at once, PostgreSQL's log of 1 GiB, and three copies of the packages. */
const roomBytesMin = 8 * 1024 ** 3;

/** More than these are no chance. */
const rerunFilesMax = 5;

/** All test files below a folder, without those below `except`; those that begin with one of `first` come first, lest a long one end the run alone. */
export function testFilesBelow(folder, { except, first = [] } = {}) {
  const rank = (file) => first.findIndex((start) => file.startsWith(start)) >>> 0;
  return fs
    .readdirSync(folder, { recursive: true })
    .map((name) => path.join(folder, name))
    .filter((file) => file.endsWith('.test.ts') && !(except && file.startsWith(except + path.sep)))
    .sort((one, other) => rank(one) - rank(other) || (one < other ? -1 : 1));
}

/**
 * Runs the files within the limits of `runPool`, and sets the exit code to 1 if a test failed. What `env` has is in their
 * environment. With `TOLLGATE_TEST_RERUN` set, as CI does, a few files that failed run once more, each alone: what passes
 * then is listed as flaky and fails nothing. The last lines on stdout are the counts. The servers are stopped whatever
 * happens; a kill -9 ends them too.
 */
export async function runTests(files, limits) {
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => interrupted.abort(signal));
  const folder = fs.mkdtempSync(path.join(quickFolder(), 'tollgate-test-'));
  fs.chmodSync(folder, 0o711); // some tests run programs as another user
  const temporary = path.join(folder, 'tmp');
  fs.mkdirSync(temporary, { mode: 0o711 });
  const servers = [];
  try {
    const own = { TMPDIR: temporary, TOLLGATE_TEST_TRACES: os.tmpdir(), ...limits.env };
    const env = { ...(await startServers(folder, servers)), ...own };
    const report = testReport();
    const run = (some, name, atOnce) => {
      const codeFolder = path.join(folder, name);
      return runPool(some, { ...limits, atOnce, env, codeFolder, signal: interrupted.signal, onEnd: report.add });
    };
    await run(files, 'code', limits.atOnce);
    const failed = report.failed();
    if (process.env.TOLLGATE_TEST_RERUN && failed.length <= rerunFilesMax) await run(failed, 'code-again', 1);
    if (!report.end(files.length, cpuOf(servers))) process.exitCode = 1;
  } finally {
    await Promise.allSettled(servers.map((server) => server.stop()));
    fs.rmSync(folder, { recursive: true, force: true, maxRetries: 10 }); // a browser may be ending in it
  }
  if (interrupted.signal.aborted) process.exitCode = 130;
}

/**
 * Where the files of a run go, PostgreSQL's too: into memory where the system has a folder for that with room. A database
 * has 1,000 small files; making one took 390 ms of the kernel's time on ext4, and takes 30 in memory. And a disk that is
 * busy with one test's large files keeps another's small one waiting for seconds until it is durable.
 */
function quickFolder() {
  const inMemory = '/dev/shm';
  try {
    const { bavail, bsize } = fs.statfsSync(inMemory);
    return bavail * bsize > roomBytesMin ? inMemory : os.tmpdir();
  } catch {
    return os.tmpdir(); // there is no such folder here
  }
}

/**
 * A run makes thousands of connections, and each took 5 ms to repeat a hash 4,096 times on either side. And it makes two
 * hundred databases, none of which lives long enough to be vacuumed.
 */
async function makeQuick(url) {
  const { default: pg } = await import('pg'); // installed by now
  const client = new pg.Client(url);
  await client.connect();
  await client.query('set scram_iterations = 1');
  await client.query(`alter role current_user password ${pg.escapeLiteral(decodeURIComponent(new URL(url).password))}`);
  await client.query('alter system set autovacuum = off');
  await client.query('select pg_reload_conf()');
  await client.end();
}

function cpuOf([temporal, postgres]) {
  return { Temporal: cpuMsOfServer(temporal.pid), PostgreSQL: cpuMsOfServer(postgres.pid) };
}

async function startServers(folder, servers) {
  process.env.GOGC ??= '400'; // Temporal takes a tenth less CPU where it collects less often
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
  await makeQuick(postgres.url);
  return {
    ...process.env,
    TOLLGATE_TEST_DATABASE_URL: postgres.url,
    TOLLGATE_TEST_TEMPORAL_ADDRESS: temporal.address,
    TOLLGATE_TEST_TEMPORAL_CLI: cliPath,
  };
}
