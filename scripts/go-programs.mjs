/**
 * Programs of others that tests and benchmarks run, each built from its source once and kept in the cache: the S3 server,
 * the Temporal server of docker-compose.yml, and the reader of compose files. Run as a script, it builds those that need
 * nothing of `dist`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { say } from './prepare.mjs';

/** Builds with Go 1.25 and later. Its conditional writes hold among concurrent writers, which not all servers' do. */
const s3Server = 'v1.8.0';
/** As in docker-compose.yml. */
const temporal = 'v1.29.1';
/** The Compose Specification's reader, which checks a file against its schema. */
const composeReader = 'v2.16.2';

/** The path of versitygw. This and the others reject with an error in plain words if a program can't be built. */
export const findS3Server = async () =>
  path.join(
    await built(`versitygw-${s3Server}`, 'an S3 server (some two minutes)', {
      versitygw: `github.com/versity/versitygw/cmd/versitygw@${s3Server}`,
    }),
    'versitygw',
  );

/**
 * The folder of Temporal's server and schema tool. Where the CLI is built here, nearly all of them is compiled once `cli` has
 * resolved.
 */
export async function findTemporalServer(cli) {
  const { cliPackage } = await import('../dist/embedded/temporal-binary.js');
  const programs = {
    'temporal-server': `go.temporal.io/server/cmd/server@${temporal}`,
    'temporal-sql-tool': `go.temporal.io/server/cmd/tools/sql@${temporal}`,
  };
  const beside = { packages: [cliPackage], compiled: cli };
  return built(`temporal-server-${temporal}`, 'the Temporal server', programs, beside);
}

/** The path of the reader. */
export const findComposeReader = async () =>
  path.join(
    await built(`compose-reader-${composeReader}`, 'the reader of compose files', {
      'compose-reader': `github.com/compose-spec/compose-go/v2/cmd@${composeReader}`,
    }),
    'compose-reader',
  );

/**
 * With the same versions of libraries as the packages `beside` it have. These compile them, so that this waits for
 * `beside.compiled` once it has fetched what it needs.
 */
async function built(name, what, programs, beside = { packages: [] }) {
  const cache = process.env.XDG_CACHE_HOME || path.join(os.homedir(), '.cache');
  const folder = path.join(cache, 'tollgate', name);
  if (Object.keys(programs).every((program) => fs.existsSync(path.join(folder, program)))) return folder;
  say(`Building ${what} for the tests, once ...`);
  fs.mkdirSync(folder, { recursive: true });
  const aside = fs.mkdtempSync(`${folder}.`);
  try {
    await install(name, aside, Object.values(programs), beside);
    for (const [program, source] of Object.entries(programs)) {
      const made = path.join(aside, path.basename(source.slice(0, source.indexOf('@'))));
      fs.renameSync(made, path.join(folder, program)); // whole from the first moment on, whichever other process builds it
    }
  } finally {
    fs.rmSync(aside, { recursive: true, force: true });
  }
  return folder;
}

/**
 * Without cgo, as the Temporal CLI is built too: with it, all that they share would be compiled a second time. What shares
 * nothing is compiled without inlining, which takes a quarter less time; tests ask little of it.
 */
async function install(name, folder, packages, beside) {
  const flags = ['-ldflags=-s -w', ...(beside.packages.length === 0 ? ['-gcflags=all=-l -dwarf=false -c=1'] : [])];
  const env = { ...process.env, GOBIN: folder, CGO_ENABLED: '0' };
  for (const args of [
    ['mod', 'init', 'tollgate.test/programs'],
    ['get', ...packages, ...beside.packages],
    ['install', ...flags, ...packages.map((each) => each.slice(0, each.indexOf('@')))],
  ]) {
    if (args[0] === 'install') await beside.compiled;
    const child = spawn('go', args, { cwd: folder, env, stdio: ['ignore', 'ignore', 2] });
    const [status] = await once(child, 'close').catch(({ message }) => [message]);
    if (status !== 0)
      throw new Error(`${name} could not be built (go ${args[0]}: ${status}). It needs Go 1.25 or later.`);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await Promise.all([findS3Server(), findComposeReader()]);
