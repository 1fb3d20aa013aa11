/** docker-compose.yml as the Compose Specification's own reader has it: valid, and understood as our tests understand it. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import * as z from 'zod';
import { plainCompose, readCompose, root, variables } from '../../support/compose.ts';
import { fromTestRun } from '../../support/database.ts';

const run = promisify(execFile);
const settings = Object.fromEntries(
  [...variables()].filter(([, isNeeded]) => isNeeded).map(([name]) => [name, `a-${name}`]),
);
let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tollgate-compose-'));
});
after(() => rm(folder, { recursive: true, force: true }));

const read = z.object({
  services: z.record(
    z.string(),
    z.object({
      environment: z.record(z.string(), z.string()).default({}),
      entrypoint: z.array(z.string()).nullish(),
      command: z.array(z.string()).nullish(),
      depends_on: z.record(z.string(), z.object({ condition: z.string() })).default({}),
      read_only: z.boolean().default(false),
    }),
  ),
});

/** The program gets the file with our variables put in; a dollar that is left is meant as one. */
async function readBack(compose: unknown): Promise<unknown> {
  const path = join(folder, 'docker-compose.yml');
  await writeFile(
    path,
    JSON.stringify(compose).replaceAll('$', () => '$$'),
  );
  const env = { PATH: process.env['PATH'], COMPOSE_PROFILES: 'observe' };
  const { stdout } = await run(fromTestRun('COMPOSE_READER'), ['-format', 'json', path], { cwd: root, env });
  return JSON.parse(stdout);
}

test('the reader takes it, and understands it as we do', async () => {
  const { services } = read.parse(await readBack(plainCompose(settings)));
  const ours = Object.entries(readCompose(settings).services);
  assert.deepEqual(Object.keys(services).sort(), ours.map(([name]) => name).sort());
  for (const [name, service] of ours) {
    const theirs = services[name];
    assert.deepEqual(theirs?.environment, service.environment, name);
    assert.deepEqual(theirs.entrypoint ?? undefined, service.entrypoint, name);
    assert.deepEqual(theirs.command ?? undefined, service.command, name);
    assert.deepEqual(Object.keys(theirs.depends_on).sort(), Object.keys(service.depends_on).sort(), name);
    assert.equal(theirs.read_only, service.read_only, name);
  }
});

for (const [what, spoilt, says] of [
  ['a word that the Compose Specification does not have', { image: 'x', restarts: 'always' }, /restarts/],
  ['a list where there is to be a number', { image: 'x', healthcheck: { retries: [] } }, /retries/],
  ['a port that is none', { image: 'x', ports: ['127.0.0.1:eighty:80'] }, /eighty/],
] as const)
  test(`the reader refuses ${what}`, async () => {
    await assert.rejects(readBack({ name: 'spoilt', services: { a: spoilt } }), says);
  });
