/** Where PostgreSQL and Temporal are: as the settings name them, or of the gateway that runs on the data folder. */
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { runningGateway } from '../../../embedded/data-folder-lock.ts';
import { runningPostgres } from '../../../embedded/postgres-server.ts';
import { runningTemporal } from '../../../embedded/temporal-server.ts';
import type { SurveyedEnvironment } from '../../../config/environment.ts';
import { fail, type Finding, ok, skip, type Verdict, warn } from './finding.ts';

export interface Servers {
  /** Undefined: not known. */
  databaseUrl: string | undefined;
  temporalAddress: string | undefined;
  temporalUiUrl: string | undefined;
  /** Of a gateway that runs on the data folder. */
  gatewayUrl: string | undefined;
}

/** Looks for what the settings don't name, and starts nothing. */
export async function examineServers(
  { environment, unread }: SurveyedEnvironment,
  dataDir: string,
): Promise<Verdict<Servers>> {
  const { databaseUrl, temporal } = environment;
  const looksForDatabase = databaseUrl === undefined && !unread.has('DATABASE_URL');
  const looksForTemporal = temporal.address === undefined && !unread.has('TEMPORAL_ADDRESS');
  const external = { databaseUrl, temporalAddress: temporal.address, temporalUiUrl: temporal.uiUrl };
  if (!looksForDatabase && !looksForTemporal) {
    const missing = [...unread].filter((name) => ['DATABASE_URL', 'TEMPORAL_ADDRESS'].includes(name));
    const findings = missing.map((name) => skip('servers', `${name} can't be read`));
    return { findings, value: { ...external, gatewayUrl: undefined } };
  }
  // Both make folders where there is none.
  const [hasPostgres, hasTemporal] = await Promise.all([
    isThere(join(dataDir, 'postgres')),
    isThere(join(dataDir, 'temporal.json')),
  ]);
  const [postgres, own, gatewayUrl] = await Promise.all([
    looksForDatabase && hasPostgres ? runningPostgres({ dataDir }) : undefined,
    looksForTemporal && hasTemporal ? runningTemporal(dataDir) : undefined,
    runningGateway(dataDir),
  ]);
  const servers: Servers = {
    databaseUrl: databaseUrl ?? postgres,
    temporalAddress: temporal.address ?? own?.address,
    temporalUiUrl: temporal.uiUrl ?? own?.uiUrl,
    gatewayUrl,
  };
  const away = [
    ...(looksForDatabase && postgres === undefined ? ['PostgreSQL'] : []),
    ...(looksForTemporal && own === undefined ? ['Temporal'] : []),
  ];
  const wasStarted = hasPostgres || hasTemporal;
  return { findings: [found(environment.dataDir, { away, wasStarted, servers })], value: servers };
}

function found(
  folder: string,
  { away, wasStarted, servers }: { away: readonly string[]; wasStarted: boolean; servers: Servers },
): Finding {
  const name = 'servers';
  const start = "'npm start', or set DATABASE_URL and TEMPORAL_ADDRESS to your own servers";
  if (away.length === 0) return ok(name, `embedded servers run on ${folder}`);
  if (!wasStarted) return warn(name, `no gateway was started on ${folder} yet`, start);
  if (servers.gatewayUrl === undefined) return fail(name, `no gateway runs on ${folder}`, start);
  return fail(
    name,
    `the embedded ${away.join(' and ')} of ${folder} does not answer`,
    `${start}; its log is in ${folder}`,
  );
}

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
