/** The checks of the supply chain, each on this project and on one that breaks it; the list of parts; the one version. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import * as z from 'zod';
import { version } from '../../src/version.ts';

const root = join(import.meta.dirname, '..', '..');
const script = join(root, 'scripts', 'supply.mjs');
const lockForm = z.looseObject({ packages: z.record(z.string(), z.record(z.string(), z.unknown())) });
const manifestForm = z.looseObject({
  name: z.string(),
  version: z.string(),
  dependencies: z.record(z.string(), z.string()),
});

interface Project {
  manifest: z.output<typeof manifestForm>;
  lock: z.output<typeof lockForm>;
}

const read = (): Project => ({
  manifest: manifestForm.parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))),
  lock: lockForm.parse(JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))),
});

let folder: string;
before(() => (folder = mkdtempSync(join(tmpdir(), 'tollgate-supply-'))));
after(() => rmSync(folder, { recursive: true, force: true }));

interface Printed {
  status: number;
  text: string;
}

const supply = (args: readonly string[], env: Record<string, string> = {}): Promise<Printed> =>
  new Promise((resolve) => {
    const options = { env: { ...process.env, ...env } };
    execFile(process.execPath, [script, ...args], options, (error, stdout) =>
      resolve({ status: error ? Number(error.code) : 0, text: stdout }),
    );
  });

/** Runs a check on a project that was changed. */
async function changed(check: string, change: (project: Project) => void): Promise<Printed> {
  const project = read();
  change(project);
  const place = mkdtempSync(join(folder, 'project-'));
  writeFileSync(join(place, 'package.json'), JSON.stringify(project.manifest));
  writeFileSync(join(place, 'package-lock.json'), JSON.stringify(project.lock));
  return supply([check, '--folder', place]);
}

const koa = 'node_modules/koa';

describe('checks', () => {
  test('what has no network to ask passes', async () => {
    const { status, text } = await supply(['lock-file', 'install-scripts', 'licences']);
    assert.equal(status, 0, text);
    assert.match(text, /lock-file: ok\n.*\ninstall-scripts: ok\n[^]*\nlicences: ok\n/);
    assert.match(text, /handed on: .*\bMIT \(\d+\)/);
  });

  const broken: readonly (readonly [string, string, (project: Project) => unknown, RegExp])[] = [
    [
      'a range of versions',
      'lock-file',
      ({ manifest }) => void (manifest.dependencies['koa'] = '^3.3.0'),
      /koa \^3\.3\.0, which is no exact/,
    ],
    [
      'a package without a hash',
      'lock-file',
      ({ lock }) => delete lock.packages[koa]!['integrity'],
      /koa .* has no SHA-512 hash/,
    ],
    [
      'a place to have a package from',
      'lock-file',
      ({ lock }) => void (lock.packages[koa]!['resolved'] = 'https://example.com/koa.tgz'),
      /where to have koa from/,
    ],
    [
      'a new install script',
      'install-scripts',
      ({ lock }) => void (lock.packages[koa]!['hasInstallScript'] = true),
      /koa .* is not approved/,
    ],
    [
      'an approval of nothing',
      'install-scripts',
      ({ manifest }) => void (manifest['allowScripts'] = { koa: true }),
      /script of koa, which has none/,
    ],
    [
      'a licence that is not on the list',
      'licences',
      ({ lock }) => void (lock.packages[koa]!['license'] = 'GPL-3.0-only'),
      /koa .* GPL-3\.0-only/,
    ],
    [
      'a licence that also asks for more',
      'licences',
      ({ lock }) => void (lock.packages[koa]!['license'] = 'MIT AND AGPL-3.0-only'),
      /koa .* AGPL/,
    ],
    ['no licence', 'licences', ({ lock }) => delete lock.packages[koa]!['license'], /koa .* names no licence/],
  ];
  for (const [name, check, change, fault] of broken) {
    test(`${name} is found`, async () => {
      const { status, text } = await changed(check, change);
      assert.equal(status, 1, text);
      assert.match(text, new RegExp(`${check}: WRONG\n[^]*${fault.source}`));
    });
  }

  test('a licence of which one may be chosen will do', async () => {
    const { text } = await changed(
      'licences',
      ({ lock }) => void (lock.packages[koa]!['license'] = '(GPL-2.0 OR MIT)'),
    );
    assert.doesNotMatch(text, /koa/);
  });
});

