/** Commands that administer work on the database of a gateway, whether it runs or not in this very moment. */
import { userInfo } from 'node:os';
import { resolve } from 'node:path';
import { runningPostgres } from '../embedded/postgres-server.ts';
import { providerKinds } from '../providers/registry.ts';
import type { Configuration } from '../config/configuration.ts';
import type { Environment } from '../config/environment.ts';
import { loadSettings } from '../config/load-settings.ts';
import { deriveKeys, loadOrMakeSecret, type Secrets } from '../config/secrets.ts';
import type { Administrator } from '../ledger/audit-log.ts';
import { type Database, openDatabase } from '../postgres/database.ts';
import { GroupCommitter } from '../ledger/commit/group-commit.ts';
import { Ledger } from '../ledger/ledger.ts';
import { agreeOnCurrency, checkCurrency } from '../runtime/check-currency.ts';
import { checkSecret } from '../runtime/check-secret.ts';
import { Refusal } from './output.ts';

export interface Administration {
  environment: Environment;
  /** As it is written now, where this command runs. */
  configuration: Configuration;
  database: Database;
  ledger: Ledger;
  secrets: Secrets;
  /** Of all amounts of this database. */
  currency: string;
  /** The user of the machine, as whom the audit log names them. */
  by: Administrator;
}

/** Lends a connection to the gateway's database. Refuses when there is none to be found, and a secret or a currency that is not its own. */
export async function withDatabase<T>(use: (tools: Administration) => Promise<T>): Promise<T> {
  const { environment, configuration, configurationPath } = await loadSettings(
    process.env,
    process.cwd(),
    providerKinds,
  );
  const dataDir = resolve(environment.dataDir);
  const url = environment.databaseUrl ?? (await runningPostgres({ dataDir }).catch(() => undefined));
  if (url === undefined) {
    throw new Refusal(
      `No gateway is running on ${environment.dataDir}. Start one with 'npm start', or set DATABASE_URL.`,
    );
  }
  const secrets = deriveKeys(environment.secrets ?? [await loadOrMakeSecret(dataDir)]);
  const database = openDatabase(url, { onIdleError: () => undefined, connectionsMax: 2 });
  const by: Administrator = { database, ledgerKey: secrets.first.ledger, actor: `cli:${userInfo().username}` };
  try {
    await checkSecret(database, secrets);
    // Without a file, what is built in wants no currency: this may be another folder than the gateway's.
    if (configurationPath !== undefined) await checkCurrency(database, configuration.currency);
    const currency = await agreeOnCurrency(database, configuration.currency);
    return await use({
      environment,
      configuration,
      database,
      secrets,
      currency,
      by,
      ledger: new Ledger(new GroupCommitter(database, secrets.first.ledger)),
    });
  } finally {
    await database.close();
  }
}
