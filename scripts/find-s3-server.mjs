/** The S3 server of the tests, versitygw: built from its source once, which takes some two minutes, and kept in the cache. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { say } from './prepare.mjs';

/** Builds with Go 1.25 and later. Its conditional writes hold among concurrent writers, which not all servers' do. */
const version = 'v1.8.0';
const program = 'github.com/versity/versitygw/cmd/versitygw';

/** The path of the program, which is built first where it is missing. Raises an error in plain words if it can't be. */
export function findS3Server() {
  const cache = process.env.XDG_CACHE_HOME || path.join(os.homedir(), '.cache');
  const folder = path.join(cache, 'tollgate', `versitygw-${version}`);
  const found = path.join(folder, 'versitygw');
  if (fs.existsSync(found)) return found;
  say('Building an S3 server for the tests (once, some two minutes) ...');
  fs.mkdirSync(path.dirname(folder), { recursive: true });
  const aside = fs.mkdtempSync(`${folder}.`);
  try {
    const { status, error } = spawnSync('go', ['install', '-ldflags=-s -w', `${program}@${version}`], {
      env: { ...process.env, GOBIN: aside },
      stdio: ['ignore', 'ignore', 2],
    });
    if (status !== 0)
      throw new Error(`versitygw could not be built${error ? `: ${error.message}` : ', see above'}. It needs Go 1.25.`);
    fs.mkdirSync(folder, { recursive: true });
    fs.renameSync(path.join(aside, 'versitygw'), found); // whole from the first moment on, whichever other process builds it
  } finally {
    fs.rmSync(aside, { recursive: true, force: true });
  }
  return found;
}
