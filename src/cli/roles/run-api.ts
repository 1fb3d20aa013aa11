/** `tollgate api`: serves until SIGTERM. */
import { hashPassword } from '../../api/console/passwords.ts';
import { bootstrap } from '../../accounts/bootstrap.ts';
import type { Settings } from '../../config/load-settings.ts';
import { unnamedRatesOf } from '../../domain/billing/unnamed-rates.ts';
import { providerKinds } from '../../providers/registry.ts';
import { startApiRole } from '../../runtime/api-role.ts';
import { joinSupervisor } from '../../runtime/api-processes/supervised.ts';
import type { Core } from '../../runtime/parts.ts';
import { servingConnection } from '../../temporal/connection.ts';
import { checkTemporal } from '../../temporal/connection-errors.ts';
import { withCore } from './with-core.ts';

/** Serves the API until it is asked to stop. Raises a SettingsError when it can't find the servers that it needs. */
export const runApi = (): Promise<void> =>
  withCore(async ({ settings, core, outside, asked, isUp }) => {
    await bootstrapIfWished(settings, core);
    const connection = await servingConnection(outside);
    // Not waited for: it serves chat without.
    void checkTemporal(connection, outside).catch((error: unknown) =>
      core.log.error({ err: error }, 'Temporal is not there'),
    );
    const supervised = joinSupervisor(core.meters.metrics);
    const { metrics } = supervised ?? {};
    const api = await startApiRole(core, connection, outside.namespace, { eager: false, metrics });
    isUp();
    if (supervised) supervised.becomeUp(api.url);
    else core.log.info({ address: api.url }, 'the API listens');
    warnOfUnnamedRates(core);
    const orphaned = supervised?.orphaned.then(() => core.log.error('the supervising process has died'));
    await Promise.race([asked, ...(orphaned ? [orphaned] : [])]);
    core.log.info('stopping');
    await api.stop(settings.environment.drain);
    await connection.close();
  });

function warnOfUnnamedRates({ live, log }: Core): void {
  const { models, providers } = live.now.configuration;
  const unnamed = unnamedRatesOf(models.values(), providers, providerKinds);
  if (unnamed.length > 0)
    log.warn({ unnamed }, 'prices leave out tokens that their providers count apart: they cost what plain ones do');
}

/** A server's output, printed once, may never be read: it makes a demo account only for a key or password that the operator chose. */
async function bootstrapIfWished({ environment }: Settings, core: Core): Promise<void> {
  if (environment.bootstrap.key === undefined && environment.bootstrap.password === undefined) return;
  const made = await bootstrap(
    { ...core, ledgerKey: core.secrets.first.ledger, hashPassword, makesUp: false },
    environment.bootstrap,
  );
  if (made?.secret !== undefined) core.log.info({ account: made.account }, 'made the demo account');
  if (made?.login) core.log.info({ account: made.account }, 'made its owner, who is the operator');
}
