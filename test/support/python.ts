/** Python programs for tests: a virtual environment of its own for each set of packages, made once a checkout. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
/** Installs the others: of the CPU that pip takes, a tenth. */
const installer = 'uv==0.13.9';
/** Beside the other programs that tests bring; a run's temporary folder ends with it. */
const environments = join(import.meta.dirname, '..', '..', '.run', 'python');

/** The folder of the programs of an environment that has these packages, as `name==version`. */
export function pythonWith(...packages: string[]): Promise<string> {
  const wanted = packages.join(' ');
  const environment = inThisProcess.get(wanted) ?? environmentWith(packages);
  inThisProcess.set(wanted, environment); // several tests at once make one
  return environment;
}

const inThisProcess = new Map<string, Promise<string>>();

async function environmentWith(packages: readonly string[]): Promise<string> {
  const name = createHash('sha256').update(packages.join(' ')).digest('hex').slice(0, 12);
  // An environment can't be moved, so its final name is a link, made when it is whole. Several files may make one at once.
  const link = join(environments, name);
  return join((await wholeAt(link)) ?? (await madeAt(link, packages)), 'bin');
}

const wholeAt = (link: string): Promise<string | undefined> => realpath(link).catch(() => undefined);

async function madeAt(link: string, packages: readonly string[]): Promise<string> {
  await mkdir(environments, { recursive: true });
  const folder = await mkdtemp(`${link}-`);
  try {
    await install(folder, packages);
    await symlink(folder, link);
    return folder;
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    const other = await wholeAt(link); // made by another file meanwhile
    if (other !== undefined) return other;
    throw error;
  }
}

async function install(folder: string, packages: readonly string[]): Promise<void> {
  const python = join(folder, 'bin', 'python');
  if (packages.includes(installer)) {
    await run('python3', ['-m', 'venv', folder]);
    await run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...packages]);
    return;
  }
  const uv = join(await pythonWith(installer), 'uv');
  await run('python3', ['-m', 'venv', '--without-pip', folder]);
  await run(uv, ['pip', 'install', '--quiet', '--python', python, ...packages]);
}
