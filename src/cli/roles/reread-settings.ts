/** SIGHUP: `tollgate.yaml` is read again while everything runs. Mistakes in it are logged, and change nothing. */
import type { Logger } from 'pino';
import type { Mask } from '../../observability/logging/mask.ts';
import { providerKinds } from '../../providers/registry.ts';
import { knownSecrets } from '../../config/known-secrets.ts';
import { loadConfiguration, type Settings } from '../../config/load-settings.ts';
import { SettingsError } from '../../config/setting-errors.ts';
import type { Core } from '../../runtime/parts.ts';

/**
 * Listens from now on, since the signal would end the process otherwise. Heard before the answered function is called,
 * with everything started, it is obeyed then; heard during a reload, it is obeyed after it.
 */
export function rereadAtHangup(log: Logger, mask: Mask): (core: Core, settings: Settings) => void {
  let reread: (() => Promise<void>) | undefined;
  let isWanted = false;
  let isBusy = false;
  process.on('SIGHUP', () => {
    isWanted = true;
    void obey();
  });
  return (core, settings) => {
    reread = rereading(core, settings, mask);
    void obey();
  };

  async function obey(): Promise<void> {
    if (!reread || isBusy) return;
    isBusy = true;
    while (isWanted) {
      isWanted = false;
      await reread().catch((error: unknown) => {
        const why = error instanceof SettingsError ? { mistakes: error.lines } : { err: error };
        log.error(why, 'the configuration was not re-read; the one before stays in force');
      });
    }
    isBusy = false;
  }
}

function rereading({ live, log }: Core, { environment, configurationPath }: Settings, mask: Mask): () => Promise<void> {
  let path = configurationPath;
  return async () => {
    const read = await loadConfiguration(process.env, process.cwd(), providerKinds, path);
    mask.know(knownSecrets({ environment, ...read })); // before anything is done with them
    const changes = await live.replace(read.configuration);
    path = read.configurationPath;
    log.info({ file: path ?? 'built in', changes }, 'configuration re-read');
  };
}
