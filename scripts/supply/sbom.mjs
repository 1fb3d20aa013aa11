/**
 * The software bill of materials: every package that is handed on, as CycloneDX 1.5. Made of the lock file and nothing
 * else, so that the same commit gives the same bytes. (`npm sbom --omit=dev` leaves out what development needs too: zod, pg-protocol.)
 */
import { bundledPackages } from './bundled.mjs';
import { readLock, resolved } from './lock.mjs';

export function sbomOf(folder) {
  const lock = readLock(folder);
  const { manifest } = lock;
  const bundled = new Set(bundledPackages(folder).map((one) => `${one.name}@${one.version}`));
  const chosen = lock.packages.filter((one) => !one.isDev || bundled.has(refOf(one)));
  // The same version in two places is one component.
  const components = new Map(chosen.map((one) => [refOf(one), componentOf(one, bundled)]));
  const edges = new Map([...components.keys()].map((ref) => [ref, new Set()]));
  for (const one of chosen) {
    const names = Object.keys({ ...one.dependencies, ...one.optionalDependencies, ...one.peerDependencies });
    for (const ref of refsOf(lock, one.place, names, components)) edges.get(refOf(one)).add(ref);
  }
  const direct = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies });
  const root = refOf(manifest);
  edges.set(root, new Set(refsOf(lock, '', direct, components)));
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: {
      component: {
        'bom-ref': root,
        type: 'application',
        name: manifest.name,
        version: manifest.version,
        description: manifest.description,
        purl: purlOf(manifest),
      },
    },
    components: sorted([...components]).map(([, component]) => component),
    dependencies: sorted([...edges]).map(([ref, to]) => ({ ref, dependsOn: [...to].sort() })),
  };
}

const refOf = ({ name, version }) => `${name}@${version}`;
const purlOf = ({ name, version }) => `pkg:npm/${name.replace('@', '%40')}@${version}`;
const sorted = (entries) => entries.sort(([a], [b]) => (a < b ? -1 : 1));

function refsOf(lock, place, names, components) {
  return names.flatMap((name) => {
    const found = resolved(lock, place, name);
    return found && components.has(refOf(found)) ? [refOf(found)] : [];
  });
}

function componentOf(one, bundled) {
  const { name, version, integrity, license, optional } = one;
  return {
    'bom-ref': refOf(one),
    type: 'library',
    name,
    version,
    scope: optional ? 'optional' : 'required',
    hashes: [{ alg: 'SHA-512', content: Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex') }],
    ...(license && { licenses: [/ (AND|OR) /.test(license) ? { expression: license } : { license: { id: license } }] }),
    purl: purlOf(one),
    ...(one.isDev && bundled.has(refOf(one)) && { properties: [{ name: 'tollgate:part', value: 'console' }] }),
  };
}
