/** All settings of a process: the environment, and the configuration file or what is built in. */
import { access, constants, open } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { ProviderKind } from '../domain/provider-kinds.ts';
import { builtInConfiguration } from './built-in.ts';
import { readConfiguration, type Configuration } from './configuration.ts';
import { readEnvironment, type Environment } from './environment.ts';
import { SettingsError } from './setting-errors.ts';

export interface Settings {
  environment: Environment;
  configuration: Configuration;
  /** The absolute path that the configuration was read from; undefined: it is the built-in one. */
  configurationPath: string | undefined;
}

const fileDefault = 'tollgate.yaml';
const fileBytesMax = 4 * 1024 * 1024;

/**
 * Reads the environment and the file that `TOLLGATE_CONFIG` names, or `tollgate.yaml` in `cwd`, or without either the
 * built-in configuration. Throws one SettingsError with the mistakes of both.
 */
export async function loadSettings(
  env: Record<string, string | undefined>,
  cwd: string,
  kinds: readonly ProviderKind[],
): Promise<Settings> {
  const lines: string[] = [];
  const environment = await gathered(lines, async () => {
    const read = readEnvironment(env);
    await checkFiles(read, cwd);
    return read;
  });
  const configured = await gathered(lines, () => loadConfiguration(env, cwd, kinds));
  if (environment === undefined || configured === undefined) throw new SettingsError(lines);
  return { environment, ...configured };
}

/**
 * The file's part alone, for reading it again while the process runs. Throws a SettingsError with every mistake; that the
 * file is gone which was read `before` is one, too, so that nothing built in comes in its place.
 */
export async function loadConfiguration(
  env: Record<string, string | undefined>,
  cwd: string,
  kinds: readonly ProviderKind[],
  before?: string,
): Promise<Pick<Settings, 'configuration' | 'configurationPath'>> {
  const named = env['TOLLGATE_CONFIG']?.trim();
  const isNamed = named !== undefined && named !== '';
  const file = isNamed ? named : fileDefault;
  const path = resolve(cwd, file);
  const place = isNamed ? `TOLLGATE_CONFIG: the file ${file}` : file;
  let text: string;
  try {
    text = await readBounded(path, place);
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined) throw error;
    if (code !== 'ENOENT' || isNamed || before !== undefined)
      throw new SettingsError([`${place} can't be read (${code})`]);
    return {
      configuration: readConfiguration(builtInConfiguration, 'built-in', {}, kinds),
      configurationPath: undefined,
    };
  }
  return { configuration: readConfiguration(text, file, env, kinds), configurationPath: path };
}

async function readBounded(path: string, place: string): Promise<string> {
  const handle = await open(path, 'r');
  try {
    const { size } = await handle.stat();
    if (size > fileBytesMax) throw new SettingsError([`${place} is larger than ${fileBytesMax} bytes`]);
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}

/** Throws a SettingsError with every file that the environment names and this process can't use. */
export async function checkFiles({ temporal }: Pick<Environment, 'temporal'>, cwd: string): Promise<void> {
  const files = {
    TEMPORAL_TLS_SERVER_CA_CERT_PATH: temporal.tls?.serverCaPath,
    TEMPORAL_TLS_CLIENT_CERT_PATH: temporal.tls?.clientCertPath,
    TEMPORAL_TLS_CLIENT_KEY_PATH: temporal.tls?.clientKeyPath,
    TEMPORAL_CLI_PATH: temporal.cliPath,
  };
  const lines: string[] = [];
  for (const [name, file] of Object.entries(files)) {
    if (file === undefined) continue;
    try {
      await access(resolve(cwd, file), name === 'TEMPORAL_CLI_PATH' ? constants.X_OK : constants.R_OK);
    } catch (error) {
      lines.push(
        `${name}: the file can't be ${name === 'TEMPORAL_CLI_PATH' ? 'executed' : 'read'} (${codeOf(error) ?? 'unknown'})`,
      );
    }
  }
  if (lines.length > 0) throw new SettingsError(lines);
}

async function gathered<T>(lines: string[], read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    lines.push(...error.lines);
    return undefined;
  }
}

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
