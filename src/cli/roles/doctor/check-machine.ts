/** The machine that this runs on: its programs, and the data folder with the secret in it. */
import type { Stats } from 'node:fs';
import { access, constants, readFile, stat, statfs } from 'node:fs/promises';
import { secretCharactersMin } from '../../../config/environment.ts';
import { secretPathOf } from '../../../config/secrets.ts';
import { fail, type Finding, ok, skip, type Verdict, warn } from './finding.ts';
import { codeOf, reasonOf } from './reason.ts';

/** `engines` in package.json. */
export const nodeMin = [20, 19] as const;
const MiB = 1024 * 1024;
const GiB = 1024 * MiB;
/** A video of the largest allowed size, and the database's own needs. */
const freeBytesMin = GiB;
const freeBytesLow = 5 * GiB;
/** Of a disk so large that this share of it is more than enough, the share says nothing. */
const freeShareLow = 0.05;
const freeBytesPlenty = 50 * GiB;
const freeInodesMin = 1_000;
const freeInodesLow = 50_000;

export function examineProgram(version: string, node: string): Verdict<true> {
  const [major = 0, minor = 0] = node.split('.').map(Number);
  const isNew = major > nodeMin[0] || (major === nodeMin[0] && minor >= nodeMin[1]);
  const found = `Tollgate ${version} on Node ${node}`;
  const fix = `install Node ${nodeMin.join('.')} or later`;
  return { findings: [isNew ? ok('program', found) : fail('program', found, fix)], value: true };
}

/** Without a value where the folder is not there, or is none. */
export async function examineDataFolder(dataDir: string): Promise<Verdict<string>> {
  const name = 'data folder';
  const facts = await existing(dataDir);
  if (!facts) return { findings: [skip(name, `${dataDir} does not exist yet; the first process creates it`)] };
  if (!facts.isDirectory())
    return { findings: [fail(name, `${dataDir} is not a folder`, 'move it, or set TOLLGATE_DATA_DIR')] };
  const error = await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK).then(() => undefined, reasonOf);
  const findings = [
    error === undefined
      ? ok(name, dataDir)
      : fail(name, `${dataDir}: ${error}`, `make the user that runs Tollgate its owner (uid ${uid() ?? 'unknown'})`),
  ];
  const disk = await statfs(dataDir);
  findings.push(
    judgeDisk({
      bytesFree: disk.bavail * disk.bsize,
      bytes: disk.blocks * disk.bsize,
      inodesFree: disk.ffree,
      inodes: disk.files,
    }),
  );
  return { findings, value: dataDir };
}

export interface DiskFacts {
  bytesFree: number;
  bytes: number;
  inodesFree: number;
  /** 0 where the file system doesn't count them. */
  inodes: number;
}

/** Whether results and uploads go on fitting. */
export function judgeDisk({ bytesFree, bytes, inodesFree, inodes }: DiskFacts): Finding {
  const share = bytes === 0 ? 0 : bytesFree / bytes;
  const space = `${sizeOf(bytesFree)} of ${sizeOf(bytes)} free (${Math.floor(share * 100)} %)`;
  const found = inodes === 0 ? space : `${space}, ${inodesFree.toLocaleString('en')} inodes free`;
  const fix = 'free some space, lower retention_days, or move the folder to a larger disk (TOLLGATE_DATA_DIR)';
  const countsInodes = inodes > 0;
  if (bytesFree < freeBytesMin || (countsInodes && inodesFree < freeInodesMin)) return fail('disk', found, fix);
  const isLow = bytesFree < freeBytesLow || (share < freeShareLow && bytesFree < freeBytesPlenty);
  return isLow || (countsInodes && inodesFree < freeInodesLow) ? warn('disk', found, fix) : ok('disk', found);
}

/** The secrets of `TOLLGATE_SECRET`, or the one that the data folder keeps; nothing is made here. */
export async function examineSecretFile(
  dataDir: string,
  set: readonly string[] | undefined,
): Promise<Verdict<readonly string[]>> {
  const name = 'secret file';
  if (set) return { findings: [], value: set };
  const path = secretPathOf(dataDir);
  const facts = await existing(path);
  if (!facts) return { findings: [skip(name, 'TOLLGATE_SECRET is not set, and none was generated yet')] };
  const text = (await readFile(path, 'utf8')).trim();
  if (text.length < secretCharactersMin) {
    const fix = 'restore the file from a backup, or set TOLLGATE_SECRET to the secret used so far';
    return { findings: [fail(name, `${path} has fewer than ${secretCharactersMin} characters`, fix)] };
  }
  const owner = uid();
  const findings: Finding[] = [];
  if ((facts.mode & 0o077) !== 0)
    findings.push(warn(name, `${path} is readable by other users (mode ${octal(facts.mode)})`, `chmod 600 ${path}`));
  if (owner !== undefined && owner !== 0 && facts.uid !== owner)
    findings.push(warn(name, `${path} belongs to user ${facts.uid}, not to ${owner}`, `chown ${owner} ${path}`));
  return { findings, value: [text] };
}

const existing = (path: string): Promise<Stats | undefined> =>
  stat(path).catch((error: unknown) => {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '')) return undefined;
    throw error;
  });

const uid = (): number | undefined => process.getuid?.();
const octal = (mode: number): string => (mode & 0o777).toString(8).padStart(3, '0');

const sizeOf = (bytes: number): string =>
  bytes < GiB ? `${Math.floor(bytes / MiB)} MiB` : `${(bytes / GiB).toFixed(1)} GiB`;
