/** Python programs for tests: a virtual environment of its own for each set of packages, made once on a machine. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The folder of the programs of an environment that has these packages, as `name==version`. */
export async function pythonWith(...packages: string[]): Promise<string> {
  const folder = join(
    tmpdir(),
    `tollgate-python-${createHash('sha256').update(packages.join(' ')).digest('hex').slice(0, 12)}`,
  );
  const programs = join(folder, 'bin');
  // A file says that it is whole, since it can't be moved.
  if (existsSync(join(folder, 'whole'))) return programs;
  await rm(folder, { recursive: true, force: true });
  await run('python3', ['-m', 'venv', folder]);
  await run(join(programs, 'python'), ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...packages]);
  await writeFile(join(folder, 'whole'), '');
  return programs;
}
