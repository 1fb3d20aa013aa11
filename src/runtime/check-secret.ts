/** The ledger's chain, seals and links are signed: a process with another secret would only do harm, and for good. */
import type { Secrets } from '../config/secrets.ts';
import { SettingsError } from '../config/setting-errors.ts';
import type { Database } from '../postgres/database.ts';
import { agreeOn } from '../postgres/installation.ts';

/** Refuses with a SettingsError a database that was signed under a secret which is not listed. */
export async function checkSecret(database: Database, { all, fingerprint }: Secrets): Promise<void> {
  const known = await agreeOn(database, 'secret_fingerprint', fingerprint);
  if (all.some(({ id }) => id === known)) return;
  throw new SettingsError([
    'TOLLGATE_SECRET: this database was sealed with another secret; add that secret to the list',
  ]);
}
