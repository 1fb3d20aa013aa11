/** package.json and package-lock.json as the checks of the supply chain read them. */
import fs from 'node:fs';
import path from 'node:path';

/** A package that the lock file holds: where it is installed, what it is, and whether only development needs it. */
export function readLock(folder) {
  const manifest = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'));
  const lock = JSON.parse(fs.readFileSync(path.join(folder, 'package-lock.json'), 'utf8'));
  const { '': root, ...installed } = lock.packages;
  const packages = Object.entries(installed).map(([place, one]) => ({
    ...one,
    place,
    name: one.name ?? place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length),
    isDev: one.dev === true,
  }));
  return { manifest, root, packages, places: new Map(packages.map((one) => [one.place, one])) };
}

/** Which package of the lock file `from` gets when it asks for `name`: the nearest, going up as Node does. */
export function resolved({ places }, from, name) {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const found = places.get(folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`);
    if (found || folder === '') return found;
  }
}
