/** PostgreSQL as its image runs it: a cluster on an empty volume, the scripts of its first start, then the server with the command's settings. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { access, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { postgresBinaries } from '../../../src/embedded/postgres-binaries.ts';
import { unprivileged } from '../../../src/embedded/unprivileged.ts';
import { root, type Service } from '../../support/compose.ts';
import { Running, until } from '../../support/process.ts';

const run = promisify(execFile);
const scriptsOfTheImage = '/docker-entrypoint-initdb.d/';

export interface PostgresPlace {
  folder: string;
  port: number;
  env: Record<string, string>;
}

/** Starts it; the first time with the roles of the service's scripts. */
export async function startPostgresOf(service: Service, { folder, port, env }: PostgresPlace): Promise<Running> {
  await mkdir(folder, { recursive: true });
  const { folder: packaged } = await postgresBinaries();
  const host = await unprivileged(packaged, folder);
  const data = join(host.home, 'data');
  const spawn = (name: string, args: readonly string[]): Running => {
    const { command, args: all, ...rest } = host.invocation(join(host.binaries, 'bin', name), args);
    return new Running(command, all, { cwd: '/', env: { PATH: process.env['PATH'], LC_ALL: 'C' }, ...rest });
  };
  const isNew = await access(data).then(
    () => false,
    () => true,
  );
  if (isNew) {
    const passwordPath = join(host.home, 'password');
    await writeFile(passwordPath, env['POSTGRES_PASSWORD'] ?? '');
    await host.own(host.home);
    const given = env['POSTGRES_INITDB_ARGS']?.split(' ') ?? [];
    const made = await spawn('initdb', [
      '-D',
      data,
      '-U',
      'postgres',
      `--pwfile=${passwordPath}`,
      '--no-sync',
      ...given,
    ]).ended;
    assert.equal(made.code, 0, made.stderr);
  }
  const [program, ...settings] = service.command ?? [];
  assert.equal(program, 'postgres');
  const here = [`-cport=${port}`, '-clisten_addresses=127.0.0.1', '-cunix_socket_directories='];
  const server = spawn('postgres', ['-D', data, ...settings, ...here]);
  if (isNew) await runScripts(service, port, env);
  return server;
}

async function runScripts({ volumes }: Service, port: number, env: Record<string, string>): Promise<void> {
  const psql = (...args: string[]) =>
    run(
      'psql',
      ['-h', '127.0.0.1', '-p', String(port), '-U', 'postgres', '-d', 'postgres', '-v', 'ON_ERROR_STOP=1', ...args],
      {
        env: { ...env, PGPASSWORD: env['POSTGRES_PASSWORD'] },
      },
    );
  await until('PostgreSQL', () => psql('-c', 'select 1').then(Boolean, () => undefined));
  for (const volume of volumes.filter((each) => each.includes(scriptsOfTheImage))) {
    await psql('-f', join(root, volume.split(':')[0] ?? ''));
  }
}
