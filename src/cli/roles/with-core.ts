/** What a role of its own process begins with and ends with: settings, log, the servers that there are, and the core. */
import cluster from 'node:cluster';
import { resolve } from 'node:path';
import { runningPostgres } from '../../embedded/postgres-server.ts';
import { runningTemporal } from '../../embedded/temporal-server.ts';
import { createLog } from '../../observability/logging/log.ts';
import { Mask } from '../../observability/logging/mask.ts';
import { providerKinds } from '../../providers/registry.ts';
import { knownSecrets } from '../../config/known-secrets.ts';
import { loadSettings, type Settings } from '../../config/load-settings.ts';
import { SettingsError } from '../../config/setting-errors.ts';
import { loadOrMakeSecret } from '../../config/secrets.ts';
import { type Core, openCore } from '../../runtime/parts.ts';
import { rereadAtHangup } from './reread-settings.ts';
import { stopSignal } from '../stop-signal.ts';

export interface RoleTools {
  settings: Settings;
  core: Core;
  outside: Awaited<ReturnType<typeof outsideOf>>;
  /** Resolves when the process is asked to stop. */
  asked: Promise<unknown>;
  /** From its call on SIGHUP has the configuration read again. */
  isUp: () => void;
}

/**
 * Lends what every role stands on, and closes it afterwards. Raises a SettingsError where the servers that it needs can't be
 * found.
 */
export async function withCore(use: (tools: RoleTools) => Promise<void>): Promise<void> {
  const settings = await loadSettings(process.env, process.cwd(), providerKinds);
  const mask = new Mask(knownSecrets(settings));
  const log = createLog(settings.environment.logLevel, { mask, hasPid: cluster.isWorker });
  const asked = stopSignal();
  const reread = rereadAtHangup(log, mask);
  const outside = await outsideOf(settings);
  const core = await openCore(settings, { ...outside, log });
  try {
    await use({ settings, core, outside, asked, isUp: () => reread(core, settings) });
  } finally {
    await core.close();
  }
}

/** The servers that a role works with: those of the settings, or of a gateway that runs on the data folder. */
async function outsideOf({ environment }: Settings) {
  const dataDir = resolve(environment.dataDir);
  const databaseUrl = environment.databaseUrl ?? (await runningPostgres({ dataDir }).catch(() => undefined));
  const address = environment.temporal.address ?? (await runningTemporal(dataDir))?.address;
  const missing = [
    databaseUrl === undefined
      ? `DATABASE_URL: is not set, and no gateway is running on ${environment.dataDir}`
      : undefined,
    address === undefined
      ? `TEMPORAL_ADDRESS: is not set, and no gateway is running on ${environment.dataDir}`
      : undefined,
  ].filter((line) => line !== undefined);
  if (databaseUrl === undefined || address === undefined) throw new SettingsError(missing);
  const secretTexts = environment.secrets ?? [await loadOrMakeSecret(dataDir)];
  return { ...environment.temporal, databaseUrl, address, secretTexts };
}
