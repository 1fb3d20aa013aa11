/** docker-compose.yml keeps the rules of a production arrangement: pinned, unprivileged, watched, and without a secret written down. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { parse } from 'yaml';
import { dynamicConfig } from '../../src/embedded/temporal-server.ts';
import { builtInConfiguration } from '../../src/config/built-in.ts';
import { readEnvironment, settingNames } from '../../src/config/environment.ts';
import {
  composeText,
  exampleVariables,
  imageOf,
  readCompose,
  readDockerfile,
  root,
  variables,
  variablesIn,
} from '../support/compose.ts';

const made = Object.fromEntries(
  [...variables()].filter(([, isNeeded]) => isNeeded).map(([name]) => [name, `made-${name}`]),
);
const file = readCompose(made);
const services = Object.entries(file.services);
const ours = services.filter(([, { build }]) => build !== undefined);
/** They run to their end, before others begin. */
const jobs = ['migration', 'schema', 'namespace', 'store-volume', 'bucket'];

describe('every service', () => {
  for (const [name, service] of services) {
    const isJob = jobs.includes(name);
    test(`${name} is pinned, unprivileged, bounded and watched`, () => {
      assert.match(service.image ?? '', /^[a-z0-9/-]+:(v?\d+\.\d+\.\d+|18\.\d+|local)[\w.-]*$/);
      assert.equal(service.build !== undefined, service.image === 'tollgate:local');
      assert.equal(service.read_only, true);
      assert.deepEqual(service.cap_drop, ['ALL']);
      assert.deepEqual(service.cap_add, name === 'store-volume' ? ['CHOWN'] : []);
      assert.deepEqual(service.security_opt, ['no-new-privileges:true']);
      const user = service.build === undefined ? service.user : userOfImage();
      if (name !== 'store-volume') assert.match(user ?? '', /^(?!root|0\b)\w/, 'who it runs as');
      assert.deepEqual(Object.keys(service.logging?.options ?? {}), ['max-size', 'max-file']);
      const { cpus, memory, pids } = service.deploy?.resources.limits ?? {};
      assert.ok(cpus !== undefined && memory !== undefined && pids !== undefined, 'limits of its resources');
      assert.equal(service.restart, isJob ? 'on-failure:20' : 'unless-stopped');
      if (!isJob) assert.ok((service.healthcheck?.test?.length ?? 0) > 1, 'a health check');
    });

    test(`${name} waits for the right end of what it needs`, () => {
      for (const [other, { condition }] of Object.entries(service.depends_on)) {
        assert.ok(other in file.services, other);
        assert.equal(condition, jobs.includes(other) ? 'service_completed_successfully' : 'service_healthy', other);
      }
    });

    test(`${name} is in networks that there are`, () => {
      for (const network of service.networks) assert.ok(network in file.networks, network);
    });

    test(`${name} mounts what is there, and nothing that it could change but its volume`, () => {
      for (const volume of service.volumes) {
        const [source = '', , mode] = volume.split(':');
        if (!source.startsWith('.')) assert.ok(source in file.volumes, volume);
        else assert.ok(mode === 'ro' && existsSync(join(root, source)), volume);
      }
    });
  }
});

test('only the balancer and the pages for operators are published, and these on loopback', () => {
  const published = Object.fromEntries(
    services.flatMap(([name, { ports }]) => (ports.length > 0 ? [[name, ports]] : [])),
  );
  assert.deepEqual(published, {
    balancer: ['127.0.0.1:8080:8080'],
    'temporal-ui': ['127.0.0.1:8233:8080'],
    grafana: ['127.0.0.1:3000:3000'],
  });
});

test('databases, store and Temporal stand in a network without a way out', () => {
  assert.equal(file.networks['inside']?.internal, true);
  for (const name of ['postgres', 'temporal', 'store', 'schema', 'namespace', 'bucket', 'migration', 'prometheus'])
    assert.deepEqual(file.services[name]?.networks, ['inside'], name);
  assert.ok(!file.services['balancer']?.networks.includes('inside'));
});

