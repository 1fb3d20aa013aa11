/** PostgreSQL refuses to run as root: ways to start it all the same when we are root. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, cp, lchown, lstat, mkdir, readFile, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { codeOf } from './processes.ts';
import type { Invocation } from './server-process.ts';

const run = promisify(execFile);

/** A way to run PostgreSQL's programs, with the folders that they can reach that way. */
export interface Unprivileged {
  /** Where the programs are. */
  binaries: string;
  /** The folder in which PostgreSQL's own folder has to be: the data folder itself, where it can be reached. */
  home: string;
  invocation(command: string, args: readonly string[]): Invocation;
  /** Makes everything below the path the property of the user that the programs run as. */
  own(path: string): Promise<void>;
}

export type UnprivilegedWay = 'as we are' | 'user namespace' | 'other user';

/** Folder of root for programs and data where the data folder or node_modules can't be reached by another user. */
const rootsFolder = '/var/lib/tollgate';
const namespaceFlags = ['--user', '--map-user=1000', '--map-group=1000'];

/**
 * Chooses the way: not root → as we are; Linux with user namespaces → in one where root's files belong to user 1000,
 * files and folders as they are; else as user `postgres`, or `nobody`. Raises an error if none is possible.
 */
export async function unprivileged(binaries: string, dataDir: string, way?: UnprivilegedWay): Promise<Unprivileged> {
  switch (way ?? (await bestWay())) {
    case 'as we are':
      return {
        binaries,
        home: dataDir,
        invocation: (command, args) => ({ command, args }),
        own: () => Promise.resolve(),
      };
    case 'user namespace':
      return {
        binaries,
        home: dataDir,
        invocation: (command, args) => ({ command: 'unshare', args: [...namespaceFlags, command, ...args] }),
        own: (path) => chownAll(path, { uid: 0, gid: 0 }),
      };
    case 'other user':
      return asOtherUser(binaries, dataDir);
  }
}

async function bestWay(): Promise<UnprivilegedWay> {
  if (process.getuid?.() !== 0) return 'as we are';
  try {
    await run('unshare', [...namespaceFlags, 'true'], { timeout: 10_000 });
    return 'user namespace';
  } catch {
    return 'other user'; // no unshare here, or user namespaces are not allowed
  }
}

interface User {
  uid: number;
  gid: number;
}

async function asOtherUser(binaries: string, dataDir: string): Promise<Unprivileged> {
  const user = await otherUser();
  const reachable = async (path: string) => {
    try {
      await run('/bin/sh', ['-c', 'test -x "$1" && test -r "$1"', 'sh', path], { ...user, cwd: '/', timeout: 10_000 });
      return true;
    } catch {
      return false;
    }
  };
  const name = createHash('sha256').update(dataDir).digest('hex').slice(0, 16);
  const home = (await reachable(dataDir)) ? dataDir : join(rootsFolder, name);
  await mkdir(home, { recursive: true, mode: 0o755 });
  const programs = (await reachable(join(binaries, 'bin/postgres'))) ? binaries : await copyBinaries(binaries);
  return {
    binaries: programs,
    home,
    invocation: (command, args) => ({ command, args, ...user, env: { PATH: process.env['PATH'], LC_ALL: 'C' } }),
    own: (path) => chownAll(path, user),
  };
}

async function otherUser(): Promise<User> {
  // passwd(5): name:password:uid:gid:…
  const rows = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  const [, , uid, gid] = rows.find(([name]) => name === 'postgres') ?? rows.find(([name]) => name === 'nobody') ?? [];
  if (uid === undefined || gid === undefined) {
    throw new Error(
      'PostgreSQL refuses to run as root, and neither a user namespace nor a user "postgres" or "nobody" is available. ' +
        'Start Tollgate as another user, or set DATABASE_URL.',
    );
  }
  return { uid: Number(uid), gid: Number(gid) };
}

async function copyBinaries(binaries: string): Promise<string> {
  const { mtimeMs } = await stat(join(binaries, 'bin/postgres'));
  const name = createHash('sha256').update(`${binaries} ${mtimeMs}`).digest('hex').slice(0, 16);
  const target = join(rootsFolder, `postgres-${name}`);
  if (await exists(target)) return target;
  const aside = `${target}.${process.pid}`;
  await mkdir(rootsFolder, { recursive: true, mode: 0o755 });
  await cp(binaries, aside, { recursive: true, verbatimSymlinks: true });
  await chmod(aside, 0o755);
  try {
    await rename(aside, target);
  } catch (error) {
    await rm(aside, { recursive: true });
    if (!['ENOTEMPTY', 'EEXIST'].includes(codeOf(error) ?? '')) throw error; // another process was first
  }
  return target;
}

/** Children first: a path that has the right owner is done, and one that was left half-way is not mistaken for it. */
async function chownAll(path: string, user: User): Promise<void> {
  const found = await lstat(path);
  if (found.uid === user.uid && found.gid === user.gid) return;
  if (found.isDirectory()) await Promise.all((await readdir(path)).map((name) => chownAll(join(path, name), user)));
  await lchown(path, user.uid, user.gid);
}

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}
