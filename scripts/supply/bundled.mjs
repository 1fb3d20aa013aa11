/** The packages whose code is part of the built console: development packages by name, but handed on to every reader. */
import fs from 'node:fs';
import path from 'node:path';

/** As the bundler listed them; none where nothing is built. */
export function bundledPackages(folder) {
  const file = path.join(folder, 'dist', 'console', 'licences.json');
  return fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : [];
}