test('no secret is written down: each comes from the environment, and has to', () => {
  const inFile = JSON.stringify(parse(composeText, { merge: true }));
  for (const [, name = '', value = ''] of inFile.matchAll(
    /"(\w*(?:SECRET|PASSWORD|_PWD|ACCESS_KEY_ID|CODEC_KEYS|BOOTSTRAP_KEY)\w*)":"([^"]*)"/g,
  ))
    assert.match(value, /^\$\{[A-Z0-9_]+:[?-][^}]*\}$/, name);
  for (const [, credentials = ''] of inFile.matchAll(/:\/\/([^@/"]*)@/g))
    assert.match(credentials, /^\w+:\$\{\w+:\?[^}]+\}$/);
  assert.throws(() => readCompose({}), /is missing: see \.env\.example/);
});

test('.env.example names every variable once, the needed ones without a value, and no other', () => {
  const named = exampleVariables();
  assert.deepEqual([...named.keys()].sort(), [...variables().keys()].sort());
  for (const [name, isNeeded] of variables()) if (isNeeded) assert.equal(named.get(name), '', name);
  for (const [name, value] of named)
    if (value !== '')
      assert.ok(composeText.includes(`\${${name}:-${value}}`), `${name} has another default in docker-compose.yml`);
});

test('the page about deploying makes an .env with which the file can be read', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-env-'));
  try {
    await copyFile(join(root, '.env.example'), join(folder, '.env.example'));
    const [, lines = ''] =
      /```sh\n(cp \.env\.example[^]*?)docker compose/.exec(readFileSync(join(root, 'docs/deploying.md'), 'utf8')) ?? [];
    execFileSync('bash', ['-e', '-c', lines], { cwd: folder });
    const pairs = variablesIn(readFileSync(join(folder, '.env'), 'utf8'));
    assert.doesNotThrow(() => readCompose(Object.fromEntries(pairs)));
    readEnvironment({
      TOLLGATE_SECRET: pairs.get('TOLLGATE_SECRET'),
      TOLLGATE_BOOTSTRAP_KEY: pairs.get('TOLLGATE_BOOTSTRAP_KEY'),
    });
  } finally {
    await rm(folder, { recursive: true });
  }
});

describe('the gateway’s own services', () => {
  test('know every setting that they are given', () => {
    const known = new Set<string>([...settingNames, 'NODE_ENV', 'NODE_OPTIONS', 'MALLOC_ARENA_MAX']);
    const { env } = imageOf(readDockerfile());
    const given = new Set([...Object.keys(env), ...ours.flatMap(([, { environment }]) => Object.keys(environment))]);
    assert.deepEqual(
      [...given].filter((name) => !known.has(name)),
      [],
    );
  });

  test('are two of each role, and differ in nothing but their names', () => {
    assert.deepEqual(file.services['api-1'], file.services['api-2']);
    assert.deepEqual(file.services['worker-1'], file.services['worker-2']);
    assert.deepEqual(
      ours.map(([name, { command }]) => `${name} ${String(command)}`),
      ['api-1 api,--processes,1', 'api-2 api,--processes,1', 'worker-1 worker', 'worker-2 worker', 'migration migrate'],
    );
  });

  test('have twice the memory of the heap that the image sets', () => {
    const { NODE_OPTIONS: options = '' } = imageOf(readDockerfile()).env;
    const [, heapMib] = /^--max-old-space-size=(\d+)$/.exec(options) ?? [];
    for (const [name, { environment, deploy }] of ours) {
      assert.equal(environment['NODE_OPTIONS'], undefined, name);
      assert.equal(deploy?.resources.limits.memory, `${2 * Number(heapMib)}m`, name);
    }
  });

  test('have the time to end that their work may take', () => {
    const { TOLLGATE_NOTICE_SECONDS: notice = '5', TOLLGATE_DRAIN_SECONDS: drain = '60' } =
      file.services['api-1']?.environment ?? {};
    const graceOf = (name: string) => Number.parseInt(file.services[name]?.stop_grace_period ?? '0');
    assert.ok(graceOf('api-1') >= Number(notice) + Number(drain) + 15);
    assert.ok(graceOf('worker-1') >= 300 + 60);
  });
});

test('Temporal’s dynamic configuration is that of the embedded server', () => {
  const text = readFileSync(join(root, 'ops', 'temporal-dynamic-config.yaml'), 'utf8');
  const values = Object.entries(parse(text) as Record<string, [{ value: unknown }]>);
  assert.deepEqual(Object.fromEntries(values.map(([key, [{ value }]]) => [key, value])), dynamicConfig);
});

test('the configuration that it begins with is the built-in one', () => {
  const text = readFileSync(join(root, 'ops', 'config', 'tollgate.yaml'), 'utf8');
  assert.ok(text.endsWith(builtInConfiguration));
});

describe('the Dockerfile', () => {
  const stages = readDockerfile();
  const final = stages.at(-1);

  test('names its base by its full version, in both stages the same', () => {
    assert.deepEqual(new Set(stages.map(({ from }) => from)).size, 1);
    assert.match(final?.from ?? '', /^node:24\.\d+\.\d+-[a-z]+-slim$/);
  });

  test('takes from the build only what runs, and runs it as another user than root', () => {
    const copied = final?.steps.filter(({ word }) => word === 'COPY').map(({ rest }) => rest.split(' '));
    assert.deepEqual(
      copied?.map(([from, source]) => `${from} ${source?.replace('/app/', '')}`),
      ['package.json', 'node_modules', 'dist', 'migrations', 'scripts', 'bin'].map((name) => `--from=build ${name}`),
    );
    assert.equal(userOfImage(), 'node');
    assert.deepEqual(imageOf(stages).entrypoint.slice(0, 2), ['tini', '--']);
    assert.ok(
      final?.steps.some(({ word, rest }) => word === 'HEALTHCHECK' && rest.endsWith('["node", "scripts/healthy.mjs"]')),
    );
  });

  test('is given nothing but what it copies', () => {
    const ignored = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n');
    const taken = ignored.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
    const copied = stages[0]?.steps
      .filter(({ word }) => word === 'COPY')
      .flatMap(({ rest }) => rest.split(' ').slice(0, -1));
    assert.ok(ignored.includes('*'));
    assert.deepEqual(taken.sort(), copied?.sort());
  });
});

function userOfImage(): string | undefined {
  return readDockerfile()
    .at(-1)
    ?.steps.filter(({ word }) => word === 'USER')
    .at(-1)?.rest;
}