describe('known holes', () => {
  /** A registry that knows one package, in which is a hole of this severity; without one it doesn't do audits. */
  async function audited(severity: string | undefined): Promise<Printed> {
    const place = mkdtempSync(join(folder, 'audit-'));
    const integrity = `sha512-${'A'.repeat(86)}==`;
    const manifest = { name: 'small', version: '1.0.0', dependencies: { leak: '1.0.0' } };
    const packages = { '': manifest, 'node_modules/leak': { version: '1.0.0', integrity, license: 'MIT' } };
    writeFileSync(join(place, 'package.json'), JSON.stringify(manifest));
    writeFileSync(join(place, 'package-lock.json'), JSON.stringify({ ...manifest, lockfileVersion: 3, packages }));
    const registry = createServer((request, response) => {
      const isAudit = request.method === 'POST';
      if (isAudit && severity === undefined) response.statusCode = 405;
      const hole = { id: 1, url: 'https://example.com/1', title: 'A hole', severity, vulnerable_versions: '<2.0.0' };
      const known = {
        name: 'leak',
        'dist-tags': { latest: '1.0.0' },
        versions: { '1.0.0': { name: 'leak', version: '1.0.0' } },
      };
      request.resume();
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify(isAudit ? { leak: [hole] } : known));
    });
    await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(registry.address() as AddressInfo).port}/`;
    try {
      const cache = join(place, 'cache');
      return await supply(['audit', '--folder', place], { npm_config_registry: url, npm_config_cache: cache });
    } finally {
      registry.close();
    }
  }

  test('a grave one in production fails', async () => {
    const { status, text } = await audited('high');
    assert.match(text, /audit: WRONG\n {2}leak \S+ has a hole of severity high/);
    assert.equal(status, 1);
  });

  test('a slight one is reported', async () => {
    const { status, text } = await audited('moderate');
    assert.match(text, /audit: ok\n {2}holes in production: leak/);
    assert.equal(status, 0);
  });

  test('a registry that does no audits is no failure, and is said', async () => {
    const { status, text } = await audited(undefined);
    assert.match(text, /audit: NOT CHECKED: .*405/);
    assert.doesNotMatch(text, /127\.0\.0\.1/);
    assert.equal(status, 0);
  });

  test('no network is no failure, and is said', async () => {
    const { status, text } = await supply(['audit'], { npm_config_registry: 'http://127.0.0.1:9/' });
    assert.match(text, /audit: NOT CHECKED: \S/);
    assert.equal(status, 0);
  });
});

describe('the list of parts', () => {
  const component = z.looseObject({
    'bom-ref': z.string(),
    type: z.literal('library'),
    name: z.string(),
    version: z.string(),
    purl: z.string().startsWith('pkg:npm/'),
    hashes: z.tuple([z.object({ alg: z.literal('SHA-512'), content: z.string().regex(/^[0-9a-f]{128}$/) })]),
    licenses: z
      .array(z.union([z.object({ expression: z.string() }), z.object({ license: z.object({ id: z.string() }) })]))
      .optional(),
  });
  const form = z.strictObject({
    $schema: z.string(),
    bomFormat: z.literal('CycloneDX'),
    specVersion: z.literal('1.5'),
    version: z.literal(1),
    metadata: z.strictObject({ component: z.looseObject({ name: z.literal('tollgate'), version: z.string() }) }),
    components: z.array(component),
    dependencies: z.array(z.strictObject({ ref: z.string(), dependsOn: z.array(z.string()) })),
  });

  test('names everything that runs in production and nothing twice, the same each time', async () => {
    const files = [join(folder, 'a.json'), join(folder, 'new folder', 'b.json')] as const;
    mkdirSync(join(folder, 'new folder'));
    for (const file of files) assert.equal((await supply(['sbom', file])).status, 0);
    const [one, other] = files.map((file) => readFileSync(file, 'utf8'));
    assert.equal(one, other);
    const { components, dependencies, metadata } = form.parse(JSON.parse(one!));
    const refs = components.map((part) => part['bom-ref']);
    assert.deepEqual([...new Set(refs)], refs);
    const { manifest, lock } = read();
    const needed = Object.entries(lock.packages)
      .filter(([place, { dev }]) => place !== '' && dev !== true)
      .map(([place, part]) => `${place.split('node_modules/').at(-1)}@${String(part['version'])}`);
    assert.deepEqual(
      needed.filter((ref) => !refs.includes(ref)),
      [],
    );
    assert.deepEqual(
      dependencies.flatMap(({ ref, dependsOn }) => [ref, ...dependsOn]).filter((ref) => !refs.includes(ref)),
      [`tollgate@${metadata.component.version}`],
    );
    const direct = dependencies.find(({ ref }) => ref === `tollgate@${manifest.version}`)!.dependsOn;
    for (const [name, wanted] of Object.entries(manifest.dependencies))
      assert.ok(direct.includes(`${name}@${wanted}`), name);
    const reached = new Set<string>();
    const reach = (ref: string): void => {
      if (reached.has(ref)) return;
      reached.add(ref);
      dependencies.find((one) => one.ref === ref)?.dependsOn.forEach(reach);
    };
    direct.forEach(reach);
    assert.deepEqual(
      refs.filter((ref) => !reached.has(ref)),
      [],
      'needed by no package',
    );
  });
});

test('the version stands in package.json and nowhere else', () => assert.equal(version, read().manifest.version));
