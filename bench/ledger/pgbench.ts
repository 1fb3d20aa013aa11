/** PostgreSQL's own benchmark program: where it is, and a run of a script. */
import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, readdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { onDatabase } from './databases.ts';
import { replaysTable } from './replay-script.ts';

const debianFolder = '/usr/lib/postgresql';
/** A script is some seconds of work. */
const runMsMax = 300_000;

const wayToGetIt =
  'The ledger benchmark compares with pgbench. It comes with a PostgreSQL server, 15 or later: on Debian and Ubuntu `apt-get ' +
  'install postgresql`. PGBENCH_PATH may name the program.';

/** The program that PGBENCH_PATH names, or the one on the PATH, or the newest of Debian's. Refuses with what to install. */
export async function findPgbench(env: NodeJS.ProcessEnv = process.env): Promise<string> {
  const named = env['PGBENCH_PATH'];
  const versions = await readdir(debianFolder).catch(() => []);
  const newestFirst = versions
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(debianFolder, version, 'bin'));
  const folders = [...(env['PATH'] ?? '').split(delimiter).filter(Boolean), ...newestFirst];
  for (const path of named === undefined ? folders.map((folder) => join(folder, 'pgbench')) : [named]) {
    const isThere = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return path;
  }
  throw new Error(
    named === undefined
      ? `There is no pgbench. ${wayToGetIt}`
      : `PGBENCH_PATH names ${named}, which can't be run. ${wayToGetIt}`,
  );
}

const failureSchema = z.object({ stderr: z.string() });
const replayRow = z.object({ seconds: z.coerce.number().positive() });

/**
 * Runs a script of `replayScript` once, by one client with the settings of the product's connections, and answers how
 * long its timed part took. One client, since the groups of a process are committed one after the other.
 */
export async function replay(
  program: string,
  url: string,
  { scriptFile, connectionOptions }: { scriptFile: string; connectionOptions: string },
): Promise<number> {
  await onDatabase(url, (client) => client.query(`${replaysTable}; truncate bench_replays`));
  const args = ['--no-vacuum', '--client=1', '--transactions=1', '--protocol=simple', `--file=${scriptFile}`, url];
  const env = { PATH: process.env['PATH'], PGOPTIONS: connectionOptions };
  await promisify(execFile)(program, args, { env, timeout: runMsMax }).catch((error: unknown) => {
    const { stderr } = failureSchema.parse(error);
    throw new Error(`pgbench failed: ${stderr.slice(0, 2_000)}`);
  });
  const { rows } = await onDatabase(url, (client) =>
    client.query('select (ended - begun)::text as seconds from bench_replays'),
  );
  if (rows.length !== 1) throw new Error('pgbench did not get to the end of its script');
  return replayRow.parse(rows[0]).seconds;
}
