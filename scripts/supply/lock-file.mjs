/** Whether the lock file says of every package exactly what it is: one version, one hash, and no place to have it from. */
import { readLock } from './lock.mjs';

const exact = /^\d+\.\d+\.\d+(-[\w.]+)?$/;

export function checkLockFile(folder) {
  const { manifest, root, packages } = readLock(folder);
  const wanted = { ...manifest.dependencies, ...manifest.devDependencies };
  const locked = { ...root.dependencies, ...root.devDependencies };
  const loose = Object.entries({ ...wanted, ...manifest.overrides }).filter(([, version]) => !exact.test(version));
  const stale = Object.keys({ ...wanted, ...locked }).filter((name) => wanted[name] !== locked[name]);
  const unhashed = packages.filter(({ integrity }) => !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? ''));
  // Every installation uses its own registry; the hash says whether it is the same package.
  const placed = packages.filter(({ resolved }) => resolved !== undefined);
  const faults = [
    ...loose.map(([name, version]) => `package.json wants ${name} ${version}, which is no exact version`),
    ...stale.map((name) => `package.json and package-lock.json differ about ${name}; run npm install`),
    ...unhashed.map(({ name, version }) => `${name} ${version} has no SHA-512 hash in the lock file`),
    ...placed.map(({ name, resolved }) => `the lock file says where to have ${name} from: ${resolved}`),
  ];
  return { faults, facts: [`${packages.length} packages, each with one version and a SHA-512 hash`] };
}
