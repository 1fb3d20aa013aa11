/** The programs of docker-compose.yml that tests run by hand, and the specification's own reader: built from their source once, and kept in the cache. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { say } from './prepare.mjs';

/** As in docker-compose.yml. */
const temporal = 'v1.29.1';
const temporalPrograms = {
  'temporal-server': `go.temporal.io/server/cmd/server@${temporal}`,
  'temporal-sql-tool': `go.temporal.io/server/cmd/tools/sql@${temporal}`,
};
/** The Compose Specification's reader, which checks a file against its schema. */
const reader = 'v2.16.2';

/** The folder of Temporal's server and schema tool. Raises an error in plain words if they can't be built. */
export const findTemporalServer = () =>
  built(`temporal-server-${temporal}`, 'the Temporal server (some two minutes)', temporalPrograms);

/** The path of the reader. Raises an error in plain words if it can't be built. */
export const findComposeReader = () =>
  path.join(
    built(`compose-reader-${reader}`, 'the reader of compose files', {
      'compose-reader': `github.com/compose-spec/compose-go/v2/cmd@${reader}`,
    }),
    'compose-reader',
  );

function built(name, what, programs) {
  const cache = process.env.XDG_CACHE_HOME || path.join(os.homedir(), '.cache');
  const folder = path.join(cache, 'tollgate', name);
  if (Object.keys(programs).every((program) => fs.existsSync(path.join(folder, program)))) return folder;
  say(`Building ${what} for the tests, once ...`);
  fs.mkdirSync(folder, { recursive: true });
  const aside = fs.mkdtempSync(`${folder}.`);
  try {
    const { status, error } = spawnSync('go', ['install', '-ldflags=-s -w', ...Object.values(programs)], {
      env: { ...process.env, GOBIN: aside },
      stdio: ['ignore', 'ignore', 2],
    });
    if (status !== 0) throw new Error(`${name} could not be built${error ? `: ${error.message}` : ', see above'}.`);
    for (const [program, source] of Object.entries(programs)) {
      const made = path.join(aside, path.basename(source.slice(0, source.indexOf('@'))));
      fs.renameSync(made, path.join(folder, program)); // whole from the first moment on, whichever other process builds it
    }
  } finally {
    fs.rmSync(aside, { recursive: true, force: true });
  }
  return folder;
}
